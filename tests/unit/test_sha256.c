/* SHA-256: the examples of FIPS 180-4 and its tests, and that cutting the input does not matter. */
#include "base/sha256.h"
#include "support/test.h"

static uint64_t seed;

static void published_examples(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned times;
        const char *hex;
    } example[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrl"
         "mnopqrsmnopqrstnopqrstu",
         1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (size_t k = 0; k < sizeof example / sizeof example[0]; k++) {
        char hex[SPK_SHA256_HEX];
        spk_sha256 digest = spk_sha256_start();
        for (unsigned t = 0; t < example[k].times; t++)
            spk_sha256_add(&digest, example[k].text, strlen(example[k].text));
        spk_sha256_end(&digest, hex);
        assert_string_equal(hex, example[k].hex);
    }
}

static void pieces_do_not_matter(void **state)
{
    (void)state;
    enum { MOST = 400 };
    unsigned char bytes[MOST];
    for (uint64_t c = 0; c < test_scaled(3000); c++) {
        test_random random = test_random_make(seed, c);
        size_t n = (size_t)test_random_below(&random, MOST + 1);
        for (size_t k = 0; k < n; k++)
            bytes[k] = (unsigned char)test_random_bits(&random);
        char whole[SPK_SHA256_HEX], pieces[SPK_SHA256_HEX];
        spk_sha256 a = spk_sha256_start(), b = spk_sha256_start();
        spk_sha256_add(&a, bytes, n);
        spk_sha256_end(&a, whole);
        for (size_t at = 0; at < n;) {
            size_t piece = (size_t)test_random_below(&random, n - at + 1);
            spk_sha256_add(&b, bytes + at, piece);
            at += piece;
        }
        spk_sha256_end(&b, pieces);
        assert_string_equal(pieces, whole);
    }
}

static void numbers_are_eight_bytes(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {8, 7, 6, 5, 4, 3, 2, 0xf1};
    char a[SPK_SHA256_HEX], b[SPK_SHA256_HEX];
    spk_sha256 number = spk_sha256_start(), plain = spk_sha256_start();
    spk_sha256_add_u64(&number, 0xf102030405060708);
    spk_sha256_end(&number, a);
    spk_sha256_add(&plain, bytes, sizeof bytes);
    spk_sha256_end(&plain, b);
    assert_string_equal(a, b);
}

int main(void)
{
    seed = test_seed("test_sha256");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(numbers_are_eight_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
