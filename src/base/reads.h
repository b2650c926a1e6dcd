/*
 * The files that a job has read. A recording may be a folder of many, and a list or an array may
 * name others: only who opens a file knows all of them. So each reader adds what it opens, and no
 * output takes the place of such a file.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/context.h"

typedef struct spk_read_file {
    dev_t device;
    ino_t number;
} spk_read_file;

/* Of a context and all its relatives. */
typedef struct spk_reads {
    pthread_mutex_t lock;
    bool kept; /* else nobody asks for them */
    size_t n;
    uint64_t capacity;
    spk_read_file *file;
} spk_reads;

/* From now on files are kept: the caller has named its outputs (spk_files_check). */
void spk_reads_keep(spk_context *context);

/* Adds the regular file behind a descriptor. From any thread. Errors: SPK_ERR_MEMORY. */
spk_status spk_reads_add(spk_context *context, int descriptor);

/* Whether the file was read. */
bool spk_reads_has(spk_context *context, const struct stat *info);
