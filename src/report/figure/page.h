/* What all pages have alike: the title and the headings of panels. */
#ifndef SPK_REPORT_FIGURE_PAGE_H
#define SPK_REPORT_FIGURE_PAGE_H

#include "report/figure/canvas.h"

/* Title and caption at the top of the page, each may be NULL; returns where the rest begins. */
double spk_page_title(spk_canvas *canvas, const char *title, const char *caption);

/* "a  Heading" at the top of a panel, the letter in bold. */
void spk_page_heading(spk_canvas *canvas, spk_box panel, const char *letter, const char *text);

#endif
