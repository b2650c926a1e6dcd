/* The colours of figures are told apart by all readers, and on grey paper. */
#include "support/test.h"

#if SPIKEMINE_HAVE_CAIRO
#include "report/figure/canvas.h"

static double linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(const double rgb[3])
{
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

static double curve(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* Distance of two colours in CIE L*a*b*, from linear RGB. */
static double distance(const double a[3], const double b[3])
{
    double lab[2][3];
    const double *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        const double *c = both[k];
        double x = curve((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.95047);
        double y = curve(luminance(c));
        double z = curve((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.08883);
        lab[k][0] = 116 * y - 16;
        lab[k][1] = 500 * (x - y);
        lab[k][2] = 200 * (y - z);
    }
    return sqrt(pow(lab[0][0] - lab[1][0], 2) + pow(lab[0][1] - lab[1][1], 2) +
                pow(lab[0][2] - lab[1][2], 2));
}

/* As people with normal vision, protanopia, deuteranopia and tritanopia see it (Machado et al.
 * 2009, full severity), and in grey. */
enum { N_EYES = 5, GREY = 4 };
static void seen(spk_colour colour, int eye, double out[3])
{
    static const double matrix[4][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                           {{0.152286, 1.052583, -0.204868},
                                            {0.114503, 0.786281, 0.099216},
                                            {-0.003882, -0.048116, 1.051998}},
                                           {{0.367322, 0.860646, -0.227968},
                                            {0.280085, 0.672501, 0.047413},
                                            {-0.011820, 0.042940, 0.968881}},
                                           {{1.255528, -0.076749, -0.178779},
                                            {-0.078411, 0.930809, 0.147602},
                                            {0.004733, 0.691367, 0.303900}}};
    double rgb[3] = {linear(colour.red), linear(colour.green), linear(colour.blue)};
    for (int i = 0; i < 3; i++) {
        out[i] = eye == GREY ? luminance(rgb) : 0;
        for (int j = 0; j < 3 && eye != GREY; j++)
            out[i] += matrix[eye][i][j] * rgb[j];
        out[i] = fmin(1, fmax(0, out[i]));
    }
}

static void colours_are_told_apart_by_all(void **state)
{
    (void)state;
    for (uint32_t a = 0; a < SPK_PALETTE_SIZE; a++) {
        double one[3];
        seen(spk_palette_group(a), 0, one);
        assert_true(1.05 / (luminance(one) + 0.05) >= 3); /* contrast with white paper */
        for (uint32_t b = 0; b < a; b++) {
            assert_int_not_equal(spk_palette_marker(a), spk_palette_marker(b));
            for (int eye = 0; eye < N_EYES; eye++) {
                double other[3];
                seen(spk_palette_group(a), eye, one);
                seen(spk_palette_group(b), eye, other);
                assert_true(distance(one, other) >= (eye == GREY ? 5 : 18));
            }
        }
    }
    double before = -1;
    for (int k = 0; k <= 20; k++) { /* ordered colours grow lighter, never too light */
        double rgb[3];
        seen(spk_palette_scale(k / 20.0), 0, rgb);
        assert_true(luminance(rgb) > before && 1.05 / (luminance(rgb) + 0.05) >= 3);
        before = luminance(rgb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_told_apart_by_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    puts("figures are not in this build");
    return 0;
}
#endif
