/* Marks what the shared library exports (SPK_API; everything else stays hidden), and whose result a
 * caller must look at (SPK_MUST_CHECK). What stands between SPK_BEGIN_C and SPK_END_C has the names
 * of C in C++, too. */
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

#ifdef __cplusplus
#define SPK_BEGIN_C extern "C" {
#define SPK_END_C   }
#else
#define SPK_BEGIN_C
#define SPK_END_C
#endif

#endif
