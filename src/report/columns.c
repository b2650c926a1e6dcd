/* The columns of results. */
#include "report/columns.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/options.h"
#include "spikemine/report.h"
#include "spikemine/report_tests.h"

/* ---- values that no array has as they are written ---------------------------------------------
 */

static void get_signature_p(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    out->kind = REPORT_REAL;
    out->real = r->tests->signatures->published ? r->signature->p_published : r->signature->p;
}

static void get_p_corrected(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    out->kind = r->signature->tested ? REPORT_REAL : REPORT_NOTHING;
    out->real = r->signature->p_corrected;
}

static void get_significant(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    out->kind = REPORT_VERDICT;
    out->integer = r->signature->significant;
}

static void get_more_in(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    const double difference = r->tests->comparison->verdict[r->row].difference_hz;
    out->kind = difference == 0 ? REPORT_NOTHING : REPORT_WORD;
    snprintf(out->word, sizeof out->word, "%s", difference < 0 ? "a" : "b");
}

static void get_sequence(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    out->kind = REPORT_INTEGER;
    out->integer = r->row + 1;
}

static void get_n_members(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    const uint64_t *first = r->tests->sequences->member_first + r->row;
    out->kind = REPORT_INTEGER;
    out->integer = first[1] - first[0];
}

static void get_n_occurrences(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    const uint64_t *first = r->tests->sequences->occurrence_first + r->row;
    out->kind = REPORT_INTEGER;
    out->integer = first[1] - first[0];
}

static void get_members(const report_row *r, size_t k, report_cell *out)
{
    get_n_members(r, k, out);
    out->kind = REPORT_UNITS;
    out->n_units = (uint32_t)out->integer;
    out->unit = r->tests->sequences->unit + r->tests->sequences->member_first[r->row];
}

static void get_lag(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    out->kind = REPORT_REAL;
    out->real = r->tests->sequences->lag_ticks[r->row] / r->tests->rate_hz;
}

static void get_spread(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    out->kind = REPORT_REAL;
    out->real = r->tests->sequences->spread_ticks[r->row] / r->tests->rate_hz;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Where values are: a test; an array of it that may be missing; a field of what it has for each
 * row. */
#define IN(test_name, member_name) .facts.test = test_name, .facts.member = member_name
#define TEST(name)                 .facts.test = #name, .source = {.test = offsetof(report_tests, name)}
#define ARRAY(name, type, array)                                                                   \
    IN(#name, #array), .source = {offsetof(report_tests, name), offsetof(type, array),             \
                                  sizeof *((type *)0)->array, 0, true}
#define FIELD(name, type, array, row, field)                                                       \
    IN(#name, #array "." #field), .source = {offsetof(report_tests, name), offsetof(type, array),  \
                                             sizeof(row), offsetof(row, field), false}
#define NUMBERS(name, type, array)                                                                 \
    IN(#name, #array), .source = {offsetof(report_tests, name), offsetof(type, array), 0, 0, true}
#define SIGNATURES(array) ARRAY(signatures, spk_significance, array)
#define EXACT(array)      ARRAY(exact, spk_exact_report, array)
#define VERDICT(field)    FIELD(exact, spk_exact_report, verdict, spk_exact_verdict, field)
#define COMPARED(field)   FIELD(comparison, spk_compare_report, verdict, spk_compare_verdict, field)
#define FAMILY(field)     FIELD(families, spk_family_columns, family, spk_family, field)
#define WHOLE_FAMILY                                                                               \
    IN("families", "family"),                                                                      \
        .source = {offsetof(report_tests, families), offsetof(spk_family_columns, family),         \
                   sizeof(spk_family), 0, false}
#define SEQUENCES(array)                                                                           \
    IN("sequences", #array),                                                                       \
        .source = {offsetof(report_tests, sequences), offsetof(spk_sequence_columns, array),       \
                   sizeof *((spk_sequence_columns *)0)->array, 0, false}

static const report_column COLUMNS[] = {
    {{"p", NULL, "p",
      "(1 + surrogates that reach it) / (1 + surrogates); of the published rule the share "
      "that reach it",
      SPK_COLUMN_OWN_REAL},
     TEST(signatures),
     .get = get_signature_p},
    {{"p_corrected", NULL, "corrected p", "p, corrected for all signatures tested",
      SPK_COLUMN_OWN_REAL},
     TEST(signatures),
     .get = get_p_corrected},
    {{"significant", NULL, NULL, "whether the signature is significant", SPK_COLUMN_OWN_TEXT},
     TEST(signatures),
     .get = get_significant},
    {{"kept", NULL, "kept", "whether the reduction of the set keeps it", SPK_COLUMN_YES_NO},
     SIGNATURES(kept)},
    {{"stability_intensional", NULL, "intensional",
      "share of the sets of its windows that have no more in common", SPK_COLUMN_REAL},
     SIGNATURES(intensional)},
    {{"stability_extensional", NULL, "extensional",
      "share of the sets of its spikes that occur in no other window", SPK_COLUMN_REAL},
     SIGNATURES(extensional)},
    {{"expected", NULL, "expected",
      "mean count under the null hypothesis; for episodes an approximation", SPK_COLUMN_ROUNDED},
     VERDICT(expected)},
    {{"score", NULL, "score",
      "how rare it is: 2 stands for one result of as many spikes and units in 100 surrogates",
      SPK_COLUMN_MILLI},
     VERDICT(score)},
    {{"p", NULL, "p",
      "chance that the best result of a whole surrogate has this score; corrected for several "
      "--jitter",
      SPK_COLUMN_REAL},
     VERDICT(p)},
    {{"e_value", NULL, "E",
      "mean number of results by chance with this score; 1 / (surrogates + 1) at least",
      SPK_COLUMN_REAL},
     VERDICT(e_value)},
    {{"fdr", NULL, "FDR", "false discovery rate at this score, 1 / (surrogates + 1) at least",
      SPK_COLUMN_REAL},
     VERDICT(fdr)},
    {{"jitter", NULL, "jitter", "of several windows of jitter the one with the smallest p",
      SPK_COLUMN_WINDOW},
     VERDICT(scale),
     .windows = REPORT_WITH_WINDOWS},
    {{"p_%s", NULL, "p_%s",
      "p where chance moves spikes within %s, not corrected for the number of windows",
      SPK_COLUMN_REAL},
     EXACT(scale_p),
     .windows = REPORT_EACH_WINDOW},
    {{"explained_by", "explained_without", "explained by", "the part that explains it",
      SPK_COLUMN_PART, .name = "left_out"},
     EXACT(left_out)},
    {{"meaning", NULL, "may mean",
      "what it may be beside a sequence: rhythm, synchrony or twin, perhaps several",
      SPK_COLUMN_MEANING},
     EXACT(means),
     .more =
         "rhythm: a unit stands in it twice, and its own rhythm or burst may be all; synchrony: "
         "both directions are significant, or all spikes lie in one bin; twin: units less than "
         "1 ms apart, perhaps one spike sorted twice"},
    {{"direction_p", NULL, "direction p",
      "chance that as many occurrences go forward if the link is the same in both directions",
      SPK_COLUMN_ROUNDED, .of_episodes = true},
     EXACT(direction_p),
     .more = "of the step whose direction is least sure"},
    {{"back", NULL, "back", "how often the step goes the other way, with the same interval",
      SPK_COLUMN_U64, .of_episodes = true},
     EXACT(back),
     .more = "of given episodes; of the step whose direction is least sure"},
    {{"back_p", NULL, "back p",
      "chance that as many occurrences go back if the link is the same in both directions",
      SPK_COLUMN_ROUNDED, .of_episodes = true},
     EXACT(back_p),
     .more = "of given episodes"},
    {{"asymmetry", NULL, "asymmetry",
      "forward: more occurrences go this way; backward: the other way; neither: no difference",
      SPK_COLUMN_SIDE, .of_episodes = true},
     EXACT(asymmetry),
     .more = "of given episodes; by direction_p and back_p at --alpha"},
    {{"round", NULL, "round", "the round of peeling that accepted it", SPK_COLUMN_U32},
     EXACT(round)},
    {{"count_a", NULL, NULL, "occurrences in the trials of condition a", SPK_COLUMN_U64},
     COMPARED(count[0])},
    {{"count_b", NULL, NULL, "occurrences in the trials of condition b", SPK_COLUMN_U64},
     COMPARED(count[1])},
    {{"rate_a_hz", NULL, NULL, "count_a by the time of these trials, in occurrences a second",
      SPK_COLUMN_ROUNDED},
     COMPARED(rate_hz[0])},
    {{"rate_b_hz", NULL, NULL, "count_b by the time of these trials, in occurrences a second",
      SPK_COLUMN_ROUNDED},
     COMPARED(rate_hz[1])},
    {{"difference_hz", NULL, NULL, "rate_b_hz − rate_a_hz", SPK_COLUMN_ROUNDED},
     COMPARED(difference_hz)},
    {{"lower_hz", NULL, NULL,
      "lower end of the interval of the difference, for all results together; -inf: none",
      SPK_COLUMN_ROUNDED},
     COMPARED(lower_hz)},
    {{"upper_hz", NULL, NULL,
      "upper end of the interval of the difference, for all results together; inf: none",
      SPK_COLUMN_ROUNDED},
     COMPARED(upper_hz)},
    {{"more_in", NULL, NULL, "a or b, the condition with the higher rate", SPK_COLUMN_OWN_TEXT},
     TEST(comparison),
     .get = get_more_in},
    {{"z", NULL, NULL,
      "the difference by its standard deviation over all ways to deal out the conditions",
      SPK_COLUMN_ROUNDED},
     COMPARED(z)},
    {{"p", NULL, NULL,
      "share of these ways in which any result has as large a z, whatever its sign",
      SPK_COLUMN_REAL},
     COMPARED(p)},
    {{"members", NULL, "members", "number of results in the family", SPK_COLUMN_U64},
     FAMILY(n_members)},
    {{"family_occurrences", NULL, "together",
      "stretches of time in which a quarter of the family's cores occur at once", SPK_COLUMN_U64},
     FAMILY(n_occurrences)},
    {{"family_units", NULL, "family",
      "units that a twentieth of the family's cores have, in the order in which they fire",
      SPK_COLUMN_UNITS},
     WHOLE_FAMILY},
    {{"lags_s", NULL, "lags (s)", "median lag of each step, in seconds", SPK_COLUMN_REALS,
      .of_episodes = true},
     NUMBERS(exact, spk_exact_report, lags),
     .more = "over the occurrences that were counted"},
};

static const report_column OF_SEQUENCES[] = {
    {{"sequence", NULL, "sequence", "its number, from 1, in the order in which they were found",
      SPK_COLUMN_OWN_INTEGER},
     TEST(sequences),
     .get = get_sequence},
    {{"p", NULL, "p", "chance that the best sequence of a whole surrogate has as large a statistic",
      SPK_COLUMN_REAL},
     SEQUENCES(p)},
    {{"members", NULL, "members", "units of the sequence", SPK_COLUMN_OWN_INTEGER},
     TEST(sequences),
     .get = get_n_members},
    {{"occurrences", NULL, "occurrences", "how often it was found, with spikes missing or not",
      SPK_COLUMN_OWN_INTEGER},
     TEST(sequences),
     .get = get_n_occurrences},
    {{"statistic", NULL, "statistic", "sum of the members' scores above what is needed to join",
      SPK_COLUMN_REAL},
     SEQUENCES(statistic)},
    {{"units", NULL, "units", "the members, in order of lags", SPK_COLUMN_OWN_TEXT},
     TEST(sequences),
     .get = get_members},
};

static const report_column OF_MEMBERS[] = {
    {{"unit", NULL, "unit", "the member, in order of lags", SPK_COLUMN_UNIT}, SEQUENCES(unit)},
    {{"lag_s", NULL, "lag (s)", "median of its spikes behind the first member",
      SPK_COLUMN_OWN_REAL},
     TEST(sequences),
     .get = get_lag},
    {{"spread_s", NULL, "spread (s)", "standard deviation of its spikes about the lag",
      SPK_COLUMN_OWN_REAL},
     TEST(sequences),
     .get = get_spread},
    {{"share", NULL, "share", "of the occurrences in which it fires, less what chance gives",
      SPK_COLUMN_REAL},
     SEQUENCES(share)},
    {{"score", NULL, "score",
      "how it gathers about occurrences that were found without it, in nats", SPK_COLUMN_REAL},
     SEQUENCES(score)},
    {{"member_p", NULL, "p",
      "chance of such a score for any unit and lag, by occurrences that were moved",
      SPK_COLUMN_REAL},
     SEQUENCES(member_p)},
    {{"member_q", NULL, "q", "false discovery rate among all units", SPK_COLUMN_REAL},
     SEQUENCES(member_q)},
    {{"split_p", NULL, "split p",
      "one half of the occurrences tests the lag that the other half chose", SPK_COLUMN_REAL},
     SEQUENCES(split_p)},
};

static const report_column OF_MOMENTS[] = {
    {{"time_s", NULL, "time (s)", "time of the first member, whether it fires or not",
      SPK_COLUMN_TICK},
     SEQUENCES(time)},
    {{"score", NULL, "score", "log likelihood ratio, in nats", SPK_COLUMN_REAL},
     SEQUENCES(occurrence_score)},
    {{"p", NULL, "p",
      "chance of such a score anywhere in the recording, by members that were moved apart",
      SPK_COLUMN_REAL},
     SEQUENCES(occurrence_p)},
    {{"missing", NULL, "missing", "members without a spike", SPK_COLUMN_U32}, SEQUENCES(missing)},
};

/* ---- views of it ----------------------------------------------------------------------------- */

static const void *pointer_at(const void *bytes, size_t offset)
{
    const void *pointer;
    memcpy(&pointer, (const char *)bytes + offset, sizeof pointer);
    return pointer;
}

size_t report_column_n(const report_column *column, const report_tests *tests)
{
    const report_source *source = &column->source;
    const void *test = pointer_at(tests, source->test);
    if (test == NULL || (source->optional && pointer_at(test, source->array) == NULL))
        return 0;
    if (column->windows == REPORT_WITH_WINDOWS)
        return tests->exact->n_jitter > 1;
    return column->windows == REPORT_EACH_WINDOW ? tests->exact->n_jitter : 1;
}

static double real_at(const void *at, spk_column_type type)
{
    double real;
    char text[40];
    memcpy(&real, at, sizeof real);
    if (type == SPK_COLUMN_REAL)
        return real;
    snprintf(text, sizeof text, "%.6g", real);
    return strtod(text, NULL);
}

static uint64_t integer_at(const void *at, spk_column_type type)
{
    uint32_t narrow;
    uint64_t wide;
    if (type == SPK_COLUMN_YES_NO)
        return *(const uint8_t *)at != 0;
    memcpy(&narrow, at, sizeof narrow);
    if (type != SPK_COLUMN_U64)
        return narrow;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* The numbers of a row. */
static void take_reals(const spk_reals *reals, uint64_t row, report_cell *out)
{
    out->n_reals = reals->first[row + 1] - reals->first[row];
    out->kind = out->n_reals > 0 ? REPORT_REALS : REPORT_NOTHING;
    out->reals = reals->value + reals->first[row];
}

static void take(const void *at, spk_column_type type, report_cell *out)
{
    switch (type) {
    case SPK_COLUMN_REAL:
    case SPK_COLUMN_ROUNDED:
        out->kind = REPORT_REAL;
        out->real = real_at(at, type);
        return;
    case SPK_COLUMN_UNITS:
        out->kind = REPORT_UNITS;
        out->n_units = ((const spk_family *)at)->n_units;
        out->unit = ((const spk_family *)at)->unit;
        return;
    case SPK_COLUMN_UNIT:
        out->kind = REPORT_UNIT;
        out->unit = at;
        return;
    case SPK_COLUMN_TICK:
        out->kind = REPORT_TIME;
        memcpy(&out->tick, at, sizeof out->tick);
        return;
    default:
        out->integer = integer_at(at, type);
    }
    out->kind = type == SPK_COLUMN_YES_NO ? REPORT_VERDICT : REPORT_INTEGER;
    if (type == SPK_COLUMN_MILLI) {
        out->kind = REPORT_REAL;
        out->real = (double)out->integer / 1000.0;
    } else if (type == SPK_COLUMN_PART) {
        out->kind = out->integer == SPK_NOT_EXPLAINED ? REPORT_NOTHING : REPORT_PART;
    } else if (type == SPK_COLUMN_MEANING) {
        out->kind = REPORT_WORD;
        snprintf(out->word, sizeof out->word, "%s", spk_exact_means_text((uint32_t)out->integer));
    } else if (type == SPK_COLUMN_SIDE) {
        out->kind = out->integer == SPK_ASYMMETRY_UNKNOWN ? REPORT_NOTHING : REPORT_WORD;
        snprintf(out->word, sizeof out->word, "%s", spk_asymmetry_text((uint32_t)out->integer));
    }
}

void report_column_get(const report_column *column, const report_row *row, size_t k,
                       report_cell *out)
{
    const report_source *source = &column->source;
    out->kind = REPORT_NOTHING;
    if (column->get != NULL) {
        column->get(row, k, out);
        return;
    }
    const char *test = pointer_at(row->tests, source->test);
    if (column->facts.type == SPK_COLUMN_REALS) {
        take_reals((const spk_reals *)(const void *)(test + source->array), row->row, out);
        return;
    }
    const char *values = pointer_at(test, source->array);
    const size_t each = column->windows == REPORT_EACH_WINDOW ? row->tests->exact->n_jitter : 1;
    take(values + (row->row * each + k) * source->stride + source->field, column->facts.type, out);
    if (column->facts.type == SPK_COLUMN_WINDOW) {
        const uint64_t window = out->integer;
        out->kind = REPORT_WORD;
        spk_duration_format(row->tests->exact->jitter[window], out->word, sizeof out->word);
    }
}

const char *report_column_type(const report_column *column)
{
    switch (column->facts.type) {
    case SPK_COLUMN_U32:
    case SPK_COLUMN_U64:
    case SPK_COLUMN_OWN_INTEGER:
        return "integer";
    case SPK_COLUMN_REAL:
    case SPK_COLUMN_ROUNDED:
    case SPK_COLUMN_MILLI:
    case SPK_COLUMN_OWN_REAL:
    case SPK_COLUMN_TICK:
        return "real";
    default:
        return "text";
    }
}

const char *spk_asymmetry_text(uint32_t asymmetry)
{
    static const char *const text[] = {"-", "forward", "backward", "neither"};
    return text[asymmetry % (sizeof text / sizeof text[0])];
}

const report_column *report_columns(size_t *n)
{
    *n = sizeof COLUMNS / sizeof COLUMNS[0];
    return COLUMNS;
}

const spk_result_column *spk_result_column_get(size_t k)
{
    return k < sizeof COLUMNS / sizeof COLUMNS[0] ? &COLUMNS[k].facts : NULL;
}

const report_column *report_sequence_columns(report_sequence_rows rows, size_t *n)
{
    static const struct {
        const report_column *column;
        size_t n;
    } list[] = {[REPORT_SEQUENCES] = {OF_SEQUENCES, sizeof OF_SEQUENCES / sizeof OF_SEQUENCES[0]},
                [REPORT_MEMBERS] = {OF_MEMBERS, sizeof OF_MEMBERS / sizeof OF_MEMBERS[0]},
                [REPORT_MOMENTS] = {OF_MOMENTS, sizeof OF_MOMENTS / sizeof OF_MOMENTS[0]}};
    *n = list[rows].n;
    return list[rows].column;
}

const char *report_column_text(const report_tests *tests, const char *text, size_t k,
                               char buffer[REPORT_COLUMN_TEXT])
{
    char window[48];
    const char *place = strstr(text, "%s");
    if (place == NULL)
        return text;
    spk_duration_format(tests->exact->jitter[k], window, sizeof window);
    snprintf(buffer, REPORT_COLUMN_TEXT, "%.*s%s%s", (int)(place - text), text, window, place + 2);
    return buffer;
}

static spk_status check(spk_context *context, const char *what, uint64_t n, uint64_t row)
{
    if (row < n)
        return SPK_OK;
    return spk_fail(context, SPK_ERR_ARGUMENT, "%s fewer rows than there are results: %" PRIu64,
                    what, n);
}

spk_status report_check_row(spk_context *context, const report_tests *t, uint64_t row)
{
    const spk_significance *s = t->signatures;
    spk_status status = SPK_OK;
    if (s != NULL && (s->kept != NULL || s->intensional != NULL || s->extensional != NULL))
        status = check(context, "the test has", s->n_rows, row);
    if (status == SPK_OK && t->exact != NULL)
        status = check(context, "the test has", t->exact->n_rows, row);
    if (status == SPK_OK && t->comparison != NULL)
        status = check(context, "the comparison has", t->comparison->n_rows, row);
    if (status == SPK_OK && t->families != NULL)
        status = check(context, "the families have", t->families->n, row);
    return status;
}

/* ---- the outcomes of tests, as tables and figures take them ---------------------------------- */

SPK_OPTIONS_INIT(spk_significance, .alpha = SPK_USUAL_ALPHA, .correction = "fdr-bh");

SPK_OPTIONS_INIT(spk_compare_report, .alpha = SPK_USUAL_ALPHA);

SPK_OPTIONS_INIT(spk_exact_report, .alpha = SPK_USUAL_ALPHA, .history = {-1, 0, 0});

SPK_OPTIONS_INIT(spk_sequence_report, .null = "shift-apart", .alpha = SPK_USUAL_ALPHA);
