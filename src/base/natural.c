/* Natural order of labels. */
#include "base/natural.h"

#include <stddef.h>
#include <string.h>

#include "base/decimal.h"

/* Compares the digit runs at *a and *b by value and steps past them. */
static int compare_numbers(const char **a, const char **b)
{
    while (**a == '0')
        (*a)++;
    while (**b == '0')
        (*b)++;
    size_t a_length = 0;
    size_t b_length = 0;
    while (spk_is_digit((*a)[a_length]))
        a_length++;
    while (spk_is_digit((*b)[b_length]))
        b_length++;
    int order = a_length != b_length ? (a_length < b_length ? -1 : 1) : memcmp(*a, *b, a_length);
    *a += a_length;
    *b += b_length;
    return order;
}

int spk_natural_compare(const char *a, const char *b)
{
    const char *x = a;
    const char *y = b;
    while (*x != '\0' && *y != '\0') {
        if (spk_is_digit(*x) && spk_is_digit(*y)) {
            int order = compare_numbers(&x, &y);
            if (order != 0)
                return order;
        } else if (*x != *y) {
            return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
        } else {
            x++;
            y++;
        }
    }
    if (*x != *y)
        return *x == '\0' ? -1 : 1;
    /* Equal but for leading zeros. */
    size_t a_bytes = strlen(a);
    size_t b_bytes = strlen(b);
    return a_bytes != b_bytes ? (a_bytes < b_bytes ? -1 : 1) : strcmp(a, b);
}
