/*
 * Whole sequences from inside: an axis of cells, pairs that begin, units that join, the template
 * and its filter, rounds of growth.
 *
 * A cell is 1/32 of the distance that surrogates move spikes by, and all lengths are in cells. The
 * segments of a recording lie one behind the other on one axis, with gaps that nothing reaches
 * across. So only the axis knows of ticks and segments.
 */
#pragma once

#include "base/random.h"
#include "base/stage.h"
#include "spikemine/sequence.h"

/* As in base/random.c: the same bits on machines with and without fused multiply-add. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

enum {
    SEQUENCE_CELLS = 32,   /* of the distance that surrogates move spikes by */
    SEQUENCE_N_WIDTHS = 3, /* windows of 2, 4 and 8 cells on both sides of a lag */
    SEQUENCE_LEAST = 3     /* members, and moments with a spike */
};

static inline int spk_sequence_width(int k)
{
    return 2 << k;
}

/* log of x > 0, finite and normal, within some 1e-6; +, -, * and / alone, so that loops over it
 * become vectors. Of 0 it is finite, too. */
static inline float spk_sequence_log(float x)
{
    union {
        float value;
        uint32_t bits;
    } m = {x};
    const int32_t exponent = (int32_t)(m.bits - 0x3f2aaaabU) >> 23; /* m becomes 2/3 .. 4/3 */
    m.bits -= (uint32_t)exponent << 23;
    const float s = (m.value - 1) / (m.value + 1), z = s * s;
    const float series = 1 + z * (1 / 3.0F + z * (1 / 5.0F + z * (1 / 7.0F + z * (1 / 9.0F))));
    return (float)exponent * 0.693147181F + 2 * s * series;
}

/* ---- the axis -------------------------------------------------------------------------------- */

/* A segment of the recording. */
typedef struct sequence_stretch {
    int64_t start; /* ticks */
    int64_t stop;
    double cell; /* where it begins on the axis */
} sequence_stretch;

/* The spikes of a recording: unit by unit, ascending, and all of them by position. */
typedef struct sequence_axis {
    double step;  /* ticks of a cell */
    double reach; /* largest lag between two members */
    double gap;   /* between two segments */
    uint64_t n_cells;
    double observed; /* cells that lie in segments */
    size_t n_stretches;
    sequence_stretch *stretch;
    uint32_t n_units;
    uint64_t n;      /* spikes */
    uint64_t *first; /* by unit, n_units + 1 */
    double *at;
    uint32_t *event;   /* its number in the recording */
    double *rate;      /* spikes a cell of its unit nearby, without this one */
    double *mean_rate; /* by unit */
    double *ordered;   /* position of all spikes, ascending */
    uint32_t *ordered_unit;
} sequence_axis;

/* `out` begins zeroed; free it after a failure, too. */
spk_status spk_sequence_axis_create(spk_context *context, const spk_recording *recording,
                                    double reach_ticks, double step, sequence_axis *out);
void spk_sequence_axis_free(sequence_axis *axis);

/* The first spike of the unit that does not lie before `at`. */
uint64_t spk_sequence_first_spike(const sequence_axis *axis, uint32_t unit, double at);

/* The tick at this position, within its segment. */
int64_t spk_sequence_tick(const sequence_axis *axis, double at);

/* The position `by` further on, in a circle over its segment. */
double spk_sequence_move(const sequence_axis *axis, double at, double by);

/* ---- seeds (seeds.c) ------------------------------------------------------------------------- */

/* A peak of the cross-correlogram of two units. */
typedef struct sequence_seed {
    uint32_t unit[2];
    double lag; /* of the second one behind the first one */
    int width;  /* on both sides of it */
    double score;
} sequence_seed;

/* The best ones of all pairs, at most `most`, from the best one down; *touched rises. */
spk_status spk_sequence_seeds(spk_context *context, const sequence_axis *axis, uint64_t most,
                              sequence_seed **out, uint64_t *n, uint64_t *touched);

/* From the best one down; a total order. */
int spk_sequence_compare_seeds(const void *a, const void *b);

/* ---- moments --------------------------------------------------------------------------------- */

/* Moments at which a sequence may have occurred, ascending: positions of its lag 0. Begins zeroed.
 */
typedef struct sequence_moments {
    double *at;
    float *score; /* of the filter; 0 for coincidences of a pair */
    uint64_t n, capacity;
} sequence_moments;

spk_status spk_sequence_moments_add(spk_context *context, sequence_moments *moments, double at,
                                    float score);
spk_status spk_sequence_moments_copy(spk_context *context, const sequence_moments *from,
                                     sequence_moments *to);
void spk_sequence_moments_free(sequence_moments *moments);

/* ---- links (link.c) -------------------------------------------------------------------------- */

/* How a unit gathers at one lag from moments. */
typedef struct sequence_link {
    double score; /* n times the divergence of with / n from `chance`: a bound of -log of the tail
                     of the binomial distribution; 0: nowhere */
    double lag;
    int width;
    uint64_t with; /* moments with a spike within the width of the lag */
    uint64_t n;    /* moments */
    double chance; /* that a moment has one, from the unit's spikes nearby */
} sequence_link;

/* A block of lags: moments with a spike at the lag before it, and those whose spikes begin within
 * it. No lag of the block has more moments with a spike than both together. */
typedef struct sequence_block {
    int32_t before;
    int32_t begun;
} sequence_block;

/* Room for scans; begins zeroed. */
typedef struct sequence_scan {
    uint64_t touched; /* spikes and lags, so far */
    uint64_t capacity;
    int32_t *cover;
    uint32_t *spikes;
    sequence_block *block;
    uint64_t n_covered;
    int64_t *covered; /* by unit */
} sequence_scan;

void spk_sequence_scan_free(sequence_scan *scan);

/* Lags and widths among which the best one is looked for. */
typedef struct sequence_range {
    double low;
    double high;
    int first_width; /* numbers of widths, the last one is in */
    int last_width;
} sequence_range;

spk_status spk_sequence_link_find(spk_context *context, const sequence_axis *axis,
                                  const sequence_moments *moments, uint32_t unit,
                                  sequence_range range, sequence_scan *scan, sequence_link *out);

/* What all units but two have above `least`, summed: of moments that ascend, with the first width
 * of the range alone. */
spk_status spk_sequence_links_sum(spk_context *context, const sequence_axis *axis,
                                  const sequence_moments *moments, const uint32_t but[2],
                                  sequence_range range, double least, sequence_scan *scan,
                                  double *out);

/* ---- templates (template.c) ------------------------------------------------------------------ */

typedef struct sequence_member {
    uint32_t unit;
    double lag;    /* mean, from the moment */
    double spread; /* standard deviation */
    double share;  /* of the occurrences in which it fires */
    double score;  /* of its link */
} sequence_member;

/* A member as its link has it. */
sequence_member spk_sequence_member_of(const sequence_link *link, uint32_t unit);

/* Fits lag, spread and share of each member to its spikes about the moments. Spreads are drawn to
 * the mean of them. */
void spk_sequence_fit(const sequence_axis *axis, const sequence_moments *moments,
                      sequence_member *member, uint32_t n);

/* In order of lag, then of unit. */
void spk_sequence_sort_members(sequence_member *member, uint32_t n);

/* ---- the filter (filter.c) ------------------------------------------------------------------- */

/* Cells from `start` up to, and without, `stop`. */
typedef struct sequence_span {
    uint64_t start;
    uint64_t stop;
} sequence_span;

/* Begins zeroed. Sums and parts are there in spans alone: no occurrence lies outside. */
typedef struct sequence_filter {
    uint64_t touched; /* cells, so far */
    float *sum;       /* by cell: the log likelihood ratio of an occurrence with its lag 0 there */
    float *part;      /* of one member */
    double *bound;    /* by block of cells */
    double *reached;  /* by block: of one member */
    sequence_span *span;
    uint64_t n_spans;
} sequence_filter;

spk_status spk_sequence_filter_create(spk_context *context, const sequence_axis *axis,
                                      sequence_filter *out);
void spk_sequence_filter_free(sequence_filter *filter);

/* From now on parts are those of all cells. */
void spk_sequence_filter_widen(const sequence_axis *axis, sequence_filter *filter);

/* What a member says at each cell, into filter->part. */
void spk_sequence_filter_part(const sequence_axis *axis, const sequence_member *member,
                              sequence_filter *filter);

/* The sum over all members, where it may be that of an occurrence with them or all but one. */
void spk_sequence_filter_run(const sequence_axis *axis, const sequence_member *member, uint32_t n,
                             sequence_filter *filter);

/* The occurrences: peaks of the sum that are `apart`, as many as leave the expected number of false
 * ones at half of them. `without`: a member whose part is left out; NULL: none. */
spk_status spk_sequence_filter_peaks(spk_context *context, const sequence_axis *axis,
                                     sequence_filter *filter, const sequence_member *without,
                                     double apart, sequence_moments *out);

/* ---- growth (grow.c) ------------------------------------------------------------------------- */

/* A sequence in the making. */
typedef struct sequence_candidate {
    uint32_t n;
    sequence_member *member; /* room for all units */
    sequence_moments moments;
    double statistic; /* sum over members of score - what is needed to join */
} sequence_candidate;

spk_status spk_sequence_candidate_create(spk_context *context, const sequence_axis *axis,
                                         sequence_candidate *out);
spk_status spk_sequence_candidate_copy(spk_context *context, const sequence_candidate *from,
                                       sequence_candidate *to);
void spk_sequence_candidate_free(sequence_candidate *candidate);

/* What a search works with; begins zeroed. */
typedef struct sequence_work {
    const sequence_axis *axis;
    sequence_filter filter;
    sequence_scan scan;
    sequence_moments without; /* occurrences that were found without a member */
    sequence_member *joined;  /* room for all units */
    sequence_candidate now;
} sequence_work;

spk_status spk_sequence_work_create(spk_context *context, const sequence_axis *axis,
                                    sequence_work *out);
void spk_sequence_work_free(sequence_work *work);

/* What was done so far: cells, spikes and lags that were touched, in nanoseconds that they cost on
 * one processor of our days. The same on every machine. */
uint64_t spk_sequence_work_ns(const sequence_work *work);

/* Lags at which a unit can join these members without passing the largest lag. */
sequence_range spk_sequence_range_of(const sequence_axis *axis, const sequence_member *member,
                                     uint32_t n);

/* How far occurrences of these members are apart at least. */
double spk_sequence_apart(const sequence_member *member, uint32_t n);

/* The member of this unit; NULL where it is none. */
const sequence_member *spk_sequence_member_find(const sequence_member *member, uint32_t n,
                                                uint32_t unit);

/* Begins work->now with the moments that are in it: units join by their links within the range. The
 * first `n_given` entries of work->joined are members already. */
spk_status spk_sequence_begin(spk_context *context, sequence_work *work, sequence_range range,
                              uint32_t n_given);

/* Rounds of occurrences and members, while the statistic grows; what is better than *best replaces
 * it. */
spk_status spk_sequence_grow(spk_context *context, sequence_work *work, sequence_candidate *best);

/* ---- the search ------------------------------------------------------------------------------ */

/* Grows each half of the occurrences of *best, where two sequences with members in common were
 * taken for one (split.c). */
spk_status spk_sequence_split(spk_context *context, sequence_work *work, sequence_candidate *best);

/* Which members fire in which occurrences (in order of time). */
typedef struct sequence_presence {
    uint64_t n;       /* occurrences */
    uint32_t width;   /* members, in order of lag */
    uint32_t *before; /* by occurrence, width + 1 each: how many of the first ones fire */
} sequence_presence;

static inline bool spk_sequence_is_there(const sequence_presence *p, uint64_t k, uint32_t m)
{
    const uint32_t *before = p->before + k * (p->width + 1ULL) + m;
    return before[1] > before[0];
}

/* Marks the occurrences that are those of a part of the sequence alone (part.c); false where there
 * is no such part, and nothing is marked. */
bool spk_sequence_find_part(const sequence_presence *p, uint8_t *is_part);

/* The best sequence (search.c); without members where there is none. `best` begins zeroed. */
spk_status spk_sequence_search(spk_context *context, sequence_work *work, sequence_candidate *best);

/* What the search of a surrogate takes, by its number of spikes, lags and cells, not by a clock:
 * the same on every machine (find.c). */
spk_status spk_sequences_count_work(spk_context *context, const spk_recording *recording,
                                    const spk_sequence_options *options, uint64_t *nanoseconds);

/* As spk_sequences_find, in a hurry: where p of a round is above alpha whatever its other
 * surrogates give, they are not made (summary->is_least), and where the context is cancelled *out
 * has what complete rounds found, or is NULL where they found nothing. `summary` has the round that
 * it is at. */
spk_status spk_sequences_find_in_time(spk_context *context, const spk_recording *recording,
                                      const spk_sequence_options *options, spk_sequences **out,
                                      spk_sequence_summary *summary);

/* ---- what is told of a sequence -------------------------------------------------------------- */

/* What is known of a member (judge.c). */
typedef struct sequence_verdict {
    double p; /* family-wise */
    double q;
    double split_p;
} sequence_verdict;

/* Judges all units by occurrences that were found without them. Those with a p or a q that the
 * options allow become the candidate's members, and the best two in any case. `verdict` has room
 * for all units. */
spk_status spk_sequence_judge(spk_context *context, sequence_work *work,
                              const spk_sequence_options *options, uint64_t seed,
                              sequence_candidate *candidate, sequence_verdict *verdict);

/* How far what moves by chance moves, in cells: to either side, over what chance is taken from. */
double spk_sequence_distance(spk_random *random);

/* p of each occurrence, by the template's members moved apart (judge.c). */
spk_status spk_sequence_rank(spk_context *context, sequence_work *work,
                             const sequence_candidate *candidate, uint64_t seed, double *p);

/* The result in the making: its columns are those of spk_sequence_columns (columns.c). */
struct spk_sequences {
    uint32_t n;
    uint64_t capacity; /* sequences */
    double *p;
    double *statistic;
    uint64_t *member_first;
    uint64_t *occurrence_first;
    uint64_t *spike_first;
    uint64_t n_members, member_capacity;
    uint32_t *unit;
    double *lag_ticks;
    double *spread_ticks;
    double *share;
    double *score;
    double *member_p;
    double *member_q;
    double *split_p;
    uint64_t n_occurrences, occurrence_capacity;
    int64_t *time;
    double *occurrence_score;
    double *occurrence_p;
    uint32_t *missing;
    uint64_t n_spikes, spike_capacity;
    uint32_t *spike;
    spk_holding holding;
};

/* An empty result; free it after a failure, too. */
spk_status spk_sequences_create(spk_context *context, spk_sequences **out);

/* Ticks become those of a recording with a tick 0 at `first` and `step` times as many of them. */
void spk_sequences_rescale(spk_sequences *sequences, int64_t first, double step);

/* Counts its memory from now on; outside of stages. */
void spk_sequences_hold(spk_context *context, spk_sequences *sequences);

/* Judges the members, finds the occurrences of those that stay, and appends all of it. gone[e]
 * becomes 1 for the events of its occurrences. */
spk_status spk_sequences_add(spk_context *context, sequence_work *work,
                             const spk_sequence_options *options, uint64_t seed, double p,
                             sequence_candidate *candidate, spk_sequences *out, uint8_t *gone);

/* ---- rates that change together -------------------------------------------------------------- */

/* *p: the chance that independent units change together as much, in windows of four times `reach`
 * (ticks) and more; at least 0.01, and 1 where the recording is too short to tell. */
spk_status spk_sequence_rates_together(spk_context *context, const spk_recording *recording,
                                       double reach, uint64_t seed, double *p);

/* Said behind the p of the last round's best sequence, which is not listed; "" where its p is
 * reason enough. */
static inline const char *spk_sequence_loss(const spk_sequence_summary *summary, double alpha)
{
    return summary->last_p <= alpha ? ", but judging its members leaves no occurrence" : "";
}

/* Whether that is told. */
static inline bool spk_sequence_rates_change(const spk_sequence_summary *summary)
{
    const double level = 0.01;
    return summary->together_p <= level;
}

/* ---- near copies ----------------------------------------------------------------------------- */

/* A sequence that has most units and most occurrences in common with a better one is told with it:
 *
 *     10 -> 12 -> 5 -> 2 -> 17        10 times
 *           12 -> 5 -> 2 -> 17 -> 25  11 times, 10 of them while the first one occurs
 */
typedef struct sequence_copy {
    uint32_t of;            /* the better one; its own number: it is no copy */
    uint64_t n_units;       /* of its units, those that the better one has, too */
    uint64_t n_occurrences; /* of its occurrences, those that begin or end while that occurs */
} sequence_copy;

/* Of sequence i; what it is a copy of is none itself. */
sequence_copy sequence_find_copy(const spk_sequence_columns *columns, uint32_t i);

/* How many of n units sequence `of` has, and whether it occurs while something does that begins at
 * `first` and lasts so many ticks. */
uint64_t sequence_count_units(const spk_sequence_columns *columns, uint32_t of, uint64_t n,
                              const uint32_t *unit);
bool sequence_occurs(const spk_sequence_columns *columns, uint32_t of, int64_t first, double lasts);
