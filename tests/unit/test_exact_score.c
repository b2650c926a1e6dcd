/*
 * Scores of the exact test: against constants of a program with 60 digits, in order, and their
 * inverse against them.
 */
#include "significance/exact/exact.h"
#include "support/test.h"

/* floor(-1000 log10 P[Poisson(mean) >= count]), at most the largest score: mpmath 1.3 with 60
 * digits, from the double that is next to the mean. */
static const struct {
    double mean;
    uint64_t count;
    uint32_t score;
} constants[] = {
    {1e-9, 1, 9000u},
    {1e-9, 2, 18301u},
    {1e-9, 3, 27778u},
    {1e-9, 5, 47079u},
    {1e-9, 9, 86559u},
    {1e-9, 10, 96559u},
    {1e-9, 15, 147116u},
    {1e-9, 16, 157320u},
    {1e-9, 17, 167551u},
    {1e-9, 30, 302423u},
    {1e-9, 100, 1057970u},
    {1e-9, 332, 3682491u},
    {1e-9, 1000, 11567604u},
    {1e-9, 1200, 13975802u},
    {1e-9, 12346, 156268628u},
    {1e-9, 100000, 1356573450u},
    {1e-9, 101000, 1370575617u},
    {1e-9, 1000000, 4000000000u},
    {1e-9, 1003000, 4000000000u},
    {1e-6, 1, 6000u},
    {1e-6, 2, 12301u},
    {1e-6, 3, 18778u},
    {1e-6, 5, 32079u},
    {1e-6, 9, 59559u},
    {1e-6, 10, 66559u},
    {1e-6, 15, 102116u},
    {1e-6, 16, 109320u},
    {1e-6, 17, 116551u},
    {1e-6, 30, 212423u},
    {1e-6, 100, 757970u},
    {1e-6, 332, 2686491u},
    {1e-6, 1000, 8567604u},
    {1e-6, 1200, 10375802u},
    {1e-6, 12346, 119230628u},
    {1e-6, 100000, 1056573450u},
    {1e-6, 101000, 1067575617u},
    {1e-6, 1000000, 4000000000u},
    {1e-6, 1003000, 4000000000u},
    {0.001, 1, 3000u},
    {0.001, 2, 6301u},
    {0.001, 3, 9778u},
    {0.001, 5, 17079u},
    {0.001, 9, 32560u},
    {0.001, 10, 36560u},
    {0.001, 15, 57116u},
    {0.001, 16, 61321u},
    {0.001, 17, 65551u},
    {0.001, 30, 122424u},
    {0.001, 100, 457970u},
    {0.001, 332, 1690492u},
    {0.001, 1000, 5567605u},
    {0.001, 1200, 6775803u},
    {0.001, 12346, 82192628u},
    {0.001, 100000, 756573451u},
    {0.001, 101000, 764575617u},
    {0.001, 1000000, 4000000000u},
    {0.001, 1003000, 4000000000u},
    {0.03, 1, 1529u},
    {0.03, 2, 3355u},
    {0.03, 3, 5356u},
    {0.03, 5, 9704u},
    {0.03, 9, 19277u},
    {0.03, 10, 21800u},
    {0.03, 15, 34971u},
    {0.03, 16, 37698u},
    {0.03, 17, 40452u},
    {0.03, 30, 78122u},
    {0.03, 100, 310270u},
    {0.03, 332, 1200100u},
    {0.03, 1000, 4090496u},
    {0.03, 1200, 5003270u},
    {0.03, 12346, 63956102u},
    {0.03, 100000, 608861338u},
    {0.03, 101000, 615386383u},
    {0.03, 1000000, 4000000000u},
    {0.03, 1003000, 4000000000u},
    {0.25, 1, 655u},
    {0.25, 2, 1576u},
    {0.25, 3, 2665u},
    {0.25, 5, 5179u},
    {0.25, 9, 11075u},
    {0.25, 10, 12678u},
    {0.25, 15, 21249u},
    {0.25, 16, 23055u},
    {0.25, 17, 24888u},
    {0.25, 30, 50590u},
    {0.25, 100, 218283u},
    {0.25, 332, 894484u},
    {0.25, 1000, 3169773u},
    {0.25, 1200, 3898383u},
    {0.25, 12346, 52587769u},
    {0.25, 100000, 516779558u},
    {0.25, 101000, 522383785u},
    {0.25, 1000000, 4000000000u},
    {0.25, 1003000, 4000000000u},
    {1, 1, 199u},
    {1, 2, 577u},
    {1, 3, 1095u},
    {1, 5, 2436u},
    {1, 9, 5948u},
    {1, 10, 6953u},
    {1, 15, 12522u},
    {1, 16, 13728u},
    {1, 17, 14960u},
    {1, 30, 32843u},
    {1, 100, 158399u},
    {1, 332, 694924u},
    {1, 1000, 2568038u},
    {1, 1200, 3176236u},
    {1, 12346, 45155062u},
    {1, 100000, 456573885u},
    {1, 101000, 461576051u},
    {1, 1000000, 4000000000u},
    {1, 1003000, 4000000000u},
    {1.5, 1, 109u},
    {1.5, 2, 354u},
    {1.5, 3, 718u},
    {1.5, 5, 1731u},
    {1.5, 9, 4556u},
    {1.5, 10, 5387u},
    {1.5, 15, 10084u},
    {1.5, 16, 11114u},
    {1.5, 17, 12171u},
    {1.5, 30, 27770u},
    {1.5, 100, 141005u},
    {1.5, 332, 636679u},
    {1.5, 1000, 2392164u},
    {1.5, 1200, 2965144u},
    {1.5, 12346, 42981257u},
    {1.5, 100000, 438964976u},
    {1.5, 101000, 443791051u},
    {1.5, 1000000, 4000000000u},
    {1.5, 1003000, 4000000000u},
    {3, 2, 96u},
    {3, 3, 238u},
    {3, 5, 733u},
    {3, 9, 2419u},
    {3, 10, 2957u},
    {3, 15, 6173u},
    {3, 16, 6906u},
    {3, 17, 7664u},
    {3, 30, 19368u},
    {3, 100, 111547u},
    {3, 332, 537386u},
    {3, 1000, 2091784u},
    {3, 1200, 2604559u},
    {3, 12346, 39265392u},
    {3, 100000, 408862628u},
    {3, 101000, 413387673u},
    {3, 1000000, 4000000000u},
    {3, 1003000, 4000000000u},
    {9.75, 9, 194u},
    {9.75, 10, 292u},
    {9.75, 15, 1148u},
    {9.75, 16, 1391u},
    {9.75, 17, 1657u},
    {9.75, 30, 6826u},
    {9.75, 100, 63259u},
    {9.75, 332, 370363u},
    {9.75, 1000, 1582830u},
    {9.75, 1200, 1993228u},
    {9.75, 12346, 32948611u},
    {9.75, 100000, 357677223u},
    {9.75, 101000, 361690385u},
    {9.75, 1000000, 4000000000u},
    {9.75, 1003000, 4000000000u},
    {30, 3, 0u},
    {30, 10, 0u},
    {30, 16, 0u},
    {30, 30, 280u},
    {30, 100, 23134u},
    {30, 332, 217075u},
    {30, 1000, 1103499u},
    {30, 1200, 1416275u},
    {30, 12346, 26931117u},
    {30, 100000, 308874354u},
    {30, 101000, 312399399u},
    {30, 1000000, 4000000000u},
    {30, 1003000, 4000000000u},
    {100, 5, 0u},
    {100, 100, 289u},
    {100, 332, 73766u},
    {100, 1000, 610988u},
    {100, 1200, 819194u},
    {100, 12346, 20506054u},
    {100, 100000, 256616879u},
    {100, 101000, 259619046u},
    {100, 1000000, 3565752346u},
    {100, 1003000, 3577754299u},
    {333.5, 3, 0u},
    {333.5, 10, 0u},
    {333.5, 16, 0u},
    {333.5, 30, 0u},
    {333.5, 332, 267u},
    {333.5, 1000, 189170u},
    {333.5, 1200, 292783u},
    {333.5, 12346, 14149312u},
    {333.5, 100000, 204408702u},
    {333.5, 101000, 206887773u},
    {333.5, 1000000, 3042757915u},
    {333.5, 1003000, 3053190581u},
    {1000, 1, 0u},
    {1000, 2, 0u},
    {1000, 10, 0u},
    {1000, 1000, 297u},
    {1000, 1200, 9329u},
    {1000, 12346, 8550886u},
    {1000, 100000, 157007741u},
    {1000, 101000, 159009907u},
    {1000, 1000000, 2566143211u},
    {1000, 1003000, 2575145164u},
    {12345.5, 3, 0u},
    {12345.5, 9, 0u},
    {12345.5, 10, 0u},
    {12345.5, 15, 0u},
    {12345.5, 30, 0u},
    {12345.5, 100, 0u},
    {12345.5, 332, 0u},
    {12345.5, 12346, 301u},
    {12345.5, 100000, 52784107u},
    {12345.5, 101000, 53694766u},
    {12345.5, 1000000, 1479561810u},
    {12345.5, 1003000, 1485289237u},
    {100000, 2, 0u},
    {100000, 10, 0u},
    {100000, 15, 0u},
    {100000, 17, 0u},
    {100000, 1200, 0u},
    {100000, 100000, 300u},
    {100000, 101000, 3097u},
    {100000, 1000000, 609138319u},
    {100000, 1003000, 612140272u},
    {1000000, 9, 0u},
    {1000000, 10, 0u},
    {1000000, 16, 0u},
    {1000000, 1000000, 300u},
    {1000000, 1003000, 2867u},
};
enum { N_CONSTANTS = sizeof constants / sizeof *constants };

static void scores_are_those_of_many_digits(void **state)
{
    (void)state;
    for (int k = 0; k < N_CONSTANTS; k++)
        if (spk_exact_score(constants[k].mean, constants[k].count) != constants[k].score)
            fail_msg("mean %g, count %d: %u, wanted %u", constants[k].mean, (int)constants[k].count,
                     spk_exact_score(constants[k].mean, constants[k].count), constants[k].score);
    assert_int_equal(spk_exact_score(0, 0), 0);
    assert_int_equal(spk_exact_score(1e6, 0), 0);
    assert_int_equal(spk_exact_score(0, 1), SPK_EXACT_MOST_SCORE);
    assert_int_equal(spk_exact_score(1e-301, 1), SPK_EXACT_MOST_SCORE);
    assert_int_equal(spk_exact_score(1e-9, 1000000), SPK_EXACT_MOST_SCORE);
    assert_int_equal(spk_exact_score(1e12, 3), 0);
}

/* A mean and a count of any magnitude, the count often near the mean. */
static double draw(test_random *random, uint64_t *count)
{
    double mean = exp((test_random_real(random) * 15 - 9) * log(10));
    *count = 1 + test_random_below(random, (uint64_t)1 << test_random_below(random, 21));
    if (mean > 10 && test_random_chance(random, 0.5))
        *count = (uint64_t)(mean + (test_random_real(random) * 40 - 20) * sqrt(mean)) + 1;
    *count = *count < 1 || *count > 1200000 ? 1 : *count;
    return mean;
}

static void scores_are_in_order(void **state)
{
    (void)state;
    uint64_t seed = test_seed("scores");
    for (uint64_t k = 0; k < test_scaled(2000); k++) {
        test_random random = test_random_make(seed, k);
        uint64_t count;
        double mean = draw(&random, &count);
        uint32_t score = spk_exact_score(mean, count);
        assert_true(spk_exact_score(mean, count + 1) >= score);
        assert_true(spk_exact_score(mean * (1 + test_random_real(&random)), count) <= score);
        assert_true(spk_exact_score(nextafter(mean, INFINITY), count) <= score);
    }
}

/* spk_exact_score(m, count) >= score just where m <= the mean for it: at that mean, at its
 * neighbours, and elsewhere. */
static void means_are_the_inverse(void **state)
{
    (void)state;
    uint64_t seed = test_seed("means for scores");
    for (uint64_t k = 0; k < test_scaled(1000); k++) {
        test_random random = test_random_make(seed, k);
        uint64_t count;
        double mean = draw(&random, &count);
        uint32_t score = spk_exact_score(mean, count);
        uint32_t wanted = test_random_chance(&random, 0.5)
                              ? score
                              : (uint32_t)test_random_below(&random, 2 * (uint64_t)score + 2);
        wanted = wanted < SPK_EXACT_MOST_SCORE ? wanted : SPK_EXACT_MOST_SCORE;
        double edge = spk_exact_mean_for(wanted, count);
        assert_int_equal(score >= wanted, mean <= edge);
        if (wanted == 0 || edge < 1e-290 || edge > 1e8)
            continue;
        double below = edge, above = edge;
        for (int step = 0; step < 20; step++, below = nextafter(below, 0)) {
            above = nextafter(above, INFINITY);
            assert_true(spk_exact_score(below, count) >= wanted);
            assert_true(spk_exact_score(above, count) < wanted);
        }
        assert_true(spk_exact_mean_for(wanted + 1, count) < edge);
        assert_true(spk_exact_mean_for(wanted, count + 1) > edge);
    }
    assert_true(spk_exact_mean_for(0, 0) == INFINITY);
    assert_true(spk_exact_mean_for(1, 0) < 0);
    assert_true(spk_exact_mean_for(SPK_EXACT_MOST_SCORE + 1, 5) < 0);
    assert_true(spk_exact_mean_for(SPK_EXACT_MOST_SCORE, 5) >= 0);
    assert_int_equal(spk_exact_score(spk_exact_mean_for(SPK_EXACT_MOST_SCORE, 5), 5),
                     SPK_EXACT_MOST_SCORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_many_digits),
        cmocka_unit_test(scores_are_in_order),
        cmocka_unit_test(means_are_the_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
