/* What a test says of all results: the null distribution of an exact test, the p-value spectrum of
 * a test of signatures. */
#include "report/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/order.h"

/* ---- exact tests ----------------------------------------------------------------------------- */

static void put_scales(const page *p)
{
    const spk_exact_report *test = &p->exact;
    char text[SPK_EXACT_MAX_SCALES * 50 + 100];
    spk_exact_null_format(test->null, test->history, test->jitter, test->n_jitter, text,
                          sizeof text);
    fprintf(p->out, ",\"name\":\"%s\",\"scales\":[", text);
    for (size_t s = 0; s < test->n_jitter; s++) {
        spk_duration_format(test->jitter[s], text, sizeof text);
        fprintf(p->out, "%s\"%s\"", s > 0 ? ", " : "", text);
    }
    fputs("]", p->out);
}

static void put_largest_scores(const page *p)
{
    const spk_exact_report *test = &p->exact;
    if (p->options.largest_score == NULL)
        return;
    fputs(",\n\"largest_scores\":[", p->out);
    for (size_t s = 0; s < test->n_jitter; s++) {
        fputs(s > 0 ? ",\n[" : "[", p->out);
        for (uint64_t i = 0; i < test->n_surrogates; i++) {
            fputs(i > 0 ? "," : "", p->out);
            page_put_real(p->out, p->options.largest_score[i * test->n_jitter + s]);
        }
        fputs("]", p->out);
    }
    fputs("]", p->out);
}

static void put_exact(const page *p)
{
    const spk_exact_report *test = &p->exact;
    fputs("{\"method\":\"exact\",\"alpha\":", p->out);
    page_put_real(p->out, test->alpha);
    fprintf(p->out, ",\"surrogates\":%" PRIu64, test->n_surrogates);
    put_scales(p);
    put_largest_scores(p);
}

/* ---- signatures ------------------------------------------------------------------------------ */

/* A signature of the spectrum, seen in the recording or in surrogates only. */
typedef struct entry {
    uint32_t size;
    uint32_t duration;
    uint32_t count;
    double p;
    uint64_t n_patterns;
    bool significant;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return SPK_BY(SPK_UP(x->size, y->size), SPK_UP(x->duration, y->duration),
                  SPK_UP(x->count, y->count), SPK_DOWN(x->n_patterns, y->n_patterns));
}

/* All signatures, each once, in order of size, duration and count. */
static spk_status collect(const page *p, entry **out, uint64_t *n)
{
    const spk_significance *test = &p->signatures;
    uint64_t used = 0, n_all = test->n_signatures + test->n_pvalues;
    spk_status status = spk_alloc(p->context, out, n_all, "the spectrum");
    for (uint64_t k = 0; k < test->n_signatures && status == SPK_OK; k++) {
        const spk_signature *s = &test->signature[k];
        (*out)[used++] = (entry){.size = s->size,
                                 .duration = s->duration,
                                 .count = s->count,
                                 .p = test->published ? s->p_published : s->p,
                                 .n_patterns = s->n_patterns,
                                 .significant = s->significant};
    }
    for (uint64_t k = 0; k < test->n_pvalues && status == SPK_OK; k++) {
        const spk_pvalue *v = &test->pvalue[k];
        (*out)[used++] = (entry){.size = v->size,
                                 .duration = v->duration,
                                 .count = v->count,
                                 .p = test->published ? v->p_published : v->p};
    }
    if (status != SPK_OK)
        return status;
    qsort(*out, (size_t)used, sizeof **out, compare_entries);
    *n = 0;
    for (uint64_t k = 0; k < used; k++) { /* of equal ones the observed one is first */
        const entry *last = *n > 0 ? &(*out)[*n - 1] : NULL;
        if (last == NULL || last->size != (*out)[k].size || last->count != (*out)[k].count ||
            last->duration != (*out)[k].duration)
            (*out)[(*n)++] = (*out)[k];
    }
    return SPK_OK;
}

static void put_size_and_duration(const page *p, const entry *e)
{
    fprintf(p->out, "[%" PRIu32 ",", e->size);
    if (p->signatures.by_duration)
        fprintf(p->out, "%" PRIu32 ",", e->duration);
    else
        fputs("null,", p->out);
}

static void put_spectrum(const page *p, const entry *list, uint64_t n)
{
    const bool whole = page_has_whole_spectrum(&p->signatures);
    bool first = true;
    fputs(",\n\"spectrum\":[", p->out);
    for (uint64_t k = 0; k < n; k++) {
        if (!whole && list[k].n_patterns == 0)
            continue;
        fputs(first ? "" : ",\n", p->out);
        first = false;
        put_size_and_duration(p, &list[k]);
        fprintf(p->out, "%" PRIu32 ",", list[k].count);
        page_put_real(p->out, list[k].p);
        fprintf(p->out, ",%" PRIu64 "]", list[k].n_patterns);
    }
    fputs("]", p->out);
}

/* The smallest count that is significant, for each size and duration; p falls with the count. */
static void put_border(const page *p, const entry *list, uint64_t n)
{
    double most = -1; /* the largest p that is significant */
    bool first = true;
    for (uint64_t k = 0; k < n; k++)
        if (list[k].significant)
            most = fmax(most, list[k].p);
    fputs(",\n\"border\":[", p->out);
    for (uint64_t k = 0; k < n && most >= 0; k++) {
        const bool last = k + 1 == n || list[k + 1].size != list[k].size ||
                          list[k + 1].duration != list[k].duration;
        const bool begins =
            k == 0 || list[k - 1].size != list[k].size || list[k - 1].duration != list[k].duration;
        const bool inside = list[k].p <= most * (1 + 1e-9);
        const bool entered = inside && (begins || list[k - 1].p > most * (1 + 1e-9));
        if (!entered && !(last && !inside))
            continue;
        fputs(first ? "" : ",", p->out);
        first = false;
        put_size_and_duration(p, &list[k]);
        /* Beyond the largest count that is listed no surrogate comes. */
        fprintf(p->out, "%" PRIu64 "]", list[k].count + (uint64_t)(entered ? 0 : 1));
    }
    fputs("]", p->out);
}

static spk_status put_signatures(const page *p)
{
    const spk_significance *test = &p->signatures;
    entry *list = NULL;
    uint64_t n = 0;
    spk_status status = collect(p, &list, &n);
    fputs("{\"method\":\"signature\",\"alpha\":", p->out);
    page_put_real(p->out, test->alpha);
    fprintf(p->out, ",\"surrogates\":%" PRIu64 ",\"name\":", test->n_surrogates);
    page_put_string(p->out, test->method != NULL ? test->method : "surrogates");
    fputs(",\"correction\":", p->out);
    page_put_string(p->out, test->correction != NULL ? test->correction : "none");
    if (status == SPK_OK) {
        put_spectrum(p, list, n);
        put_border(p, list, n);
    }
    spk_free(p->context, list);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

spk_status page_put_test(page *p)
{
    spk_status status = SPK_OK;
    fputs(",\n\"test\":", p->out);
    if (p->options.exact == NULL && p->options.signatures == NULL) {
        fputs("null", p->out);
        return SPK_OK;
    }
    if (p->options.exact != NULL)
        put_exact(p);
    else
        status = put_signatures(p);
    fputs(",\n\"significant\":[", p->out);
    for (uint64_t k = 0; k < p->n_rows; k++)
        fprintf(p->out, "%s%s", k > 0 ? "," : "",
                page_is_significant(p, p->row[k]) ? "true" : "false");
    fputs("]}", p->out);
    return status;
}
