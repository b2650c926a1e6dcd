/* Durations: the text of what is accepted reads back to an equal one, with the same text. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const spk_rate rates[] = {{1000, 1}, {30000, 7}, {UINT64_MAX, 1}, {1, UINT64_MAX}};
    spk_duration first, again;
    char text[48], other[48];
    char *copy = malloc(size + 1); /* exactly as long as it is: reading beyond is seen */
    require(copy != NULL);
    memcpy(copy, data, size);
    spk_status status = spk_duration_parse(NULL, copy, size, &first);
    free(copy);
    if (status != SPK_OK)
        return 0;
    require(first.divisor != 1 && (first.digits != 0 || first.exponent == 0));
    size_t n = spk_duration_format(first, text, sizeof text);
    require(n < sizeof text && n == strlen(text));
    require(spk_duration_parse(NULL, text, n, &again) == SPK_OK);
    require(spk_duration_compare(first, again) == 0);
    require(spk_duration_format(again, other, sizeof other) == n && strcmp(text, other) == 0);
    for (size_t k = 0; k < sizeof rates / sizeof rates[0]; k++) {
        uint64_t ticks = spk_duration_ticks(first, rates[k]);
        int64_t tick = spk_duration_first_tick(first, rates[k]);
        if (first.digits > 0 && tick < INT64_MAX)
            require((uint64_t)tick == ticks || (uint64_t)tick == ticks + 1);
        if (first.digits <= 0)
            require(ticks == 0 && tick <= 0);
    }
    return 0;
}
