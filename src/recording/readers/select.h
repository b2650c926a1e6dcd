/*
 * Which rows of a table are wanted: "group==good", "n_spikes>=100 && depth < 1200". A term is a
 * column's name, an operator (== != < <= > >=) and a value; all terms must hold. Names and values
 * with blanks or operators in them stand in quotes, 'single' or "double".
 *
 *     spk_select *select = NULL;
 *     status = spk_select_parse(context, options->select, &select);
 *     for (size_t k = 0; k < spk_select_count(select); k++)
 *         find the column spk_select_column(select, k)
 *     row is wanted: spk_select_holds(select, k, &value of the row in it) for every k
 */
#ifndef SPK_RECORDING_READERS_SELECT_H
#define SPK_RECORDING_READERS_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

typedef struct spk_select spk_select;

/* A cell of a table. A number may have a text too ("True" of 1); a text that is a decimal number is
 * one. Cells that are empty or not a number hold no comparison but !=. */
typedef struct spk_select_value {
    const char *text; /* n_text bytes; NULL: none */
    size_t n_text;
    double number;
    bool is_number;
} spk_select_value;

/* Parses. Errors: SPK_ERR_ARGUMENT (with what is wrong and an example), SPK_ERR_MEMORY. */
spk_status spk_select_parse(spk_context *context, const char *text, spk_select **out);

/* Frees it; NULL is accepted. */
void spk_select_free(spk_select *select);

/* Its terms, at least one, and the column that a term asks for. */
size_t spk_select_count(const spk_select *select);
const char *spk_select_column(const spk_select *select, size_t number);

/* Whether the term of that number holds for this value of its column. */
bool spk_select_holds(const spk_select *select, size_t number, const spk_select_value *value);

/* Reads a whole text as a decimal number, in any locale. */
bool spk_select_number(const char *text, size_t length, double *out);

#endif
