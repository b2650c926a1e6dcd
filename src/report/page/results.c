/* What a test says of a result, and results in the units of a report. */
#include <math.h>

#include "report/page/page.h"
#include "spikemine/exact.h"

const spk_signature *page_signature(const page *p, uint64_t i)
{
    const spk_significance *test = &p->signatures;
    if (p->options.signatures == NULL)
        return NULL;
    uint32_t last = p->patterns->item[p->patterns->offset[i + 1] - 1] % p->patterns->window;
    return spk_signature_find(test->signature, test->n_signatures, page_size(p, i),
                              p->patterns->count[i], test->by_duration ? last : 0);
}

bool page_is_significant(const page *p, uint64_t i)
{
    if (p->options.exact != NULL)
        return p->exact.verdict[i].p <= p->exact.alpha;
    const spk_signature *signature = page_signature(p, i);
    return signature != NULL && signature->significant &&
           (p->signatures.kept == NULL || p->signatures.kept[i] != 0);
}

double page_ticks_at(spk_rate rate, spk_duration duration)
{
    double ticks = (double)duration.digits * (double)rate.numerator / (double)rate.denominator;
    if (duration.exponent == SPK_DURATION_INFINITE)
        return INFINITY;
    if (duration.divisor > 1)
        ticks /= duration.divisor;
    for (int32_t e = duration.exponent; e < 0; e++)
        ticks /= 10;
    for (int32_t e = duration.exponent; e > 0; e--)
        ticks *= 10;
    return ticks;
}

bool page_has_whole_spectrum(const spk_significance *test)
{
    enum { MOST = 20000 };
    return test->n_signatures + test->n_pvalues <= MOST;
}

void spk_page_largest_scores(const spk_maxima *maxima, double *out)
{
    const spk_exact_columns columns = spk_exact_columns_of(maxima);
    for (uint64_t k = 0; k < columns.n * columns.n_scales; k++)
        out[k] = 0;
    for (uint64_t i = 0; i < columns.n; i++)
        for (uint64_t k = columns.first[i]; k < columns.first[i + 1]; k++) {
            double *largest = &out[i * columns.n_scales + columns.step[k].scale];
            *largest = fmax(*largest, columns.step[k].score / 1000.0);
        }
}
