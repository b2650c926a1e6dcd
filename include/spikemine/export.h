/* Marks what the shared library exports (SPK_API; everything else stays hidden), and whose result a
 * caller must look at (SPK_MUST_CHECK). */
#ifndef SPIKEMINE_EXPORT_H
#define SPIKEMINE_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define SPK_API        __attribute__((visibility("default")))
#define SPK_MUST_CHECK __attribute__((warn_unused_result))
#define SPK_PRINTF(format_index, first_index)                                                      \
    __attribute__((format(printf, format_index, first_index)))
#else
#define SPK_API
#define SPK_MUST_CHECK
#define SPK_PRINTF(format_index, first_index)
#endif

#endif
