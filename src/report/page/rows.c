/* The table of a report: its columns, its rows, and what each row shows when it is chosen. */
#include "report/page/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns --------------------------------------------------------------------------------- */

static void put_column(page *p, const char *key, const char *title, const char *type,
                       const char *help)
{
    fputs(strcmp(key, "name") == 0 ? "{\"key\":" : ",\n{\"key\":", p->out);
    page_put_string(p->out, key);
    fputs(",\"title\":", p->out);
    page_put_string(p->out, title);
    fprintf(p->out, ",\"type\":\"%s\",\"help\":", type);
    page_put_string(p->out, help);
    fputc('}', p->out);
}

static void put_scale_columns(page *p)
{
    const spk_exact_report *test = &p->exact;
    for (size_t s = 0; test->scale_p != NULL && s < test->n_jitter; s++) {
        char text[48], key[64], help[160];
        spk_duration_format(test->jitter[s], text, sizeof text);
        snprintf(key, sizeof key, "p_%s", text);
        snprintf(help, sizeof help,
                 "p-value where chance moves spikes within %s, not corrected for the number of "
                 "windows",
                 text);
        put_column(p, key, key, "real", help);
    }
}

static void put_exact_columns(page *p)
{
    const spk_exact_report *test = &p->exact;
    if (p->options.exact == NULL)
        return;
    put_column(p, "expected", "expected", "real", "mean count by chance");
    put_column(p, "score", "score", "real",
               "how unlikely the count is; the p-value compares it with the largest scores of "
               "surrogates");
    put_column(p, "p", "p", "real",
               "chance that any result of the whole search scores as much, if all is chance");
    put_column(p, "e_value", "E", "real",
               "mean number of results by chance with such a score; 1 / (surrogates + 1) at least");
    put_column(p, "fdr", "FDR", "real", "false discovery rate; 1 / (surrogates + 1) at least");
    if (test->n_jitter > 1)
        put_column(p, "jitter", "jitter", "text", "the window within which it is least likely");
    put_scale_columns(p);
    if (test->left_out != NULL)
        put_column(p, "explained_by", "explained by", "text", "the part that explains it");
    if (test->means != NULL)
        put_column(p, "meaning", "may mean", "text",
                   "beside a sequence. rhythm: a unit stands in it twice, and its own rhythm or "
                   "burst may be all; synchrony: both directions are significant, or all spikes "
                   "lie in one bin; twin: units less than 1 ms apart, perhaps one spike sorted "
                   "twice");
    if (test->direction_p != NULL)
        put_column(p, "direction_p", "direction p", "real",
                   "chance that as many occurrences go forward if the link is the same in both "
                   "directions; of the step whose direction is least sure");
    if (test->round != NULL)
        put_column(p, "round", "round", "integer", "the round of peeling that accepted it");
}

static void put_signature_columns(page *p)
{
    const spk_significance *test = &p->signatures;
    if (p->options.signatures == NULL)
        return;
    put_column(p, "p", "p", "real", "share of surrogates with as large a pattern as often");
    put_column(p, "p_corrected", "corrected p", "real", "p, corrected for all signatures tested");
    if (test->kept != NULL)
        put_column(p, "kept", "kept", "text", "whether the reduction of the set keeps it");
    if (test->intensional != NULL)
        put_column(p, "stability_intensional", "intensional", "real", "intensional stability");
    if (test->extensional != NULL)
        put_column(p, "stability_extensional", "extensional", "real", "extensional stability");
}

static void put_columns(page *p)
{
    fputs(",\n\"columns\":[", p->out);
    if (p->episodes != NULL) {
        put_column(p, "name", "episode", "text", "units and the delays between them");
        put_column(p, "size", "events", "integer", "events in the chain");
        put_column(p, "neurons", "units", "integer", "different units");
        put_column(p, "count", "count", "integer", "occurrences that do not overlap");
    } else {
        put_column(p, "name", "pattern", "text", "spikes as unit@lag, lags in bins");
        put_column(p, "size", "spikes", "integer", "spikes in the pattern");
        put_column(p, "neurons", "neurons", "integer", "different units");
        put_column(p, "duration", "duration", "integer", "bins from the first spike to the last");
        put_column(p, "count", "count", "integer", "windows in which it occurs");
    }
    put_exact_columns(p);
    put_signature_columns(p);
    if (p->options.families != NULL) {
        put_column(p, "members", "members", "integer", "results of its family");
        put_column(p, "family_occurrences", "together", "integer",
                   "times at which members of the family occur together");
        put_column(p, "family_units", "family", "text", "units of the family, as they fire");
    }
    fputs("]", p->out);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The text form of result 0 of some columns; *text grows. */
typedef struct text_form {
    char *text;
    uint64_t capacity;
} text_form;

static size_t format(const page *p, const spk_episode_columns *episodes,
                     const spk_pattern_columns *patterns, uint64_t i, char *text, size_t size)
{
    return episodes != NULL   ? spk_episode_format(p->recording, episodes, i, text, size)
           : patterns != NULL ? spk_pattern_format(p->recording, patterns, i, text, size)
                              : 0;
}

static spk_status put_name(const page *p, text_form *form, const spk_episode_columns *episodes,
                           const spk_pattern_columns *patterns, uint64_t i)
{
    size_t n = format(p, episodes, patterns, i, form->text, (size_t)form->capacity);
    if (n >= form->capacity) {
        spk_status status = spk_grow(p->context, &form->text, &form->capacity, n + 1, "names");
        if (status != SPK_OK)
            return status;
        format(p, episodes, patterns, i, form->text, (size_t)form->capacity);
    }
    page_put_string(p->out, form->text);
    return SPK_OK;
}

/* An episode without its first or last unit. */
static spk_status put_episode_part(const page *p, text_form *form, uint64_t i, uint32_t left_out)
{
    const uint64_t offset[2] = {p->episodes->offset[i] + (left_out == 0),
                                p->episodes->offset[i + 1] - (left_out != 0)};
    spk_episode_columns part = *p->episodes;
    part.n = 1;
    part.offset = offset;
    return put_name(p, form, &part, NULL, 0);
}

/* A pattern without one of its spikes; the first spike of the rest has lag 0 again. */
static spk_status put_pattern_part(const page *p, text_form *form, uint64_t i, uint32_t left_out)
{
    const spk_pattern_columns *patterns = p->patterns;
    const uint32_t size = page_size(p, i), *item = patterns->item + patterns->offset[i];
    const uint64_t offset[2] = {0, size - 1};
    const uint32_t shift = item[left_out == 0 ? 1 : 0] % patterns->window;
    uint32_t n = 0, *left = NULL;
    spk_status status = spk_alloc(p->context, &left, size, "names");
    for (uint32_t k = 0; k < size && status == SPK_OK; k++)
        if (k != left_out)
            left[n++] = item[k] - shift;
    const spk_pattern_columns part = {
        .n = 1, .window = patterns->window, .offset = offset, .item = left};
    if (status == SPK_OK)
        status = put_name(p, form, NULL, &part, 0);
    spk_free(p->context, left);
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void put_integer_cell(const page *p, uint64_t number)
{
    fprintf(p->out, ",%" PRIu64, number);
}

static void put_real_cell(const page *p, double value)
{
    fputc(',', p->out);
    page_put_real(p->out, value);
}

static void put_text_cell(const page *p, const char *text)
{
    fputc(',', p->out);
    page_put_string(p->out, text);
}

static uint32_t count_neurons(const page *p, uint64_t i)
{
    uint32_t n = 0;
    const uint64_t first = page_offset(p, i), end = page_offset(p, i + 1);
    for (uint64_t k = first; k < end; k++) {
        uint64_t before = first;
        while (before < k && page_unit(p, before) != page_unit(p, k))
            before++;
        n += before == k;
    }
    return n;
}

/* Six digits are enough for a mean that is no count. */
static double rounded(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

static spk_status put_exact_cells(const page *p, text_form *form, uint64_t i)
{
    const spk_exact_report *test = &p->exact;
    spk_status status = SPK_OK;
    if (p->options.exact == NULL)
        return SPK_OK;
    const spk_exact_verdict *v = &test->verdict[i];
    put_real_cell(p, rounded(v->expected));
    put_real_cell(p, v->score / 1000.0);
    put_real_cell(p, v->p);
    put_real_cell(p, v->e_value);
    put_real_cell(p, v->fdr);
    if (test->n_jitter > 1) {
        char text[48];
        spk_duration_format(test->jitter[v->scale], text, sizeof text);
        put_text_cell(p, text);
    }
    for (size_t s = 0; test->scale_p != NULL && s < test->n_jitter; s++)
        put_real_cell(p, test->scale_p[i * test->n_jitter + s]);
    if (test->left_out != NULL) {
        const uint32_t left_out = test->left_out[i];
        fputc(',', p->out);
        if (left_out == SPK_NOT_EXPLAINED || left_out >= page_size(p, i) || page_size(p, i) < 2)
            fputs("null", p->out);
        else
            status = p->episodes != NULL ? put_episode_part(p, form, i, left_out)
                                         : put_pattern_part(p, form, i, left_out);
    }
    if (test->means != NULL)
        put_text_cell(p, spk_exact_means_text(test->means[i]));
    if (test->direction_p != NULL)
        put_real_cell(p, test->direction_p[i]);
    if (test->round != NULL)
        put_integer_cell(p, test->round[i]);
    return status;
}

static void put_signature_cells(const page *p, uint64_t i)
{
    const spk_significance *test = &p->signatures;
    const spk_signature *signature = page_signature(p, i);
    if (signature == NULL)
        return;
    put_real_cell(p, test->published ? signature->p_published : signature->p);
    if (signature->tested)
        put_real_cell(p, signature->p_corrected);
    else
        fputs(",null", p->out);
    if (test->kept != NULL)
        put_text_cell(p, test->kept[i] != 0 ? "yes" : "no");
    if (test->intensional != NULL)
        put_real_cell(p, test->intensional[i]);
    if (test->extensional != NULL)
        put_real_cell(p, test->extensional[i]);
}

/* Labels of a family's units, as one text. */
static spk_status put_family_cells(const page *p, uint64_t i)
{
    char *text = NULL;
    size_t n = 0, size = 1;
    if (p->options.families == NULL)
        return SPK_OK;
    const spk_family *family = &p->options.families->family[i];
    put_integer_cell(p, family->n_members);
    put_integer_cell(p, family->n_occurrences);
    for (uint32_t k = 0; k < family->n_units; k++)
        size += strlen(spk_recording_label(p->recording, family->unit[k])) + 1;
    spk_status status = spk_alloc_zero(p->context, &text, size, "names");
    for (uint32_t k = 0; k < family->n_units && status == SPK_OK; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", k > 0 ? " " : "",
                              spk_recording_label(p->recording, family->unit[k]));
    if (status == SPK_OK)
        put_text_cell(p, text);
    spk_free(p->context, text);
    return status;
}

static spk_status put_cells(const page *p, text_form *form, uint64_t i)
{
    spk_status status = put_name(p, form, p->episodes, p->patterns, i);
    put_integer_cell(p, page_size(p, i));
    put_integer_cell(p, count_neurons(p, i));
    if (p->episodes == NULL)
        put_integer_cell(p,
                         p->patterns->item[p->patterns->offset[i + 1] - 1] % p->patterns->window);
    put_integer_cell(p, page_count(p, i));
    if (status == SPK_OK)
        status = put_exact_cells(p, form, i);
    put_signature_cells(p, i);
    return status == SPK_OK ? put_family_cells(p, i) : status;
}

/* ---- what a row is made of ------------------------------------------------------------------- */

static void put_lags(const page *p, uint64_t i)
{
    const uint64_t first = page_offset(p, i), end = page_offset(p, i + 1);
    for (uint64_t k = first; k < end && p->episodes == NULL; k++) {
        if (k > first)
            fputc(',', p->out);
        page_put_real(p->out, page_ticks(p, p->bin) * (p->patterns->item[k] % p->patterns->window));
    }
    for (uint64_t k = first + 1; k < end && p->episodes != NULL; k++) {
        const spk_delay *delay = &p->episodes->delays[p->episodes->delay[k]];
        fputs(k > first + 1 ? ",[" : "[", p->out);
        page_put_real(p->out, page_ticks(p, delay->lo));
        fputc(',', p->out);
        page_put_real(p->out, page_ticks(p, delay->hi));
        fputc(']', p->out);
    }
}

static void put_result(const page *p, uint64_t k)
{
    const uint64_t i = p->row[k];
    fputs(k > 0 ? ",\n{\"units\":[" : "\n{\"units\":[", p->out);
    for (uint64_t at = page_offset(p, i); at < page_offset(p, i + 1); at++)
        fprintf(p->out, "%s%" PRIu32, at > page_offset(p, i) ? "," : "", page_unit(p, at));
    fputs("],\"lags\":[", p->out);
    put_lags(p, i);
    fprintf(p->out, "],\"occurrences\":%" PRIu64 "}", p->n_found[k]);
}

spk_status page_put_rows(page *p)
{
    text_form form = {.text = NULL};
    spk_status status = SPK_OK;
    put_columns(p);
    fputs(",\n\"rows\":[", p->out);
    for (uint64_t k = 0; k < p->n_rows && status == SPK_OK; k++) {
        fputs(k > 0 ? ",\n[" : "\n[", p->out);
        status = put_cells(p, &form, p->row[k]);
        fputc(']', p->out);
        if (status == SPK_OK)
            status = spk_check_cancel(p->context);
    }
    fputs("],\n\"results\":[", p->out);
    for (uint64_t k = 0; k < p->n_rows && status == SPK_OK; k++)
        put_result(p, k);
    fputs("]", p->out);
    spk_free(p->context, form.text);
    return status;
}
