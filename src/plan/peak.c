/* Peaks of memory, from Linux: /proc/self. */
#include "plan/peak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pages that the allocator and the libraries take whatever the work; they are no need of it. */
static const double TAKEN_ANYWAY = 4e6;

/* A line of /proc/self/status in bytes; 0 where there is none. */
static double look(const char *name)
{
    char line[256];
    double bytes = 0;
    FILE *file = fopen("/proc/self/status", "re");
    if (file == NULL)
        return 0;
    while (bytes <= 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            bytes = 1024 * strtod(line + strlen(name), NULL);
    (void)fclose(file);
    return bytes;
}

double spk_peak_begin(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "we");
    if (file == NULL)
        return 0;
    int good = fputs("5", file) >= 0; /* the peak begins anew */
    good = fclose(file) == 0 && good;
    return good ? look("VmRSS:") : 0;
}

double spk_peak_end(double begin)
{
    double peak = begin > 0 ? look("VmHWM:") : 0;
    return peak > begin + TAKEN_ANYWAY ? peak - begin - TAKEN_ANYWAY : 0;
}
