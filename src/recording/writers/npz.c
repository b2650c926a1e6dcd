/*
 * Writes npz: the arrays of recording/npz_layout.h, one after the other. The bytes of an array are
 * made twice, in pieces: for its checksum, which stands before it, and to be written. No array is
 * held in memory.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/utf8.h"
#include "recording/clock.h"
#include "recording/npz_layout.h"
#include "recording/segments.h"
#include "recording/writers/writer.h"

/* ---- zip archives ---------------------------------------------------------------------------- */

/*
 * Zip archives without compression, for npz files (PKWARE APPNOTE 6.3.9).
 *
 * Sizes and checksums stand before the bytes of each member, so that a reader needs no seeking.
 * Every member has the 64-bit fields of section 4.5.3, as numpy writes them. Members carry the
 * first date that zip knows, so that the same recording gives the same bytes.
 */

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

/* CRC-32 (ISO 3309) of n bytes behind those that gave `checksum`; 0 before the first. */
static uint32_t zip_checksum(uint32_t checksum, const void *bytes, size_t n)
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

/* Bytes of the member that was begun. */
static spk_status zip_write(spk_zip *zip, const void *bytes, size_t n)
{
    zip->offset += n;
    return spk_output_write(zip->context, zip->output, bytes, n);
}

static spk_status write_record(spk_zip *zip, const record *r)
{
    return zip_write(zip, r->bytes, r->n);
}

/* Begins a member of `size` bytes with this checksum; `name` is ASCII and shorter than
 * SPK_ZIP_NAME_BYTES. The caller then writes exactly so many bytes. */
static spk_status zip_begin(spk_zip *zip, const char *name, uint32_t checksum, uint64_t size)
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
        status = zip_write(zip, name, strlen(name));
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
        status = zip_write(zip, member->name, strlen(member->name));
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

/* The list of members, which ends the archive. */
static spk_status zip_end(spk_zip *zip)
{
    uint64_t list = zip->offset;
    spk_status status = SPK_OK;
    for (size_t k = 0; k < zip->n && status == SPK_OK; k++)
        status = write_entry(zip, &zip->member[k]);
    return status == SPK_OK ? write_list_end(zip, list) : status;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

enum { PIECE_BYTES = 1 << 18, NPY_HEAD_BYTES = 128, BOUND_BYTES = 48 };

typedef struct npz_source {
    const spk_recording *recording;
    spk_events events;
    spk_rate rate;
    const spk_segment *segment;
    size_t n_segments;
} npz_source;

/* One array: `fill` writes elements first .. first + n - 1 of `size` bytes each. */
typedef struct npz_array {
    const char *name;
    char kind; /* 'i', 'u', 'f' or 'U', as in numpy */
    size_t size;
    uint64_t n;
    void (*fill)(const npz_source *source, const struct npz_array *array, uint64_t first, size_t n,
                 void *out);
} npz_array;

/* ---- elements -------------------------------------------------------------------------------- */

static void fill_version(const npz_source *s, const npz_array *a, uint64_t first, size_t n,
                         void *out)
{
    const int32_t version = SPK_NPZ_VERSION;
    (void)s, (void)a, (void)first;
    memcpy(out, &version, n * sizeof version);
}

static void fill_ticks(const npz_source *s, const npz_array *a, uint64_t first, size_t n, void *out)
{
    (void)a;
    memcpy(out, s->events.time + first, n * sizeof *s->events.time);
}

static void fill_seconds(const npz_source *s, const npz_array *a, uint64_t first, size_t n,
                         void *out)
{
    double *seconds = out;
    (void)a;
    for (size_t k = 0; k < n; k++)
        seconds[k] = spk_clock_seconds(s->events.time[first + k], s->rate);
}

static void fill_units(const npz_source *s, const npz_array *a, uint64_t first, size_t n, void *out)
{
    (void)a;
    memcpy(out, s->events.unit + first, n * sizeof *s->events.unit);
}

static void fill_keys(const npz_source *s, const npz_array *a, uint64_t first, size_t n, void *out)
{
    uint32_t *key = out;
    (void)s, (void)a;
    for (size_t k = 0; k < n; k++)
        key[k] = (uint32_t)(first + k);
}

static void fill_rate(const npz_source *s, const npz_array *a, uint64_t first, size_t n, void *out)
{
    const uint64_t rate[] = {s->rate.numerator, s->rate.denominator};
    (void)a;
    memcpy(out, rate + first, n * sizeof *rate);
}

static void fill_start(const npz_source *s, const npz_array *a, uint64_t first, size_t n, void *out)
{
    for (size_t k = 0; k < n; k++) {
        int64_t ticks = s->segment[first + k].start;
        if (a->kind == 'i')
            ((int64_t *)out)[k] = ticks;
        else
            ((double *)out)[k] = spk_clock_seconds(ticks, s->rate);
    }
}

static void fill_stop(const npz_source *s, const npz_array *a, uint64_t first, size_t n, void *out)
{
    for (size_t k = 0; k < n; k++) {
        int64_t ticks = s->segment[first + k].stop;
        if (a->kind == 'i')
            ((int64_t *)out)[k] = ticks;
        else
            ((double *)out)[k] = spk_clock_seconds(ticks, s->rate);
    }
}

static void fill_trial(const npz_source *s, const npz_array *a, uint64_t first, size_t n, void *out)
{
    uint64_t *trial = out;
    (void)a;
    for (size_t k = 0; k < n; k++)
        trial[k] = spk_recording_trial(s->recording, (size_t)first + k);
}

static void fill_trials(const npz_source *s, const npz_array *a, uint64_t first, size_t n,
                        void *out)
{
    const uint64_t trials = spk_recording_trials(s->recording);
    (void)a, (void)first;
    memcpy(out, &trials, n * sizeof trials);
}

/* numpy's U: four bytes a character, filled up with zeros. */
static void put_text(const char *text, size_t size, char *out)
{
    size_t length = strlen(text), at = 0;
    memset(out, 0, size);
    for (size_t k = 0; at < length && k + 4 <= size; k += 4) {
        static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
        size_t bytes = spk_utf8_character(text + at, length - at);
        assert(bytes > 0); /* the labels were checked */
        uint32_t character = (unsigned char)text[at] & first_bits[bytes];
        for (size_t b = 1; b < bytes; b++)
            character = character << 6 | ((unsigned char)text[at + b] & 0x3f);
        memcpy(out + k, &character, 4);
        at += bytes;
    }
}

static void fill_labels(const npz_source *s, const npz_array *a, uint64_t first, size_t n,
                        void *out)
{
    for (size_t k = 0; k < n; k++)
        put_text(spk_recording_label(s->recording, (uint32_t)(first + k)), a->size,
                 (char *)out + k * a->size);
}

/* Start or stop of a segment, exactly. */
static void put_bound(const npz_source *s, size_t segment, bool is_stop, char text[BOUND_BYTES])
{
    const spk_recording_bounds *given = &s->recording->given;
    const bool is_cut = s->recording->n_segments > 0 || s->events.n_events == 0;
    const bool is_open = !is_cut && (is_stop ? given->stop_of_events : given->start_of_events);
    spk_exact_segment exact = spk_recording_exact_segment(s->recording, segment);
    spk_border border = is_stop ? exact.stop : exact.start;
    if (border.between)
        spk_duration_format(border.time, text, BOUND_BYTES);
    else
        snprintf(text, BOUND_BYTES, "%s", is_open ? SPK_NPZ_BOUND_OPEN : SPK_NPZ_BOUND_TICK);
}

static void fill_bounds(const npz_source *s, const npz_array *a, uint64_t first, size_t n,
                        void *out)
{
    for (size_t k = 0; k < n; k++) {
        char text[BOUND_BYTES];
        put_bound(s, (size_t)(first + k) / 2, (first + k) % 2 == 1, text);
        put_text(text, a->size, (char *)out + k * a->size);
    }
}

static void fill_type(const npz_source *s, const npz_array *a, uint64_t first, size_t n, void *out)
{
    (void)s, (void)first;
    for (size_t k = 0; k < n; k++)
        put_text("TsGroup", a->size, (char *)out + k * a->size);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* The head of an npy file: what the array is, filled up with blanks. */
static void make_head(const npz_array *array, char head[NPY_HEAD_BYTES])
{
    const uint16_t one = 1;
    const char order = *(const unsigned char *)&one == 1 ? '<' : '>';
    const size_t size = array->kind == 'U' ? array->size / 4 : array->size;
    memset(head, ' ', NPY_HEAD_BYTES);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = NPY_HEAD_BYTES - 10;
    head[9] = 0;
    int n = snprintf(head + 10, NPY_HEAD_BYTES - 10,
                     "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%" PRIu64 ",), }",
                     order, array->kind, size, array->n);
    assert(n > 0 && n < NPY_HEAD_BYTES - 11);
    head[10 + n] = ' ';
    head[NPY_HEAD_BYTES - 1] = '\n';
}

/* Calls `take` for the bytes of an array, piece by piece. */
static spk_status each_piece(spk_context *context, const npz_source *source, const npz_array *array,
                             char *piece, size_t piece_bytes,
                             spk_status (*take)(void *user, const void *bytes, size_t n),
                             void *user)
{
    char head[NPY_HEAD_BYTES];
    const size_t at_once = piece_bytes / array->size;
    make_head(array, head);
    spk_status status = take(user, head, sizeof head);
    for (uint64_t i = 0; i < array->n && status == SPK_OK; i += at_once) {
        size_t n = array->n - i < at_once ? (size_t)(array->n - i) : at_once;
        array->fill(source, array, i, n, piece);
        status = take(user, piece, n * array->size);
        if (status == SPK_OK)
            status = spk_check_cancel(context);
    }
    return status;
}

static spk_status sum(void *user, const void *bytes, size_t n)
{
    uint32_t *checksum = user;
    *checksum = zip_checksum(*checksum, bytes, n);
    return SPK_OK;
}

static spk_status send(void *user, const void *bytes, size_t n)
{
    return zip_write(user, bytes, n);
}

static spk_status write_array(spk_zip *zip, const npz_source *source, const npz_array *array)
{
    char name[SPK_ZIP_NAME_BYTES];
    uint32_t checksum = 0;
    char *piece = NULL;
    size_t bytes = array->size > PIECE_BYTES ? array->size : PIECE_BYTES;
    snprintf(name, sizeof name, "%s.npy", array->name);
    spk_status status = spk_alloc(zip->context, &piece, bytes, "a piece of an array");
    if (status == SPK_OK)
        status = each_piece(zip->context, source, array, piece, bytes, sum, &checksum);
    if (status == SPK_OK)
        status = zip_begin(zip, name, checksum, NPY_HEAD_BYTES + array->n * array->size);
    if (status == SPK_OK)
        status = each_piece(zip->context, source, array, piece, bytes, send, zip);
    free(piece);
    return status;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Characters of the longest label; fails for one that is no UTF-8. */
static spk_status find_longest(spk_context *context, const npz_source *source, const char *path,
                               size_t *longest)
{
    *longest = 1;
    for (uint32_t u = 0; u < source->events.n_units; u++) {
        const char *label = spk_recording_label(source->recording, u);
        size_t length = strlen(label), n = 0;
        for (size_t at = 0; at < length; n++) {
            size_t bytes = spk_utf8_character(label + at, length - at);
            if (bytes == 0)
                return spk_fail(context, SPK_ERR_FORMAT,
                                "%s: the label of unit %" PRIu32 " is not UTF-8, which npz needs; "
                                "rename the unit",
                                path, u);
            at += bytes;
        }
        *longest = n > *longest ? n : *longest;
    }
    return SPK_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static spk_status write_arrays(spk_context *context, spk_output *output, const npz_source *source,
                               size_t longest)
{
    const uint64_t n = source->events.n_events, n_units = source->events.n_units;
    const uint64_t s = source->n_segments;
    const npz_array arrays[] = {
        {SPK_NPZ_MARK, 'i', 4, 1, fill_version},
        {SPK_NPZ_TICKS, 'i', 8, n, fill_ticks},
        {SPK_NPZ_INDEX, 'u', 4, n, fill_units},
        {SPK_NPZ_LABELS, 'U', 4 * longest, n_units, fill_labels},
        {SPK_NPZ_RATE, 'u', 8, 2, fill_rate},
        {SPK_NPZ_SEGMENT_START, 'i', 8, s, fill_start},
        {SPK_NPZ_SEGMENT_STOP, 'i', 8, s, fill_stop},
        {SPK_NPZ_SEGMENT_BOUNDS, 'U', (size_t)4 * BOUND_BYTES, 2 * s, fill_bounds},
        {"type", 'U', 4 * sizeof "TsGroup" - 4, 1, fill_type},
        {"t", 'f', 8, n, fill_seconds},
        {"keys", 'u', 4, n_units, fill_keys},
        {"start", 'f', 8, s, fill_start},
        {"end", 'f', 8, s, fill_stop},
        {SPK_NPZ_SEGMENT_TRIAL, 'u', 8, s, fill_trial},
        {SPK_NPZ_TRIALS, 'u', 8, 1, fill_trials},
    };
    const size_t n_arrays =
        sizeof arrays / sizeof arrays[0] - (spk_trials_are_segments(source->recording) ? 2 : 0);
    spk_zip zip = {.context = context, .output = output};
    spk_status status = SPK_OK;
    for (size_t k = 0; k < n_arrays && status == SPK_OK; k++) {
        spk_progress(context, "writing", k, n_arrays);
        status = write_array(&zip, source, &arrays[k]);
    }
    return status == SPK_OK ? zip_end(&zip) : status;
}

static spk_status write_npz(spk_context *context, const spk_recording *recording, const char *path)
{
    spk_output *output = NULL;
    size_t longest = 0;
    npz_source source = {.recording = recording,
                         .events = spk_recording_events(recording),
                         .rate = spk_recording_rate(recording)};
    source.segment = spk_recording_segments(recording, &source.n_segments);
    spk_status status = find_longest(context, &source, path, &longest);
    if (status == SPK_OK)
        status = spk_output_open(context, path, &output);
    if (status == SPK_OK)
        status = write_arrays(context, output, &source, longest);
    if (status == SPK_OK)
        return spk_output_commit(context, output);
    spk_output_discard(output);
    return status;
}

const spk_writer spk_writer_npz = {
    .name = "npz",
    .endings = ".npz",
    .write = write_npz,
};
