/* Terms over the columns of a table: parsing and testing. */
#include "recording/readers/row_filter.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"

typedef enum comparison { EQUAL, NOT_EQUAL, LESS, AT_MOST, MORE, AT_LEAST } comparison;

/* Longer ones first, so that "<=" is not read as "<". */
static const struct {
    const char *text;
    comparison meaning;
} OPERATORS[] = {{"==", EQUAL},    {"!=", NOT_EQUAL}, {"<=", AT_MOST},
                 {">=", AT_LEAST}, {"<", LESS},       {">", MORE}};
enum { N_OPERATORS = sizeof OPERATORS / sizeof OPERATORS[0] };

typedef struct term {
    const char *column; /* both in the bytes of the expression */
    const char *text;
    comparison comparison;
    double number;
    bool is_number;
} term;

struct spk_row_filter {
    term *terms;
    size_t n;
    char *bytes;
};

/* ---- numbers --------------------------------------------------------------------------------- */

bool spk_row_filter_number(const char *text, size_t length, double *out)
{
    spk_written_decimal written;
    const char *rest;
    if (!spk_decimal_scan(text, text + length, &written, &rest) || rest != text + length)
        return false;
    /* Up to 2^53 and 10^22 one division or product is rounded right, as strtod does. */
    double value = (double)written.digits;
    int64_t exponent = written.exponent;
    if (exponent < -400 || exponent > 400)
        value = exponent < 0 ? 0 : value * HUGE_VAL;
    else if (exponent < 0)
        value /= pow(10, (double)-exponent);
    else
        value *= pow(10, (double)exponent);
    *out = written.negative ? -value : value;
    return true;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static spk_status fail(spk_context *context, const char *text, const char *why)
{
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "select '%.100s': %s; write for example 'group==good' or 'n_spikes>=100 && "
                    "depth<1200'",
                    text, why);
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* The operator at `at`, N_OPERATORS where there is none. */
static size_t operator_at(const char *at)
{
    size_t k = 0;
    while (k < N_OPERATORS && strncmp(at, OPERATORS[k].text, strlen(OPERATORS[k].text)) != 0)
        k++;
    return k;
}

/* Reads a name or a value into *bytes, which advances behind its zero; NULL: there is none, or a
 * quote is not closed. */
static const char *take_word(const char *at, char **bytes)
{
    char *out = *bytes;
    at = skip_blanks(at);
    if (*at == '\'' || *at == '"') {
        const char quote = *at++;
        while (*at != '\0' && *at != quote)
            *out++ = *at++;
        if (*at++ == '\0')
            return NULL;
    } else {
        while (*at != '\0' && operator_at(at) == N_OPERATORS && *at != '=' &&
               strncmp(at, "&&", 2) != 0)
            *out++ = *at++;
        while (out > *bytes && (out[-1] == ' ' || out[-1] == '\t'))
            out--;
        if (out == *bytes)
            return NULL;
    }
    *out++ = '\0';
    *bytes = out;
    return skip_blanks(at);
}

/* Reads one term; returns where it ends, or NULL with *why. */
static const char *take_term(const char *at, char **bytes, term *out, const char **why)
{
    out->column = *bytes;
    *why = "a column's name is missing";
    at = take_word(at, bytes);
    if (at == NULL)
        return NULL;
    size_t k = operator_at(at);
    *why = "an operator is missing (== != < <= > >=)";
    if (k == N_OPERATORS)
        return NULL;
    out->comparison = OPERATORS[k].meaning;
    out->text = *bytes;
    *why = "a value is missing, or a quote is not closed";
    at = take_word(at + strlen(OPERATORS[k].text), bytes);
    if (at == NULL)
        return NULL;
    out->is_number = spk_row_filter_number(out->text, strlen(out->text), &out->number);
    *why = "< and > need a number";
    if (out->comparison != EQUAL && out->comparison != NOT_EQUAL && !out->is_number)
        return NULL;
    *why = "what follows a value is not &&";
    return *at == '\0' || strncmp(at, "&&", 2) == 0 ? at : NULL;
}

spk_status spk_row_filter_parse(spk_context *context, const char *text, spk_row_filter **out)
{
    *out = NULL;
    spk_row_filter *filter = NULL;
    const char *at = text, *why = "";
    size_t most = 1;
    for (const char *and = strstr(text, "&&"); and != NULL; and = strstr(and+2, "&&"))
        most++;
    spk_status status = spk_alloc_zero(context, &filter, 1, "a selection");
    if (status == SPK_OK)
        status = spk_alloc_columns(context, "a selection", SPK_COLUMN_ZERO(&filter->terms, most),
                                   SPK_COLUMN(&filter->bytes, 2 * strlen(text) + 2));
    char *bytes = status == SPK_OK ? filter->bytes : NULL;
    while (status == SPK_OK) {
        assert(filter->n < most);
        at = take_term(at, &bytes, &filter->terms[filter->n], &why);
        if (at == NULL)
            status = fail(context, text, why);
        else if (filter->n++, *at == '\0')
            break;
        else
            at += 2;
    }
    if (status == SPK_OK)
        *out = filter;
    else
        spk_row_filter_free(filter);
    return status;
}

void spk_row_filter_free(spk_row_filter *filter)
{
    if (filter == NULL)
        return;
    spk_free_all(filter->terms, filter->bytes, filter);
}

size_t spk_row_filter_count(const spk_row_filter *filter)
{
    return filter->n;
}

const char *spk_row_filter_column(const spk_row_filter *filter, size_t number)
{
    assert(number < filter->n);
    return filter->terms[number].column;
}

/* ---- testing --------------------------------------------------------------------------------- */

static bool compare(double value, comparison how, double with)
{
    switch (how) {
    case EQUAL:
        return value == with;
    case NOT_EQUAL:
        return value != with;
    case LESS:
        return value < with;
    case AT_MOST:
        return value <= with;
    case MORE:
        return value > with;
    default:
        return value >= with;
    }
}

bool spk_row_filter_holds(const spk_row_filter *filter, size_t number,
                          const spk_row_filter_value *value)
{
    assert(number < filter->n);
    const term *t = &filter->terms[number];
    double numeric = value->number;
    bool is_number = value->is_number;
    if (!is_number && value->text != NULL)
        is_number = spk_row_filter_number(value->text, value->n_text, &numeric);
    if (t->is_number && is_number)
        return compare(numeric, t->comparison, t->number);
    bool same = value->text != NULL && strlen(t->text) == value->n_text &&
                memcmp(t->text, value->text, value->n_text) == 0;
    return t->comparison == EQUAL ? same : t->comparison == NOT_EQUAL && !same;
}
