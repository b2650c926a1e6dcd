/* spikemine info --units-table: a row for each unit. */
#include <stdlib.h>

#include "builder.h"
#include "info.h"
#include "spikemine/describe.h"

/* The longest step of time that still tells events apart as finely as the check of units needs. */
static double time_step_s(const spk_recording *recording)
{
    spk_time_grid grid;
    spk_rate rate = spk_recording_rate(recording);
    double tick = (double)rate.denominator / (double)rate.numerator;
    spk_recording_find_grid(recording, &grid);
    if (grid.rounded)
        return (double)grid.points_per_second.denominator /
               (double)grid.points_per_second.numerator;
    return grid.ticks > 1 ? (double)grid.ticks * tick : tick;
}

static void put_check(cli_builder *row, const spk_recording *recording,
                      const spk_unit_description *unit, const spk_unit_check *check, double step_s)
{
    enum { SHORT_US = 2000, COINCIDENT_US = 250 };
    const bool has_twin = check->twin != UINT32_MAX && step_s * 1e6 <= COINCIDENT_US;
    cli_put_real_or_null(row, "cv", check->interval_cv >= 0, check->interval_cv);
    cli_put_real_or_null(row, "share_below_2ms", check->n_intervals > 0 && step_s * 1e6 <= SHORT_US,
                         (double)check->n_short / (double)check->n_intervals);
    cli_put_json(row, "twin",
                 has_twin ? json_string(spk_recording_label(recording, check->twin)) : json_null());
    cli_put_real_or_null(row, "twin_share", has_twin,
                         (double)check->n_shared / (double)unit->n_events);
}

static json_t *make_row(const spk_recording *recording, uint32_t u, const spk_unit_check *check,
                        double step_s)
{
    spk_unit_description unit;
    spk_recording_describe_unit(recording, u, &unit);
    cli_builder object = cli_begin_object(), *row = &object;
    cli_put_text(row, "unit", spk_recording_label(recording, u));
    cli_put_integer(row, "events", unit.n_events);
    cli_put_real(row, "rate_hz", unit.rate_hz);
    cli_put_real_or_null(row, "first_s", unit.n_events > 0, unit.first_s);
    cli_put_real_or_null(row, "last_s", unit.n_events > 0, unit.last_s);
    cli_put_real_or_null(row, "shortest_interval_s", unit.shortest_interval_s >= 0,
                         unit.shortest_interval_s);
    cli_put_integer(row, "intervals_below_1ms", unit.intervals_below_1ms);
    put_check(row, recording, &unit, check, step_s);
    return cli_finish(row);
}

json_t *info_units(cli_session *session, const spk_recording *recording, spk_status *status)
{
    const uint32_t n_units = spk_recording_events(recording).n_units;
    cli_builder rows = cli_begin_array();
    spk_unit_check *check = calloc(n_units > 0 ? n_units : 1, sizeof *check);
    rows.failed |= check == NULL;
    if (!rows.failed)
        *status = spk_recording_check_units(session->context, recording, NULL, check);
    rows.failed |= *status != SPK_OK;
    const double step_s = rows.failed ? 0 : time_step_s(recording);
    for (uint32_t u = 0; u < n_units && !rows.failed; u++)
        cli_add_json(&rows, make_row(recording, u, &check[u], step_s));
    free(check);
    return cli_finish(&rows);
}
