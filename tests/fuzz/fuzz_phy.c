/*
 * Fuzzes what a sorter's folder holds as text: params.py, tables of clusters, and selections on
 * them. The first byte chooses.
 */
#include <assert.h>

#include "fuzz.h"
#include "recording/readers/row_filter.h"
#include "recording/readers/sorter_files.h"

/* Every cluster of the table has a cell in every column. */
static void check_table(const spk_sorter_table *table)
{
    size_t column;
    if (!spk_sorter_table_column(table, table->cell[table->n_columns - 1], &column))
        stop("a column is not found by its name");
    for (uint32_t k = 0; k < table->ids.n; k++)
        if (spk_sorter_table_cell(table, spk_labels_text(&table->ids, k), column) == NULL)
            stop("a cluster has no cell");
    if (table->ids.n != table->n_rows)
        stop("a cluster is lost");
}

static spk_status fuzz_select(spk_context *context, const char *text)
{
    static const spk_row_filter_value value = {.text = "good", .n_text = 4};
    spk_row_filter *filter = NULL;
    spk_status status = spk_row_filter_parse(context, text, &filter);
    for (size_t k = 0; status == SPK_OK && k < spk_row_filter_count(filter); k++) {
        spk_row_filter_holds(filter, k, &value);
        if (strlen(spk_row_filter_column(filter, k)) > strlen(text))
            stop("a column's name grew");
    }
    spk_row_filter_free(filter);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spk_context *context = NULL;
    spk_sorter_table table = {.name = NULL};
    spk_rate rate;
    char *text = size > 0 ? malloc(size) : NULL;
    if (text == NULL || spk_context_create(&context) != SPK_OK) {
        free(text);
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    spk_status status = SPK_OK;
    if (data[0] % 3 == 0)
        status = spk_sorter_params_rate(context, "params.py", text, size - 1, &rate);
    else if (data[0] % 3 == 1)
        status = spk_sorter_table_parse(context, "t.tsv", "t.tsv", text, size - 1, &table);
    else
        status = fuzz_select(context, text);
    if (status == SPK_OK && data[0] % 3 == 1)
        check_table(&table);
    if (status != SPK_OK && (strlen(spk_context_message(context)) == 0 ||
                             strchr(spk_context_message(context), '\n') != NULL))
        stop("a failure without a one-line message");
    spk_sorter_table_clear(&table);
    spk_context_free(context);
    free(text);
    return 0;
}
