/* One line that never wraps, so that going back to its start is enough to write it anew. */
#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "say.h"

/* So few can be counted by a reader; more are told as a share. So are the tasks of a search, which
 * are parts of it that mean nothing to a reader. */
enum { MOST_TASKS = 1000 };

static bool is_counted(const char *what, uint64_t n)
{
    return n <= MOST_TASKS && strstr(what, "mining") == NULL;
}

bool cli_progress_possible(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind != NULL && strcmp(kind, "dumb") != 0;
}

/* Columns of the terminal; it may have been made wider or narrower. */
static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

void cli_count_text(uint64_t count, char *buffer, size_t size)
{
    char digits[24];
    size_t used = 0;
    int n = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int k = 0; k < n && used < size; k++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%c",
                                 k > 0 && (n - k) % 3 == 0 ? "," : "", digits[k]);
}

/* ---- the text -------------------------------------------------------------------------------- */

static void append_count(char *buffer, size_t size, uint64_t count)
{
    size_t used = strlen(buffer);
    cli_count_text(count, buffer + used, size - used);
}

static void append_bytes(char *buffer, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    double value = (double)bytes / 1e3;
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        value /= 1e3;
    cli_append(buffer, size, ", %.*f %s written", value < 9.95 ? 1 : 0, value, units[unit]);
}

static void append_left(char *buffer, size_t size, double seconds)
{
    if (seconds < 60)
        cli_append(buffer, size, ", %.0f s left", seconds < 1 ? 1.0 : seconds);
    else if (seconds < 3600)
        cli_append(buffer, size, ", %.0f min left", seconds / 60);
    else
        cli_append(buffer, size, ", %.1f h left", seconds / 3600);
}

/* Drops what does not fit, whole parts where there are any. All of it is ASCII. */
static void cut(char *buffer, int width)
{
    size_t most = width > 0 ? (size_t)width : 0;
    while (strlen(buffer) > most) {
        char *part = NULL;
        for (char *at = strstr(buffer, ", "); at != NULL; at = strstr(at + 2, ", "))
            part = at;
        buffer[part != NULL ? (size_t)(part - buffer) : most] = '\0';
    }
}

/* The text of the line, at most `width` characters; `seconds` have gone by since the step was at
 * `first`. Time left is told once it can be known: after three seconds and 2 % of the step. */
static void make_text(char *buffer, size_t size, int width, const cli_progress *progress,
                      spk_tally tally, uint64_t done, uint64_t total, double seconds)
{
    buffer[0] = '\0';
    cli_append(buffer, size, "%s: ", progress->what);
    if (total > 0 && is_counted(progress->what, total))
        cli_append(buffer, size, "%" PRIu64 " of %" PRIu64, done, total);
    else if (total > 0)
        cli_append(buffer, size, "%.1f %%", 100.0 * (double)done / (double)total);
    else
        append_count(buffer, size, done);
    if (tally.results > 0) {
        cli_append(buffer, size, ", ");
        append_count(buffer, size, tally.results);
        cli_append(buffer, size, " found");
    }
    if (tally.bytes > 0)
        append_bytes(buffer, size, tally.bytes);
    bool known = total > done && done > progress->first && seconds >= 3 &&
                 (double)(done - progress->first) >= 0.02 * (double)total;
    if (known)
        append_left(buffer, size,
                    seconds * (double)(total - done) / (double)(done - progress->first));
    cut(buffer, width);
}

/* ---- the line -------------------------------------------------------------------------------- */

void cli_progress_show(cli_progress *progress, const spk_context *context, const char *what,
                       uint64_t done, uint64_t total, double now)
{
    char text[256];
    if (!progress->enabled)
        return;
    if (strncmp(progress->what, what, sizeof progress->what - 1) != 0 || done < progress->first) {
        snprintf(progress->what, sizeof progress->what, "%s", what);
        progress->since = now;
        progress->first = done;
    }
    /* The last column stays free: some terminals go on to the next line behind it. */
    make_text(text, sizeof text, terminal_width() - 1, progress, spk_context_tally(context), done,
              total, now - progress->since);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    progress->shown = true;
}

void cli_progress_show_text(cli_progress *progress, const char *text)
{
    char line[512];
    if (!progress->enabled)
        return;
    snprintf(line, sizeof line, "%s", text);
    cut(line, terminal_width() - 1);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    progress->shown = true;
}

void cli_progress_remove(cli_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
