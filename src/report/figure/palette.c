/* Colours. */
#include "report/figure/palette.h"

spk_colour spk_palette_group(uint32_t k)
{
    /* Rust, blue, green, rose, indigo, wine, black. */
    static const unsigned char rgb[SPK_PALETTE_SIZE][3] = {
        {158, 49, 0},  {33, 103, 180}, {6, 167, 90}, {188, 84, 140},
        {51, 34, 136}, {123, 32, 80},  {0, 0, 0}};
    const unsigned char *c = rgb[k % SPK_PALETTE_SIZE];
    return (spk_colour){c[0] / 255.0, c[1] / 255.0, c[2] / 255.0, 1};
}

spk_colour spk_palette_scale(double position)
{
    enum { LAST = 3 };
    static const double rgb[LAST + 1][3] = {
        {0.27, 0.00, 0.33}, {0.24, 0.29, 0.54}, {0.17, 0.44, 0.56}, {0.13, 0.58, 0.54}};
    double at = position <= 0 ? 0 : position >= 1 ? LAST : position * LAST;
    int k = at >= LAST ? LAST - 1 : (int)at;
    double f = at - k;
    return (spk_colour){rgb[k][0] + f * (rgb[k + 1][0] - rgb[k][0]),
                        rgb[k][1] + f * (rgb[k + 1][1] - rgb[k][1]),
                        rgb[k][2] + f * (rgb[k + 1][2] - rgb[k][2]), 1};
}

spk_marker spk_palette_marker(uint32_t k)
{
    return (spk_marker)(k % SPK_N_MARKERS);
}

spk_colour spk_colour_alpha(spk_colour colour, double alpha)
{
    colour.alpha = alpha;
    return colour;
}
