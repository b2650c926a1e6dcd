/*
 * The Lab Streaming Layer, loaded when it is first needed (liblsl.so). The declarations are our
 * own: those of the functions of lsl_c.h that we call. It runs threads of its own.
 */
#pragma once

#include <stdint.h>

#include "base/context.h"

/* Formats of channels, and errors, as in lsl_c.h. */
enum {
    SPK_LSL_STRING = 3,
    SPK_LSL_INT32 = 4,

    SPK_LSL_TIMEOUT = -1,
    SPK_LSL_LOST = -2
};

/* A sample rate of 0: irregular. For ever, as a timeout. */
#define SPK_LSL_IRREGULAR 0.0
#define SPK_LSL_FOREVER   32000000.0

/* Each function is that of lsl_NAME. Handles are pointers. Strings that LSL returns are its own
 * but those of pull_sample_str and get_xml, which destroy_string frees. */
#define SPK_LSL_FUNCTIONS(X)                                                                       \
    X(local_clock, double, (void))                                                                 \
    X(create_streaminfo, void *,                                                                   \
      (const char *name, const char *type, int32_t n_channels, double rate, int format,            \
       const char *source_id))                                                                     \
    X(destroy_streaminfo, void, (void *info))                                                      \
    X(copy_streaminfo, void *, (void *info))                                                       \
    X(get_name, const char *, (void *info))                                                        \
    X(get_type, const char *, (void *info))                                                        \
    X(get_hostname, const char *, (void *info))                                                    \
    X(get_channel_format, int, (void *info))                                                       \
    X(get_channel_count, int32_t, (void *info))                                                    \
    X(get_desc, void *, (void *info))                                                              \
    X(child, void *, (void *element, const char *name))                                            \
    X(next_sibling_n, void *, (void *element, const char *name))                                   \
    X(empty, int, (void *element))                                                                 \
    X(child_value_n, const char *, (void *element, const char *name))                              \
    X(append_child, void *, (void *element, const char *name))                                     \
    X(append_child_value, void *, (void *element, const char *name, const char *value))            \
    X(create_outlet, void *, (void *info, int32_t chunk_size, int32_t max_buffered))               \
    X(destroy_outlet, void, (void *outlet))                                                        \
    X(push_sample_it, int32_t, (void *outlet, const int32_t *sample, double timestamp))            \
    X(push_sample_strt, int32_t, (void *outlet, const char **sample, double timestamp))            \
    X(have_consumers, int32_t, (void *outlet))                                                     \
    X(create_continuous_resolver_byprop, void *,                                                   \
      (const char *property, const char *value, double forget_after))                              \
    X(resolver_results, int32_t, (void *resolver, void **infos, uint32_t n))                       \
    X(destroy_continuous_resolver, void, (void *resolver))                                         \
    X(create_inlet, void *,                                                                        \
      (void *info, int32_t max_buffered, int32_t chunk_size, int32_t recover))                     \
    X(destroy_inlet, void, (void *inlet))                                                          \
    X(open_stream, void, (void *inlet, double timeout, int32_t *error))                            \
    X(get_fullinfo, void *, (void *inlet, double timeout, int32_t *error))                         \
    X(time_correction, double, (void *inlet, double timeout, int32_t *error))                      \
    X(pull_sample_i, double,                                                                       \
      (void *inlet, int32_t *sample, int32_t n, double timeout, int32_t *error))                   \
    X(pull_sample_str, double,                                                                     \
      (void *inlet, char **sample, int32_t n, double timeout, int32_t *error))                     \
    X(samples_available, uint32_t, (void *inlet))                                                  \
    X(destroy_string, void, (char *text))

typedef struct spk_lsl {
#define SPK_LSL_MEMBER(name, result, arguments) result(*name) arguments;
    SPK_LSL_FUNCTIONS(SPK_LSL_MEMBER)
#undef SPK_LSL_MEMBER
} spk_lsl;

/* Whether it is here; else *reason (static) says what to install. From any thread. The variable
 * SPIKEMINE_LSL of the environment names its file. */
bool spk_lsl_available(const char **reason);

/* The table, which lives as long as the program. Errors: SPK_ERR_UNAVAILABLE. */
spk_status spk_lsl_get(spk_context *context, const spk_lsl **out);
