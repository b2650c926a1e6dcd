/* Marks what the shared library exports; everything else stays hidden. */
#ifndef SPIKEMINE_EXPORT_H
#define SPIKEMINE_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define SPK_API __attribute__((visibility("default")))
#define SPK_PRINTF(format_index, first_index)                                                      \
    __attribute__((format(printf, format_index, first_index)))
#else
#define SPK_API
#define SPK_PRINTF(format_index, first_index)
#endif

#endif
