/* The natural order of labels: runs of digits compare as numbers, "ch2" before "ch10". */
#ifndef SPK_BASE_NATURAL_H
#define SPK_BASE_NATURAL_H

/* <0, 0, >0 like strcmp; 0 only for equal strings ("01" and "1" differ, the shorter comes first).
 */
int spk_natural_compare(const char *a, const char *b);

#endif
