/* The columns of results. */
#include "report/columns.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"

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

static void get_jitter(const report_row *r, size_t k, report_cell *out)
{
    (void)k;
    const spk_exact_report *exact = r->tests->exact;
    out->kind = REPORT_WORD;
    spk_duration_format(exact->jitter[exact->verdict[r->row].scale], out->word, sizeof out->word);
}

static void get_scale_p(const report_row *r, size_t k, report_cell *out)
{
    const spk_exact_report *exact = r->tests->exact;
    out->kind = REPORT_REAL;
    out->real = exact->scale_p[r->row * exact->n_jitter + k];
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

/* A test; an array of it that may be missing; a field of what it has for each row. */
#define TEST(name)                                                                                 \
    {                                                                                              \
        .test = offsetof(report_tests, name)                                                       \
    }
#define ARRAY(name, type, array)                                                                   \
    {                                                                                              \
        offsetof(report_tests, name), offsetof(type, array), sizeof *((type *)0)->array, 0, true   \
    }
#define FIELD(name, type, array, row, field)                                                       \
    {                                                                                              \
        offsetof(report_tests, name), offsetof(type, array), sizeof(row), offsetof(row, field),    \
            false                                                                                  \
    }
#define SIGNATURES(array) ARRAY(signatures, spk_significance, array)
#define EXACT(array)      ARRAY(exact, spk_exact_report, array)
#define VERDICT(field)    FIELD(exact, spk_exact_report, verdict, spk_exact_verdict, field)
#define COMPARED(field)   FIELD(comparison, spk_compare_report, verdict, spk_compare_verdict, field)
#define FAMILY(field)     FIELD(families, spk_family_columns, family, spk_family, field)
#define SEQUENCES(array)                                                                           \
    {                                                                                              \
        offsetof(report_tests, sequences), offsetof(spk_sequence_columns, array),                  \
            sizeof *((spk_sequence_columns *)0)->array, 0, false                                   \
    }

static const report_column COLUMNS[] = {
    {"p", NULL, "p",
     "(1 + surrogates that reach it) / (1 + surrogates); of the published rule the share "
     "that reach it",
     TEST(signatures), REPORT_AS_OWN_REAL, REPORT_ONCE, get_signature_p},
    {"p_corrected", NULL, "corrected p", "p, corrected for all signatures tested", TEST(signatures),
     REPORT_AS_OWN_REAL, REPORT_ONCE, get_p_corrected},
    {"significant", NULL, NULL, "whether the signature is significant", TEST(signatures),
     REPORT_AS_OWN_TEXT, REPORT_ONCE, get_significant},
    {"kept", NULL, "kept", "whether the reduction of the set keeps it", SIGNATURES(kept),
     REPORT_AS_U8},
    {"stability_intensional", NULL, "intensional",
     "share of the sets of its windows that have no more in common", SIGNATURES(intensional),
     REPORT_AS_REAL},
    {"stability_extensional", NULL, "extensional",
     "share of the sets of its spikes that occur in no other window", SIGNATURES(extensional),
     REPORT_AS_REAL},
    {"expected", NULL, "expected",
     "mean count under the null hypothesis; for episodes an approximation", VERDICT(expected),
     REPORT_AS_ROUNDED},
    {"score", NULL, "score",
     "how rare it is: 2 stands for one result of as many spikes and units in 100 surrogates",
     VERDICT(score), REPORT_AS_MILLI},
    {"p", NULL, "p",
     "chance that the best result of a whole surrogate has this score; corrected for several "
     "--jitter",
     VERDICT(p), REPORT_AS_REAL},
    {"e_value", NULL, "E",
     "mean number of results by chance with this score; 1 / (surrogates + 1) at least",
     VERDICT(e_value), REPORT_AS_REAL},
    {"fdr", NULL, "FDR", "false discovery rate at this score, 1 / (surrogates + 1) at least",
     VERDICT(fdr), REPORT_AS_REAL},
    {"jitter", NULL, "jitter", "of several windows of jitter the one with the smallest p",
     TEST(exact), REPORT_AS_OWN_TEXT, REPORT_WITH_WINDOWS, get_jitter},
    {"p_%s", NULL, "p_%s",
     "p where chance moves spikes within %s, not corrected for the number of windows",
     EXACT(scale_p), REPORT_AS_OWN_REAL, REPORT_EACH_WINDOW, get_scale_p},
    {"explained_by", "explained_without", "explained by", "the part that explains it",
     EXACT(left_out), REPORT_AS_PART},
    {"meaning", NULL, "may mean",
     "what it may be beside a sequence: rhythm, synchrony or twin, perhaps several", EXACT(means),
     REPORT_AS_MEANING,
     .more =
         "rhythm: a unit stands in it twice, and its own rhythm or burst may be all; synchrony: "
         "both directions are significant, or all spikes lie in one bin; twin: units less than "
         "1 ms apart, perhaps one spike sorted twice"},
    {"direction_p", NULL, "direction p",
     "chance that as many occurrences go forward if the link is the same in both directions",
     EXACT(direction_p), REPORT_AS_ROUNDED, .more = "of the step whose direction is least sure"},
    {"round", NULL, "round", "the round of peeling that accepted it", EXACT(round), REPORT_AS_U32},
    {"count_a", NULL, NULL, "occurrences in the trials of condition a", COMPARED(count[0]),
     REPORT_AS_U64},
    {"count_b", NULL, NULL, "occurrences in the trials of condition b", COMPARED(count[1]),
     REPORT_AS_U64},
    {"rate_a_hz", NULL, NULL, "count_a by the time of these trials, in occurrences a second",
     COMPARED(rate_hz[0]), REPORT_AS_ROUNDED},
    {"rate_b_hz", NULL, NULL, "count_b by the time of these trials, in occurrences a second",
     COMPARED(rate_hz[1]), REPORT_AS_ROUNDED},
    {"difference_hz", NULL, NULL, "rate_b_hz − rate_a_hz", COMPARED(difference_hz),
     REPORT_AS_ROUNDED},
    {"lower_hz", NULL, NULL,
     "lower end of the interval of the difference, for all results together; -inf: none",
     COMPARED(lower_hz), REPORT_AS_ROUNDED},
    {"upper_hz", NULL, NULL,
     "upper end of the interval of the difference, for all results together; inf: none",
     COMPARED(upper_hz), REPORT_AS_ROUNDED},
    {"more_in", NULL, NULL, "a or b, the condition with the higher rate", TEST(comparison),
     REPORT_AS_OWN_TEXT, REPORT_ONCE, get_more_in},
    {"z", NULL, NULL,
     "the difference by its standard deviation over all ways to deal out the conditions",
     COMPARED(z), REPORT_AS_ROUNDED},
    {"p", NULL, NULL, "share of these ways in which any result has as large a z, whatever its sign",
     COMPARED(p), REPORT_AS_REAL},
    {"members", NULL, "members", "number of results in the family", FAMILY(n_members),
     REPORT_AS_U64},
    {"family_occurrences", NULL, "together",
     "stretches of time in which a quarter of the family's cores occur at once",
     FAMILY(n_occurrences), REPORT_AS_U64},
    {"family_units", NULL, "family",
     "units that a twentieth of the family's cores have, in the order in which they fire",
     FAMILY(best), REPORT_AS_UNITS},
};

static const report_column OF_SEQUENCES[] = {
    {"sequence", NULL, "sequence", "its number, from 1, in the order in which they were found",
     TEST(sequences), REPORT_AS_OWN_INTEGER, REPORT_ONCE, get_sequence},
    {"p", NULL, "p", "chance that the best sequence of a whole surrogate has as large a statistic",
     SEQUENCES(p), REPORT_AS_REAL},
    {"members", NULL, "members", "units of the sequence", TEST(sequences), REPORT_AS_OWN_INTEGER,
     REPORT_ONCE, get_n_members},
    {"occurrences", NULL, "occurrences", "how often it was found, with spikes missing or not",
     TEST(sequences), REPORT_AS_OWN_INTEGER, REPORT_ONCE, get_n_occurrences},
    {"statistic", NULL, "statistic", "sum of the members' scores above what is needed to join",
     SEQUENCES(statistic), REPORT_AS_REAL},
    {"units", NULL, "units", "the members, in order of lags", TEST(sequences), REPORT_AS_OWN_TEXT,
     REPORT_ONCE, get_members},
};

static const report_column OF_MEMBERS[] = {
    {"unit", NULL, "unit", "the member, in order of lags", SEQUENCES(unit), REPORT_AS_UNIT},
    {"lag_s", NULL, "lag (s)", "median of its spikes behind the first member", TEST(sequences),
     REPORT_AS_OWN_REAL, REPORT_ONCE, get_lag},
    {"spread_s", NULL, "spread (s)", "standard deviation of its spikes about the lag",
     TEST(sequences), REPORT_AS_OWN_REAL, REPORT_ONCE, get_spread},
    {"share", NULL, "share", "of the occurrences in which it fires, less what chance gives",
     SEQUENCES(share), REPORT_AS_REAL},
    {"score", NULL, "score", "how it gathers about occurrences that were found without it, in nats",
     SEQUENCES(score), REPORT_AS_REAL},
    {"member_p", NULL, "p",
     "chance of such a score for any unit and lag, by occurrences that were moved",
     SEQUENCES(member_p), REPORT_AS_REAL},
    {"member_q", NULL, "q", "false discovery rate among all units", SEQUENCES(member_q),
     REPORT_AS_REAL},
    {"split_p", NULL, "split p",
     "one half of the occurrences tests the lag that the other half chose", SEQUENCES(split_p),
     REPORT_AS_REAL},
};

static const report_column OF_MOMENTS[] = {
    {"time_s", NULL, "time (s)", "time of the first member, whether it fires or not",
     SEQUENCES(time), REPORT_AS_TICK},
    {"score", NULL, "score", "log likelihood ratio, in nats", SEQUENCES(occurrence_score),
     REPORT_AS_REAL},
    {"p", NULL, "p",
     "chance of such a score anywhere in the recording, by members that were moved apart",
     SEQUENCES(occurrence_p), REPORT_AS_REAL},
    {"missing", NULL, "missing", "members without a spike", SEQUENCES(missing), REPORT_AS_U32},
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

/* A number at a place; 0 for a form that is none. */
static double real_at(const void *at, report_form form)
{
    double real;
    char text[40];
    memcpy(&real, at, sizeof real);
    if (form == REPORT_AS_REAL)
        return real;
    snprintf(text, sizeof text, "%.6g", real);
    return strtod(text, NULL);
}

static uint64_t integer_at(const void *at, report_form form)
{
    uint32_t narrow;
    uint64_t wide;
    if (form == REPORT_AS_U8)
        return *(const uint8_t *)at != 0;
    memcpy(&narrow, at, sizeof narrow);
    if (form != REPORT_AS_U64)
        return narrow;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static void take(const void *at, report_form form, report_cell *out)
{
    switch (form) {
    case REPORT_AS_REAL:
    case REPORT_AS_ROUNDED:
        out->kind = REPORT_REAL;
        out->real = real_at(at, form);
        return;
    case REPORT_AS_UNITS:
        out->kind = REPORT_UNITS;
        out->n_units = ((const spk_family *)at)->n_units;
        out->unit = ((const spk_family *)at)->unit;
        return;
    case REPORT_AS_UNIT:
        out->kind = REPORT_UNIT;
        out->unit = at;
        return;
    case REPORT_AS_TICK:
        out->kind = REPORT_TIME;
        memcpy(&out->tick, at, sizeof out->tick);
        return;
    default:
        out->integer = integer_at(at, form);
    }
    out->kind = form == REPORT_AS_U8 ? REPORT_VERDICT : REPORT_INTEGER;
    if (form == REPORT_AS_MILLI) {
        out->kind = REPORT_REAL;
        out->real = (double)out->integer / 1000.0;
    } else if (form == REPORT_AS_PART) {
        out->kind = out->integer == SPK_NOT_EXPLAINED ? REPORT_NOTHING : REPORT_PART;
    } else if (form == REPORT_AS_MEANING) {
        out->kind = REPORT_WORD;
        snprintf(out->word, sizeof out->word, "%s", spk_exact_means_text((uint32_t)out->integer));
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
    const char *values = pointer_at(pointer_at(row->tests, source->test), source->array);
    take(values + row->row * source->stride + source->field, column->form, out);
}

const char *report_column_type(const report_column *column)
{
    switch (column->form) {
    case REPORT_AS_U32:
    case REPORT_AS_U64:
    case REPORT_AS_OWN_INTEGER:
        return "integer";
    case REPORT_AS_REAL:
    case REPORT_AS_ROUNDED:
    case REPORT_AS_MILLI:
    case REPORT_AS_OWN_REAL:
    case REPORT_AS_TICK:
        return "real";
    default:
        return "text";
    }
}

const report_column *report_columns(size_t *n)
{
    *n = sizeof COLUMNS / sizeof COLUMNS[0];
    return COLUMNS;
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
