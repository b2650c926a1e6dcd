/* Zip archives: headers before members, and the list of members at the end. */
#include "recording/writers/zip.h"

#include <assert.h>
#include <string.h>

/* Numbers of the format (APPNOTE, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16 and 4.5.3). */
enum {
    VERSION_ZIP64 = 45,
    DATE_1980 = 1 << 5 | 1, /* the first of January */
    EXTRA_ZIP64 = 1,
    LIST_END_BYTES = 56
};

/* ---- checksum -------------------------------------------------------------------------------- */

/* One step of the polynomial division for each bit of a byte. */
static uint32_t byte_remainder(uint32_t byte)
{
    for (int bit = 0; bit < 8; bit++)
        byte = byte >> 1 ^ ((byte & 1) != 0 ? 0xedb88320u : 0);
    return byte;
}

uint32_t spk_zip_checksum(uint32_t checksum, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;
    uint32_t remainder[4][256]; /* [k]: of a byte with k bytes behind it */
    for (uint32_t b = 0; b < 256; b++)
        remainder[0][b] = byte_remainder(b);
    for (uint32_t b = 0; b < 256; b++)
        for (int k = 1; k < 4; k++)
            remainder[k][b] = remainder[k - 1][b] >> 8 ^ remainder[0][remainder[k - 1][b] & 0xff];
    uint32_t c = ~checksum;
    for (; n >= 4; n -= 4, byte += 4)
        c = remainder[3][(c ^ byte[0]) & 0xff] ^ remainder[2][(c >> 8 ^ byte[1]) & 0xff] ^
            remainder[1][(c >> 16 ^ byte[2]) & 0xff] ^ remainder[0][(c >> 24 ^ byte[3]) & 0xff];
    for (; n > 0; n--, byte++)
        c = c >> 8 ^ remainder[0][(c ^ *byte) & 0xff];
    return ~c;
}

/* ---- records --------------------------------------------------------------------------------- */

/* A record in the making; zip is little endian on every machine. */
typedef struct record {
    unsigned char bytes[128];
    size_t n;
} record;

static void put(record *r, int n_bytes, uint64_t value)
{
    assert(r->n + (size_t)n_bytes <= sizeof r->bytes);
    for (int k = 0; k < n_bytes; k++, value >>= 8)
        r->bytes[r->n++] = (unsigned char)(value & 0xff);
}

/* What headers of members and their entries in the list share. */
static void put_member(record *r, const spk_zip_member *member, int extra_bytes)
{
    put(r, 2, VERSION_ZIP64);
    put(r, 2, 0); /* no flags */
    put(r, 2, 0); /* stored */
    put(r, 2, 0); /* midnight */
    put(r, 2, DATE_1980);
    put(r, 4, member->checksum);
    put(r, 4, UINT32_MAX); /* sizes: see the 64-bit fields */
    put(r, 4, UINT32_MAX);
    put(r, 2, strlen(member->name));
    put(r, 2, (uint64_t)extra_bytes);
}

static spk_status write_record(spk_zip *zip, const record *r)
{
    return spk_zip_write(zip, r->bytes, r->n);
}

spk_status spk_zip_write(spk_zip *zip, const void *bytes, size_t n)
{
    zip->offset += n;
    return spk_output_write(zip->context, zip->output, bytes, n);
}

spk_status spk_zip_begin(spk_zip *zip, const char *name, uint32_t checksum, uint64_t size)
{
    assert(zip->n < SPK_ZIP_MEMBERS && strlen(name) < SPK_ZIP_NAME_BYTES);
    spk_zip_member *member = &zip->member[zip->n++];
    *member = (spk_zip_member){.checksum = checksum, .size = size, .offset = zip->offset};
    memcpy(member->name, name, strlen(name) + 1);
    record r = {.n = 0};
    put(&r, 4, 0x04034b50);
    put_member(&r, member, 20);
    spk_status status = write_record(zip, &r);
    if (status == SPK_OK)
        status = spk_zip_write(zip, name, strlen(name));
    r.n = 0;
    put(&r, 2, EXTRA_ZIP64);
    put(&r, 2, 16);
    put(&r, 8, size);
    put(&r, 8, size);
    return status == SPK_OK ? write_record(zip, &r) : status;
}

static spk_status write_entry(spk_zip *zip, const spk_zip_member *member)
{
    record r = {.n = 0};
    put(&r, 4, 0x02014b50);
    put(&r, 2, 3 << 8 | VERSION_ZIP64); /* made on a Unix */
    put_member(&r, member, 28);
    put(&r, 2, 0);                    /* no comment */
    put(&r, 2, 0);                    /* disk */
    put(&r, 2, 0);                    /* kind of content */
    put(&r, 4, (uint64_t)0644 << 16); /* mode of the file */
    put(&r, 4, UINT32_MAX);           /* offset: see the 64-bit fields */
    spk_status status = write_record(zip, &r);
    if (status == SPK_OK)
        status = spk_zip_write(zip, member->name, strlen(member->name));
    r.n = 0;
    put(&r, 2, EXTRA_ZIP64);
    put(&r, 2, 24);
    put(&r, 8, member->size);
    put(&r, 8, member->size);
    put(&r, 8, member->offset);
    return status == SPK_OK ? write_record(zip, &r) : status;
}

/* The three records that end an archive: the list's place in 64 bit, where that stands, and the
 * record that programs look for. */
static spk_status write_list_end(spk_zip *zip, uint64_t list)
{
    uint64_t bytes = zip->offset - list, end = zip->offset;
    record r = {.n = 0};
    put(&r, 4, 0x06064b50);
    put(&r, 8, LIST_END_BYTES - 12);
    put(&r, 2, 3 << 8 | VERSION_ZIP64);
    put(&r, 2, VERSION_ZIP64);
    put(&r, 4, 0);
    put(&r, 4, 0);
    put(&r, 8, zip->n);
    put(&r, 8, zip->n);
    put(&r, 8, bytes);
    put(&r, 8, list);
    put(&r, 4, 0x07064b50);
    put(&r, 4, 0);
    put(&r, 8, end);
    put(&r, 4, 1);
    put(&r, 4, 0x06054b50);
    put(&r, 4, 0);
    put(&r, 2, zip->n);
    put(&r, 2, zip->n);
    put(&r, 4, UINT32_MAX);
    put(&r, 4, UINT32_MAX);
    put(&r, 2, 0);
    return write_record(zip, &r);
}

spk_status spk_zip_end(spk_zip *zip)
{
    uint64_t list = zip->offset;
    spk_status status = SPK_OK;
    for (size_t k = 0; k < zip->n && status == SPK_OK; k++)
        status = write_entry(zip, &zip->member[k]);
    return status == SPK_OK ? write_list_end(zip, list) : status;
}
