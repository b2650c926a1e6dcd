/* The list of kinds of sources: the one place that knows them all. */
#include "live/sources/source.h"

extern const spk_live_kind spk_live_intan;
extern const spk_live_kind spk_live_lsl;
extern const spk_live_kind spk_live_open_ephys;
extern const spk_live_kind spk_live_replay;
extern const spk_live_kind spk_live_text_stdin;
extern const spk_live_kind spk_live_text_tcp;
extern const spk_live_kind spk_live_text_tcp_listen;
extern const spk_live_kind spk_live_text_unix;
extern const spk_live_kind spk_live_text_unix_listen;

static const spk_live_kind *const kinds[] = {
    &spk_live_replay,          &spk_live_text_stdin, &spk_live_text_tcp,
    &spk_live_text_tcp_listen, &spk_live_text_unix,  &spk_live_text_unix_listen,
    &spk_live_open_ephys,      &spk_live_intan,      &spk_live_lsl,
};

const spk_live_kind *spk_live_kind_at(size_t k)
{
    return k < sizeof kinds / sizeof kinds[0] ? kinds[k] : NULL;
}
