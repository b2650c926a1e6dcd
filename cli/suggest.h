/* What a mistyped word may have meant. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* Collects the nearest of many words. */
typedef struct cli_suggestion {
    const char *typed;
    size_t length;   /* of what was typed */
    size_t distance; /* of the best so far */
    const char *best;
    size_t best_length;
} cli_suggestion;

/* `length` bytes of `typed`, which must live as long as the suggestion. */
cli_suggestion cli_suggest_begin(const char *typed, size_t length);

/* Offers a word of `length` bytes. A word is near when few letters are missing, wrong, too many or
 * exchanged with their neighbour (a third of those typed), or when it begins with what was
 * typed. */
void cli_suggest_offer(cli_suggestion *suggestion, const char *word, size_t length);

/* Writes "; did you mean PREFIXword?", or nothing where no word is near, and returns `buffer`. */
const char *cli_suggest_end(const cli_suggestion *suggestion, const char *prefix, char *buffer,
                            size_t size);

enum { CLI_SUGGEST_BYTES = 96 }; /* a buffer that suffices */

#endif
