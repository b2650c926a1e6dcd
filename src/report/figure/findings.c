/* What a test says of the results that are drawn, and the axis of their lags. */
#include "base/decimal.h"
#include "report/figure/panels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- lags ------------------------------------------------------------------------------------ */

/* At least a tick, rounded up. */
static double ticks_of(double seconds, double tick_s)
{
    const double rounding = 1e-12;
    return fmin(fmax(1, ceil(seconds / tick_s * (1 - rounding))), 9e18);
}

spk_lag_axis spk_lag_axis_make(double longest_s, double bar_s, spk_rate rate)
{
    const double beyond = 1.05;
    const double tick_s = (double)rate.denominator / (double)rate.numerator;
    const double length = ticks_of(longest_s, tick_s), bar = ticks_of(bar_s, tick_s);
    return (spk_lag_axis){.length_s = beyond * fmax(longest_s, tick_s),
                          .tick_s = tick_s,
                          .bar_ticks = (uint64_t)bar,
                          .n_bars = (uint32_t)ceil(length / bar)};
}

uint32_t spk_lag_axis_bar(const spk_lag_axis *axis, uint64_t lag_ticks)
{
    const uint64_t bar = lag_ticks / axis->bar_ticks;
    return bar < axis->n_bars ? (uint32_t)bar : axis->n_bars - 1;
}

void spk_lag_axis_take(const spk_lag_axis *axis, const uint64_t *bars, spk_example *example)
{
    example->from = 0;
    example->length = axis->length_s;
    example->bars = bars;
    example->n_bars = axis->n_bars;
    example->bar_s = (double)axis->bar_ticks * axis->tick_s;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Two or three digits of a number from 0 on, without zeros at their end; 3e-07 where it is small.
 */
static const char *number_text(double value, char *buffer)
{
    if (value > 0 && value < 1e-4) {
        snprintf(buffer, SPK_TEXT_FIXED_SIZE, "%.0e", value);
        return buffer;
    }
    spk_text_fixed(value, value >= 100 ? 0 : spk_text_decimals(value), buffer);
    size_t n = strlen(buffer);
    if (strchr(buffer, '.') != NULL) {
        while (buffer[n - 1] == '0')
            n--;
        buffer[n - (buffer[n - 1] == '.')] = '\0';
    }
    return buffer;
}

static void tell_count(uint64_t count, const char *chance, spk_example *example)
{
    char number[32];
    snprintf(example->heading, sizeof example->heading, "%s time%s%s",
             spk_group_digits(count, number), count == 1 ? "" : "s", chance);
}

/* "may mean rhythm, synchrony" */
static void put_meaning(uint32_t means, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "may mean ");
    for (const char *word = spk_exact_means_text(means); *word != '\0' && n + 2 < size; word++) {
        text[n++] = *word;
        if (*word == ',')
            text[n++] = ' ';
    }
    text[n] = '\0';
}

/* "p 0.01, FDR 0.02"; of several windows "p 0.01 (25ms), FDR 0.02". */
static void put_p(const spk_exact_report *exact, const spk_exact_verdict *v, char *text,
                  size_t size)
{
    char p[SPK_TEXT_FIXED_SIZE], fdr[SPK_TEXT_FIXED_SIZE], window[48] = "", where[48] = "";
    if (exact->n_jitter > 1) {
        spk_duration_format(exact->jitter[v->scale], window, sizeof window);
        snprintf(where, sizeof where, " (%.40s)", window);
    }
    snprintf(text, size, "p %.12s%.43s, FDR %.12s", number_text(v->p, p), where,
             number_text(v->fdr, fdr));
}

void spk_finding_tell(const spk_exact_report *exact, uint64_t row, uint64_t count,
                      spk_example *example)
{
    const spk_exact_verdict *v = &exact->verdict[row];
    char number[SPK_TEXT_FIXED_SIZE], chance[64] = "";
    uint32_t n = 0;
    if (v->tested)
        snprintf(chance, sizeof chance, ", %.24s by chance",
                 v->expected < 0.001 ? "< 0.001" : number_text(v->expected, number));
    tell_count(count, chance, example);
    if (!v->tested) {
        snprintf(example->note[0], sizeof example->note[0], "not tested");
        return;
    }
    put_p(exact, v, example->note[n], sizeof example->note[n]);
    n++;
    if (exact->direction_p != NULL)
        snprintf(example->note[n++], sizeof example->note[0], "direction p %.12s",
                 number_text(exact->direction_p[row], number));
    if (exact->means != NULL && exact->means[row] != 0)
        put_meaning(exact->means[row], example->note[n], sizeof example->note[n]);
}

void spk_finding_tell_signature(double p, double p_corrected, uint64_t count, spk_example *example)
{
    char number[SPK_TEXT_FIXED_SIZE], second[SPK_TEXT_FIXED_SIZE];
    tell_count(count, "", example);
    snprintf(example->note[0], sizeof example->note[0], "p %.12s, corrected %.12s",
             number_text(p, number), number_text(p_corrected, second));
}

void spk_nothing_tell(uint64_t n_tested, uint64_t n_significant, double alpha, const char *what,
                      char *text, size_t size)
{
    char number[32];
    if (n_tested > 0 && n_significant == 0)
        snprintf(text, size, "Spikes of all units; 0 of %s %s%s significant (p > %g)",
                 spk_group_digits(n_tested, number), what, n_tested == 1 ? " is" : "s are", alpha);
    else
        snprintf(text, size, "Spikes of all units; no %s is listed", what);
}

spk_status spk_finding_describe(spk_context *context, const spk_example *finding, spk_text *text)
{
    spk_status status = spk_text_add(context, text, "   %s", finding->heading);
    for (uint32_t k = 0; k < SPK_EXAMPLE_NOTES && finding->note[k][0] != '\0'; k++)
        if (status == SPK_OK)
            status = spk_text_add(context, text, "; %s", finding->note[k]);
    return status == SPK_OK ? spk_text_add(context, text, "\n") : status;
}
