/* Colours. */
#include "report/figure/palette.h"

spk_colour spk_palette_group(uint32_t k)
{
    /* Vermillion, blue, bluish green, orange, reddish purple, sky blue, black. */
    static const unsigned char rgb[SPK_PALETTE_SIZE][3] = {
        {213, 94, 0},    {0, 114, 178},  {0, 158, 115}, {230, 159, 0},
        {204, 121, 167}, {86, 180, 233}, {0, 0, 0}};
    const unsigned char *c = rgb[k % SPK_PALETTE_SIZE];
    return (spk_colour){c[0] / 255.0, c[1] / 255.0, c[2] / 255.0, 1};
}

spk_colour spk_palette_scale(double position)
{
    enum { LAST = 5 };
    static const double rgb[LAST + 1][3] = {{0.27, 0.00, 0.33}, {0.24, 0.29, 0.54},
                                            {0.17, 0.44, 0.56}, {0.13, 0.57, 0.55},
                                            {0.27, 0.71, 0.43}, {0.55, 0.80, 0.24}};
    double at = position <= 0 ? 0 : position >= 1 ? LAST : position * LAST;
    int k = at >= LAST ? LAST - 1 : (int)at;
    double f = at - k;
    return (spk_colour){rgb[k][0] + f * (rgb[k + 1][0] - rgb[k][0]),
                        rgb[k][1] + f * (rgb[k + 1][1] - rgb[k][1]),
                        rgb[k][2] + f * (rgb[k + 1][2] - rgb[k][2]), 1};
}

spk_colour spk_colour_alpha(spk_colour colour, double alpha)
{
    colour.alpha = alpha;
    return colour;
}
