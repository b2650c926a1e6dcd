/* What of the results is listed. */
#include "select_options.h"

#include <inttypes.h>

bool cli_select_wanted(const cli_session *session)
{
    const spk_select_options *v = &session->shared->select;
    return v->min_size > 0 || v->distinct_units > 0 || v->maximal || v->closed || v->top > 0 ||
           session->shared->families;
}

void cli_select_tell(cli_session *session, uint64_t n_listed, uint64_t n, const char *result)
{
    cli_note(session, "%" PRIu64 " of %" PRIu64 " %s%s listed", n_listed, n, result,
             n == 1 ? " is" : "s are");
}

/* "2 families, 8 and 14 occurrences each, 24 units; 9108 of 10410 episodes are members". */
void cli_families_tell(cli_session *session, const spk_family_columns *f, const char *result)
{
    enum { MOST_NUMBERS = 6 };
    char numbers[256] = "";
    size_t at = 0;
    uint64_t n_units = 0;
    for (uint64_t k = 0; k < f->n; k++) {
        n_units += f->family[k].n_units;
        if (k < MOST_NUMBERS && f->n <= MOST_NUMBERS)
            at += (size_t)snprintf(numbers + at, sizeof numbers - at, "%s%" PRIu64,
                                   k == 0          ? ""
                                   : k + 1 == f->n ? " and "
                                                   : ", ",
                                   f->family[k].n_occurrences);
    }
    if (f->n == 0)
        cli_note(session, "no families among %" PRIu64 " %ss", f->n_results, result);
    else if (f->n > MOST_NUMBERS)
        cli_note(session, "%" PRIu64 " families; %" PRIu64 " of %" PRIu64 " %ss are members", f->n,
                 f->n_members, f->n_results, result);
    else
        cli_note(session,
                 "%" PRIu64 " famil%s, %s occurrences%s, %" PRIu64 " units; %" PRIu64 " of %" PRIu64
                 " %ss are members",
                 f->n, f->n == 1 ? "y" : "ies", numbers, f->n == 1 ? "" : " each", n_units,
                 f->n_members, f->n_results, result);
    if (f->n_small > 0)
        cli_detail(session,
                   "%" PRIu64 " groups are too small for families; they have %" PRIu64
                   " of the %" PRIu64 " %ss with %" PRIu32 " different units and more",
                   f->n_small, f->n_small_cores, f->n_cores, result, f->core_units);
}
