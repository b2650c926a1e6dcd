/* UTF-8: a character is what the encoder of RFC 3629, written here, makes of a code point. */
#include "base/utf8.h"
#include "support/test.h"

/* Bytes of a code point; 0 for surrogates and numbers that are no code point. */
static size_t encode(uint32_t code, unsigned char out[4])
{
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t k = n - 1; k > 0; k--, code >>= 6)
        out[k] = (unsigned char)(0x80 | (code & 0x3f));
    out[0] = (unsigned char)(lead[n] | code);
    return n;
}

/* The length that the first byte's leading ones tell, and the bits that the bytes hold, are those
 * of one code point only: encoding it again must give the same bytes. */
static size_t expected(const unsigned char *s, size_t length)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    uint32_t code = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    unsigned char again[4];
    if (n > length)
        return 0;
    for (size_t k = 1; k < n; k++)
        code = code << 6 | (s[k] & 0x3f);
    return encode(code, again) == n && memcmp(again, s, n) == 0 ? n : 0;
}

static void check(const unsigned char *bytes, size_t length)
{
    size_t n = spk_utf8_character((const char *)bytes, length);
    if (n != expected(bytes, length))
        fail_msg("%zu bytes %02x %02x %02x %02x: %zu", length, bytes[0], bytes[1], bytes[2],
                 bytes[3], n);
}

static void every_code_point_is_a_character(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x110000; code++) {
        unsigned char bytes[5] = {0};
        size_t n = encode(code, bytes);
        if (n == 0)
            continue;
        assert_int_equal(spk_utf8_character((const char *)bytes, n), n);
        assert_int_equal(spk_utf8_character((const char *)bytes, n - 1), 0);
        bool control = code < 0x20 ? code != '\t' : code == 0x7f;
        assert_true(spk_utf8_is_text((const char *)bytes, n) == !control);
    }
}

static void no_other_bytes_are(void **state)
{
    (void)state;
    uint64_t seed = test_seed("no_other_bytes_are");
    for (uint32_t a = 0; a < 256; a++)
        for (uint32_t b = 0; b < 256; b++)
            check((const unsigned char[4]){(unsigned char)a, (unsigned char)b, 0x80, 0x80}, 4);
    for (uint64_t k = 0; k < test_scaled(2000000); k++) {
        test_random random = test_random_make(seed, k);
        uint64_t bits = test_random_bits(&random);
        unsigned char bytes[4];
        for (size_t i = 0; i < 4; i++) /* mostly bytes that continue a character */
            bytes[i] = (unsigned char)(i > 0 && (bits >> (40 + i) & 1) != 0
                                           ? 0x80 | (bits >> (8 * i) & 0x3f)
                                           : bits >> (8 * i));
        check(bytes, 1 + (size_t)(bits >> 60) % 4);
    }
}

static void texts_are_told_from_bytes(void **state)
{
    (void)state;
    assert_true(spk_utf8_is_text("", 0));
    assert_true(spk_utf8_is_text("a\t\xc2\xb5 \xe2\x82\xac\xf0\x9f\xa7\xa0", 12));
    assert_false(spk_utf8_is_text("a\n", 2));
    /* What turns the direction, or begins a line, is text; plain it is not. */
    static const char *const misleading[] = {"\xc2\x85",     "\xd8\x9c",     "\xe2\x80\x8e",
                                             "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                             "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"};
    for (size_t k = 0; k < sizeof misleading / sizeof misleading[0]; k++) {
        assert_true(spk_utf8_is_text(misleading[k], strlen(misleading[k])));
        assert_false(spk_utf8_is_plain(misleading[k], strlen(misleading[k])));
    }
    assert_true(spk_utf8_is_plain("\xd7\xa9 \xc2\xb5 \xe2\x82\xac \xf0\x9f\xa7\xa0", 14));
    assert_false(spk_utf8_is_plain("a\n", 2));
    assert_false(spk_utf8_is_text("a\0b", 3));
    assert_false(spk_utf8_is_text("caf\xe9", 4));      /* Latin-1 */
    assert_false(spk_utf8_is_text("\xe2\x82\xac", 2)); /* cut off */
    assert_false(spk_utf8_is_text("\xc0\xaf", 2));     /* overlong */
    assert_false(spk_utf8_is_text("\xed\xa0\x80", 3)); /* a surrogate */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_is_a_character),
        cmocka_unit_test(no_other_bytes_are),
        cmocka_unit_test(texts_are_told_from_bytes),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
