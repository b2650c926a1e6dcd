/* The table is caught in a file without a name. A cell is cut at MOST_LETTERS. Where the terminal
 * has no room for all columns some are left out: first those of a list, then from the right. */
#include "screen.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "say.h"

enum {
    MOST_ROWS = 20,
    MOST_COLUMNS = 32,
    MOST_LETTERS = 60,
    MOST_BYTES = 240,
    GAP = 2,
    USUAL_WIDTH = 80
};

typedef struct cell {
    char text[MOST_BYTES + 8]; /* UTF-8 */
    int letters;
} cell;

typedef struct grid {
    cell row[MOST_ROWS + 1][MOST_COLUMNS]; /* the head first */
    uint64_t n_rows;                       /* of the table, the head apart */
    int n_columns, width[MOST_COLUMNS];
    bool numbers[MOST_COLUMNS];
} grid;

static bool never;

void cli_screen_never(void)
{
    never = true;
}

void cli_screen_begin(cli_screen *screen, const cli_session *session)
{
    const cli_command *command = session->command;
    *screen = (cli_screen){.terminal = -1};
    if (never || !command->table || !isatty(STDOUT_FILENO) ||
        cli_given_value(command, session->given, "output") != NULL ||
        cli_given_value(command, session->given, "format") != NULL)
        return;
    fflush(stdout);
    screen->table = tmpfile();
    screen->terminal = dup(STDOUT_FILENO);
    if (screen->table == NULL || screen->terminal < 0 ||
        dup2(fileno(screen->table), STDOUT_FILENO) < 0) {
        if (screen->table != NULL)
            fclose(screen->table);
        if (screen->terminal >= 0)
            close(screen->terminal);
        screen->table = NULL;
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

static bool begins_letter(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* Copies a cell, numbers with a point in three digits: "0.0333333,0.1" is "0.0333, 0.1". */
static void set_cell(cell *to, const char *text, bool is_name)
{
    char whole[1024] = "";
    const bool list = strchr(text, ',') != NULL && strchr(text, ' ') == NULL;
    while (!is_name && *text != '\0') {
        char *end = NULL;
        const size_t length = strcspn(text, ",");
        const double value = strtod(text, &end);
        if (end == text + length && memchr(text, '.', length) != NULL)
            cli_append(whole, sizeof whole, "%.3g", value);
        else
            cli_append(whole, sizeof whole, "%.*s", (int)length, text);
        text += length;
        if (*text == ',') {
            cli_append(whole, sizeof whole, list ? ", " : ",");
            text++;
        }
    }
    const char *from = is_name ? text : whole;
    size_t n = 0;
    to->letters = 0;
    for (; n < MOST_BYTES && from[n] != '\0'; n++) {
        to->letters += begins_letter(from[n]);
        if (to->letters > MOST_LETTERS)
            break;
    }
    const bool cut = from[n] != '\0';
    memcpy(to->text, from, n);
    snprintf(to->text + n, sizeof to->text - n, "%s", cut ? "\xe2\x80\xa6" : "");
    to->letters += cut && to->letters <= MOST_LETTERS;
}

/* Columns whose cells are names, which stay as they are. */
static bool names_units(const char *head)
{
    static const char *const names[] = {"episode", "pattern", "unit", "explained_by", "units"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(head, names[k]) == 0)
            return true;
    return false;
}

static void take_line(grid *g, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    const uint64_t r = g->n_columns == 0 ? 0 : ++g->n_rows;
    if (r > MOST_ROWS)
        return;
    int k = 0;
    for (char *at = line, *next; at != NULL && k < MOST_COLUMNS; at = next, k++) {
        next = strchr(at, '\t');
        if (next != NULL)
            *next++ = '\0';
        cell *to = &g->row[r][k];
        set_cell(to, at, r == 0 || names_units(g->row[0][k].text));
        g->width[k] = to->letters > g->width[k] ? to->letters : g->width[k];
        const bool number = isdigit((unsigned char)at[0]) || (at[0] == '-' && at[1] != '>');
        g->numbers[k] = r == 0 ? !names_units(at) : g->numbers[k] && number;
    }
    g->n_columns = r == 0 ? k : g->n_columns;
}

/* ---- the screen ------------------------------------------------------------------------------ */

static int screen_width(void)
{
    struct winsize size;
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : USUAL_WIDTH;
}

/* Column k of the head, by name; n_columns: it is not there. */
static int find_column(const grid *g, const char *name)
{
    int k = 0;
    while (k < g->n_columns && strcmp(g->row[0][k].text, name) != 0)
        k++;
    return k;
}

/* Leaves columns out until the rest fits, the first three apart. Returns how many stay. */
static int choose_columns(const grid *g, bool *out)
{
    static const char *const first[] = {"lags_s",      "explained_by", "e_value",
                                        "direction_p", "score",        "fdr"};
    enum { N_FIRST = sizeof first / sizeof first[0], KEPT = 3 };
    int needed = -GAP, n = g->n_columns, right = n;
    for (int k = 0; k < n; k++)
        needed += g->width[k] + GAP;
    const int room = screen_width();
    for (int l = 0; needed > room && (l < N_FIRST || right > KEPT); l++) {
        const int k = l < N_FIRST ? find_column(g, first[l]) : --right;
        if (k == g->n_columns || out[k])
            continue;
        out[k] = true;
        needed -= g->width[k] + GAP;
        n--;
    }
    return n;
}

static void put_row(const grid *g, uint64_t r, const bool *out)
{
    int before = 0; /* blanks that belong before the next cell */
    for (int k = 0; k < g->n_columns; k++) {
        if (out[k])
            continue;
        const cell *c = &g->row[r][k];
        const int pad = g->width[k] - c->letters;
        printf("%*s", before + (g->numbers[k] ? pad : 0), "");
        cli_put(stdout, c->text);
        before = GAP + (g->numbers[k] ? 0 : pad);
    }
    putchar('\n');
}

static void show(const grid *g)
{
    bool out[MOST_COLUMNS] = {false};
    const uint64_t rows = g->n_rows < MOST_ROWS ? g->n_rows : MOST_ROWS;
    const int n = choose_columns(g, out);
    for (uint64_t r = 0; r <= rows && g->n_columns > 0; r++)
        put_row(g, r, out);
    if (rows < g->n_rows || n < g->n_columns)
        printf("... %" PRIu64 " of %" PRIu64 " rows and %d of %d columns; -o FILE has all\n", rows,
               g->n_rows, n, g->n_columns);
}

void cli_screen_end(cli_screen *screen)
{
    if (screen->table == NULL)
        return;
    fflush(stdout);
    dup2(screen->terminal, STDOUT_FILENO);
    close(screen->terminal);
    rewind(screen->table);
    static grid g;                     /* some 170 kB */
    char *line = NULL, *remark = NULL; /* why it is incomplete */
    size_t room = 0;
    while (getline(&line, &room, screen->table) > 0) {
        if (line[0] == '#' && remark == NULL)
            remark = strdup(line);
        else
            take_line(&g, line);
    }
    show(&g);
    if (remark != NULL) {
        remark[strcspn(remark, "\n")] = '\0';
        cli_put(stdout, remark);
        putchar('\n');
    }
    free(remark);
    free(line);
    fclose(screen->table);
}
