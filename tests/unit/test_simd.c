/*
 * Kernels that exist in several instruction sets: how one is chosen, and the counting steps of the
 * sweep engine against what each lane is meant to do. The bitmap engine's are compared by what it
 * finds (test_patterns), the extending of lists by what the sweep engine counts (test_engines).
 */
#include "base/cpu.h"
#include "episode/engine/sweep/kernel.h"
#include "support/simd.h"
#include "support/test.h"

static void sets_are_chosen_by_name(void **state)
{
    (void)state;
    test_simd_use_best();
    spk_simd best = spk_cpu_simd();
    assert_true(spk_simd_runs(best) && spk_simd_runs(SPK_SIMD_PORTABLE));
    for (int k = 0; k < SPK_N_SIMD; k++) {
        spk_simd simd = (spk_simd)k;
        setenv("SPIKEMINE_SIMD", spk_simd_name(simd), 1);
        assert_int_equal(spk_cpu_simd(), spk_simd_runs(simd) ? simd : best);
    }
    setenv("SPIKEMINE_SIMD", "abacus", 1);
    assert_int_equal(spk_cpu_simd(), best);
    test_simd_use_best();
#ifdef __aarch64__
    assert_int_equal(best, SPK_SIMD_NEON);
#endif
}

/* ---- counting -------------------------------------------------------------------------------- */

enum { STEPS = 200, ROWS = 50 };

typedef struct steps {
    uint32_t n, n_strips;
    uint32_t row[STEPS];
    uint32_t shift[STEPS], base[STEPS];
    uint32_t later[SWEEP_MAX_STRIPS][ROWS][SWEEP_LANES]; /* 0: nothing follows */
    uint32_t blocked[SWEEP_MAX_STRIPS][SWEEP_LANES];
    uint32_t count[SWEEP_MAX_STRIPS][SWEEP_LANES];
} steps;

/* Numbers up to `most`, of all magnitudes. */
static uint32_t any(test_random *random, uint32_t most)
{
    uint32_t bound = most >> test_random_below(random, 16);
    return (uint32_t)test_random_below(random, (uint64_t)bound + 1);
}

static void draw(test_random *random, uint32_t most, steps *s)
{
    s->n = (uint32_t)test_random_below(random, STEPS + 1);
    s->n_strips = 1 + (uint32_t)test_random_below(random, SWEEP_MAX_STRIPS);
    for (uint32_t i = 0; i < s->n; i++) {
        s->row[i] = (uint32_t)test_random_below(random, ROWS);
        s->shift[i] = any(random, most);
        s->base[i] = any(random, most / 2);
    }
    for (uint32_t strip = 0; strip < s->n_strips; strip++) {
        for (uint32_t r = 0; r < ROWS; r++)
            for (uint32_t lane = 0; lane < SWEEP_LANES; lane++)
                s->later[strip][r][lane] =
                    test_random_chance(random, 0.5) ? any(random, most / 2) : 0;
        for (uint32_t lane = 0; lane < SWEEP_LANES; lane++) {
            s->blocked[strip][lane] = any(random, most);
            s->count[strip][lane] = any(random, 65535 - STEPS);
        }
    }
}

/* What kernel.h says of every lane. */
static void by_definition(const steps *s, steps *out)
{
    *out = *s;
    for (uint32_t strip = 0; strip < s->n_strips; strip++) {
        for (uint32_t lane = 0; lane < SWEEP_LANES; lane++) {
            uint32_t *blocked = &out->blocked[strip][lane];
            for (uint32_t i = 0; i < s->n; i++) {
                uint32_t later = s->later[strip][s->row[i]][lane];
                *blocked = *blocked > s->shift[i] ? *blocked - s->shift[i] : 0;
                if (*blocked == 0 && later != 0) {
                    *blocked = later + s->base[i];
                    out->count[strip][lane]++;
                }
            }
        }
    }
}

/* The kernels' arrays, narrow or wide, and back. */
#define DEFINE_RUN(name, type, lanes_type)                                                         \
    static void run_##name(const steps *s, steps *out)                                             \
    {                                                                                              \
        static _Alignas(64) type table[SWEEP_MAX_STRIPS][ROWS * SWEEP_LANES];                      \
        static _Alignas(64) lanes_type lanes[SWEEP_MAX_STRIPS];                                    \
        type shift[STEPS], base[STEPS];                                                            \
        const type *tables[SWEEP_MAX_STRIPS];                                                      \
        lanes_type *all[SWEEP_MAX_STRIPS];                                                         \
        *out = *s;                                                                                 \
        for (uint32_t i = 0; i < s->n; i++) {                                                      \
            shift[i] = (type)s->shift[i];                                                          \
            base[i] = (type)s->base[i];                                                            \
        }                                                                                          \
        for (uint32_t k = 0; k < s->n_strips; k++) {                                               \
            tables[k] = table[k];                                                                  \
            all[k] = &lanes[k];                                                                    \
            for (uint32_t e = 0; e < ROWS * SWEEP_LANES; e++)                                      \
                table[k][e] = (type)s->later[k][e / SWEEP_LANES][e % SWEEP_LANES];                 \
            for (uint32_t l = 0; l < SWEEP_LANES; l++) {                                           \
                lanes[k].blocked[l] = (type)s->blocked[k][l];                                      \
                lanes[k].count[l] = (type)s->count[k][l];                                          \
            }                                                                                      \
        }                                                                                          \
        sweep_kernels_choose().name(s->n, s->row, shift, base, s->n_strips, tables, all);          \
        for (uint32_t k = 0; k < s->n_strips; k++) {                                               \
            for (uint32_t l = 0; l < SWEEP_LANES; l++) {                                           \
                out->blocked[k][l] = lanes[k].blocked[l];                                          \
                out->count[k][l] = lanes[k].count[l];                                              \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_RUN(narrow, uint16_t, sweep_narrow)
DEFINE_RUN(wide, uint32_t, sweep_wide)
#undef DEFINE_RUN

static void lanes_count_as_defined(void **state)
{
    (void)state;
    static steps s, expected, got;
    uint64_t seed = test_seed("lanes_count_as_defined");
    for (uint64_t number = 0; number < test_scaled(500); number++) {
        test_random random = test_random_make(seed, number);
        bool wide = number % 2 == 1;
        draw(&random, wide ? UINT32_MAX / 4 : UINT16_MAX, &s);
        by_definition(&s, &expected);
        for (size_t k = 0; k < test_n_simd(); k++) {
            test_simd_use(k);
            if (wide)
                run_wide(&s, &got);
            else
                run_narrow(&s, &got);
            assert_memory_equal(got.blocked, expected.blocked, sizeof got.blocked);
            assert_memory_equal(got.count, expected.count, sizeof got.count);
        }
    }
    test_simd_use_best();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_chosen_by_name),
        cmocka_unit_test(lanes_count_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
