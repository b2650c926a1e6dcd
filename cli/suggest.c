/* Nearest words: distances by optimal string alignment (insert, delete, change, exchange). */
#include "options.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LETTERS = 40 }; /* longer words are not compared */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[3][MOST_LETTERS + 1];
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3];
        const size_t *before = row[(i + 2) % 3];
        const size_t *older = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(before[j], now[j - 1]) + 1;
            now[j] = least(now[j], before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], older[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

cli_suggestion cli_suggest_begin(const char *typed, size_t length)
{
    return (cli_suggestion){.typed = typed, .length = length, .distance = SIZE_MAX};
}

void cli_suggest_offer(cli_suggestion *s, const char *word, size_t length)
{
    if (s->length == 0 || s->length > MOST_LETTERS || length > MOST_LETTERS)
        return;
    size_t d = distance(s->typed, s->length, word, length);
    size_t most = s->length < 3 ? 1 : (s->length + 2) / 3;
    bool begins = s->length >= 2 && length > s->length && memcmp(word, s->typed, s->length) == 0;
    if ((d > most || d >= length) && !begins)
        return;
    d = begins ? least(d, 1) : d;
    if (d >= s->distance)
        return;
    s->distance = d;
    s->best = word;
    s->best_length = length;
}

const char *cli_suggest_end(const cli_suggestion *s, const char *prefix, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (s->best != NULL)
        snprintf(buffer, size, "; did you mean %s%.*s?", prefix, (int)s->best_length, s->best);
    return buffer;
}
