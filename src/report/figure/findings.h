/* What a test says of the results that are drawn, and how the lags of their occurrences are
 * distributed: examples that show bars on one axis. */
#ifndef SPK_REPORT_FIGURE_FINDINGS_H
#define SPK_REPORT_FIGURE_FINDINGS_H

#include "report/figure/examples.h"
#include "report/figure/text.h"
#include "spikemine/report.h"

/* The axis of lags from 0 on that all results of a figure share, cut into bars. */
typedef struct spk_lag_axis {
    double length_s;
    double tick_s;
    uint64_t bar_ticks;
    uint32_t n_bars;
} spk_lag_axis;

enum { SPK_LAG_BARS = 40 }; /* about as many as fit */

/* It ends a little behind the longest lag in seconds, so that the end of a shade there is seen.
 * Bars are `bar_s` wide, at least a tick. */
spk_lag_axis spk_lag_axis_make(double longest_s, double bar_s, spk_rate rate);

/* The bar of a lag in ticks; beyond the axis the last one. */
uint32_t spk_lag_axis_bar(const spk_lag_axis *axis, uint64_t lag_ticks);

/* Gives the example this axis and the bars, n_rows * n_bars of them, which are borrowed. */
void spk_lag_axis_take(const spk_lag_axis *axis, const uint64_t *bars, spk_example *example);

/* "12 times, 0.27 by chance" as heading; as notes p, the test of a direction, and what row `row` of
 * the report may mean. */
void spk_finding_tell(const spk_exact_report *exact, uint64_t row, uint64_t count,
                      spk_example *example);

/* "12 times" as heading, and p of its signature as a note. */
void spk_finding_tell_signature(double p, double p_corrected, uint64_t count, spk_example *example);

/* Adds heading and notes as a line of text. */
spk_status spk_finding_describe(spk_context *context, const spk_example *finding, spk_text *text);

/* The heading of spikes without results: "Spikes of all units; 0 of 3 patterns are significant (p >
 * 0.05)" for a `what` of "pattern"; that none is listed where nothing was tested, or something is
 * significant. */
void spk_nothing_tell(uint64_t n_tested, uint64_t n_significant, double alpha, const char *what,
                      char *text, size_t size);

#endif
