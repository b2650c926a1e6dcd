/*
 * What is read from text and written as text reads back to the same events: the same labels, and
 * exactly the same times in seconds. The first byte chooses the unit of time.
 */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "recording/read_text.h"

static spk_recording *read_bytes(spk_context *context, const void *bytes, size_t n,
                                 spk_time_unit unit)
{
    spk_recording *recording = NULL;
    spk_read_options options;
    spk_read_options_init(&options, sizeof options);
    options.time_unit = unit;
    options.samples_per_second = 30000;
    options.sort = true;
    if (spk_recording_read_buffer(context, "fuzz", bytes, n, &options, &recording) != SPK_OK)
        return NULL;
    return recording;
}

/* a and b count ticks of the rates. */
static bool same_time(int64_t a, spk_rate rate_a, int64_t b, spk_rate rate_b)
{
    __int128 x = 0, y = 0;
    bool over = __builtin_mul_overflow((__int128)a * rate_a.denominator, rate_b.numerator, &x) ||
                __builtin_mul_overflow((__int128)b * rate_b.denominator, rate_a.numerator, &y);
    return over || x == y; /* beyond 128 bits nothing is claimed here */
}

static void compare(const spk_recording *first, const spk_recording *second)
{
    spk_events a = spk_recording_events(first), b = spk_recording_events(second);
    spk_rate rate_a = spk_recording_rate(first), rate_b = spk_recording_rate(second);
    require(a.n_events == b.n_events);
    for (uint64_t k = 0; k < a.n_events; k++) {
        require(same_time(a.time[k], rate_a, b.time[k], rate_b));
        require(strcmp(spk_recording_label(first, a.unit[k]),
                       spk_recording_label(second, b.unit[k])) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const spk_time_unit units[] = {SPK_TIME_SECONDS, SPK_TIME_MILLISECONDS,
                                          SPK_TIME_MICROSECONDS, SPK_TIME_SAMPLES};
    char path[64];
    spk_context *context = NULL;
    if (size == 0)
        return 0;
    require(spk_context_create(&context) == SPK_OK);
    spk_context_set_memory_limit(context, 100000000);
    spk_recording *first = read_bytes(context, data + 1, size - 1, units[data[0] % 4]);
    int file = first != NULL ? memfd_create("fuzz", 0) : -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file >= 0 && spk_recording_write_text(context, first, path) == SPK_OK) {
        off_t n = lseek(file, 0, SEEK_END);
        char *text = malloc((size_t)n + 1);
        require(text != NULL && pread(file, text, (size_t)n, 0) == n);
        spk_recording *second = read_bytes(context, text, (size_t)n, SPK_TIME_GUESS);
        require(second != NULL);
        compare(first, second);
        spk_recording_free(second);
        free(text);
    }
    if (file >= 0)
        close(file);
    spk_recording_free(first);
    spk_context_free(context);
    return 0;
}
