/* --energy: the joules of a job. */
#include "session.h"

int cli_energy_begin(cli_session *session, bool wanted)
{
    return wanted ? cli_report(session, spk_energy_begin(session->context, &session->energy))
                  : CLI_DONE;
}

const spk_energy_meter *cli_energy_meters(const cli_session *session, size_t *n)
{
    *n = 0;
    return session->energy != NULL ? spk_energy_read(session->energy, n) : NULL;
}

double cli_energy_joules(const cli_session *session)
{
    size_t n = 0;
    return cli_energy_meters(session, &n) != NULL ? spk_energy_total(session->energy) : -1;
}

double cli_energy_since(const cli_session *session, double before)
{
    double now = cli_energy_joules(session);
    return before < 0 || now < 0 ? -1 : now - before;
}

static void tell(const cli_session *session)
{
    size_t n = 0;
    int readable = 0;
    const spk_energy_meter *meter = cli_energy_meters(session, &n);
    for (size_t k = 0; k < n; k++) {
        if (!meter[k].readable)
            fprintf(stderr, "energy: %s: not readable: %s\n", meter[k].name, meter[k].why);
        else
            fprintf(stderr, "energy: %s: %.3f J\n", meter[k].name, meter[k].joules);
        readable += meter[k].readable;
    }
    if (readable > 1)
        fprintf(stderr, "energy: all: %.3f J\n", spk_energy_total(session->energy));
}

void cli_energy_end(cli_session *session, bool told)
{
    if (session->energy != NULL && told && !session->quiet)
        tell(session);
    spk_energy_free(session->energy);
    session->energy = NULL;
}
