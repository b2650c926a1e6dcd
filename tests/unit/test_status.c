/* Status codes are part of the ABI; their texts; the version. */
#include "support/test.h"

/* Written by hand, so that a code which gets another number is found. A new code is added here. */
static const struct {
    spk_status status;
    int value;
} codes[] = {{SPK_OK, 0},
             {SPK_ERR_ARGUMENT, 1},
             {SPK_ERR_MEMORY, 2},
             {SPK_ERR_IO, 3},
             {SPK_ERR_FORMAT, 4},
             {SPK_ERR_RANGE, 5},
             {SPK_ERR_ORDER, 6},
             {SPK_ERR_UNAVAILABLE, 7},
             {SPK_ERR_UNSUPPORTED, 8},
             {SPK_ERR_CANCELLED, 9},
             {SPK_ERR_INTERNAL, 10},
             {SPK_ERR_DEVICE, 11},
             {SPK_ERR_PIPE, 12}};

enum { N_CODES = sizeof codes / sizeof codes[0] };

static void codes_keep_their_numbers(void **state)
{
    (void)state;
    size_t n = 0;
#define COUNT(code, value, text) n++;
    SPK_STATUS_LIST(COUNT)
#undef COUNT
    assert_int_equal(n, N_CODES);
    for (size_t k = 0; k < N_CODES; k++)
        assert_int_equal(codes[k].status, codes[k].value);
}

static void every_code_has_a_text_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(spk_status_text(SPK_OK), "success");
    for (size_t k = 0; k < N_CODES; k++) {
        const char *text = spk_status_text(codes[k].status);
        assert_true(strlen(text) > 0);
        assert_string_not_equal(text, "unknown status");
        for (size_t j = 0; j < k; j++)
            assert_string_not_equal(text, spk_status_text(codes[j].status));
    }
    assert_string_equal(spk_status_text((spk_status)N_CODES), "unknown status");
}

static void library_and_headers_have_one_version(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", SPIKEMINE_VERSION_MAJOR, SPIKEMINE_VERSION_MINOR,
             SPIKEMINE_VERSION_PATCH);
    assert_string_equal(text, SPIKEMINE_VERSION);
    assert_string_equal(spk_version(), SPIKEMINE_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_keep_their_numbers),
        cmocka_unit_test(every_code_has_a_text_of_its_own),
        cmocka_unit_test(library_and_headers_have_one_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
