/* The files that a job has read, by device and number. */
#include "base/reads.h"

#include "base/memory.h"

void spk_reads_keep(spk_context *context)
{
    spk_reads *reads = spk_context_reads(context);
    if (reads == NULL)
        return;
    pthread_mutex_lock(&reads->lock);
    reads->kept = true;
    pthread_mutex_unlock(&reads->lock);
}

spk_status spk_reads_add(spk_context *context, int descriptor)
{
    struct stat info = {0};
    spk_reads *reads = spk_context_reads(context);
    spk_status status = SPK_OK;
    if (reads == NULL || fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
        return SPK_OK;
    pthread_mutex_lock(&reads->lock);
    if (reads->kept)
        status = spk_grow(context, &reads->file, &reads->capacity, reads->n + 1, "a list of files");
    if (reads->kept && status == SPK_OK)
        reads->file[reads->n++] = (spk_read_file){info.st_dev, info.st_ino};
    pthread_mutex_unlock(&reads->lock);
    return status;
}

bool spk_reads_has(spk_context *context, const struct stat *info)
{
    spk_reads *reads = spk_context_reads(context);
    bool found = false;
    if (reads == NULL)
        return false;
    pthread_mutex_lock(&reads->lock);
    for (size_t k = 0; k < reads->n && !found; k++)
        found = reads->file[k].device == info->st_dev && reads->file[k].number == info->st_ino;
    pthread_mutex_unlock(&reads->lock);
    return found;
}
