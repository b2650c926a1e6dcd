/*
 * Which rows of a table are wanted: "group==good", "n_spikes>=100 && depth < 1200". A term is a
 * column's name, an operator (== != < <= > >=) and a value; all terms must hold. Names and values
 * with blanks or operators in them stand in quotes, 'single' or "double".
 *
 *     spk_row_filter *filter = NULL;
 *     status = spk_row_filter_parse(context, options->row_filter, &filter);
 *     for (size_t k = 0; k < spk_row_filter_count(filter); k++)
 *         find the column spk_row_filter_column(filter, k)
 *     row is wanted: spk_row_filter_holds(filter, k, &value of the row in it) for every k
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

typedef struct spk_row_filter spk_row_filter;

/* A cell of a table. A number may have a text too ("True" of 1); a text that is a decimal number is
 * one. Cells that are empty or not a number hold no comparison but !=. */
typedef struct spk_row_filter_value {
    const char *text; /* n_text bytes; NULL: none */
    size_t n_text;
    double number;
    bool is_number;
} spk_row_filter_value;

/* Parses. Errors: SPK_ERR_ARGUMENT (with what is wrong and an example), SPK_ERR_MEMORY. */
spk_status spk_row_filter_parse(spk_context *context, const char *text, spk_row_filter **out);

/* Frees it; NULL is accepted. */
void spk_row_filter_free(spk_row_filter *filter);

/* Its terms, at least one, and the column that a term asks for. */
size_t spk_row_filter_count(const spk_row_filter *filter);
const char *spk_row_filter_column(const spk_row_filter *filter, size_t number);

/* Whether the term of that number holds for this value of its column. */
bool spk_row_filter_holds(const spk_row_filter *filter, size_t number,
                          const spk_row_filter_value *value);

/* Reads a whole text as a decimal number, in any locale. */
bool spk_row_filter_number(const char *text, size_t length, double *out);
