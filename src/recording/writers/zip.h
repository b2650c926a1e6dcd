/*
 * Zip archives without compression, for npz files (PKWARE APPNOTE 6.3.9).
 *
 * Sizes and checksums stand before the bytes of each member, so that a reader needs no seeking.
 * Every member has the 64-bit fields of section 4.5.3, as numpy writes them. Members carry the
 * first date that zip knows, so that the same recording gives the same bytes.
 */
#ifndef SPK_RECORDING_WRITERS_ZIP_H
#define SPK_RECORDING_WRITERS_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

enum { SPK_ZIP_MEMBERS = 16, SPK_ZIP_NAME_BYTES = 32 };

typedef struct spk_zip_member {
    char name[SPK_ZIP_NAME_BYTES];
    uint32_t checksum;
    uint64_t size;
    uint64_t offset; /* of its header */
} spk_zip_member;

typedef struct spk_zip {
    spk_context *context; /* borrowed, as is the output */
    spk_output *output;
    uint64_t offset; /* bytes written */
    size_t n;
    spk_zip_member member[SPK_ZIP_MEMBERS];
} spk_zip;

/* CRC-32 (ISO 3309) of n bytes behind those that gave `checksum`; 0 before the first. */
uint32_t spk_zip_checksum(uint32_t checksum, const void *bytes, size_t n);

/* Begins a member of `size` bytes with this checksum; `name` is ASCII and shorter than
 * SPK_ZIP_NAME_BYTES. The caller then writes exactly so many bytes. */
spk_status spk_zip_begin(spk_zip *zip, const char *name, uint32_t checksum, uint64_t size);

/* Bytes of the member that was begun. */
spk_status spk_zip_write(spk_zip *zip, const void *bytes, size_t n);

/* The list of members, which ends the archive. */
spk_status spk_zip_end(spk_zip *zip);

#endif
