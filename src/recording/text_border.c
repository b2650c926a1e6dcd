/*
 * Where the lines of one rank end and those of the next begin: each should have as many lines, that
 * is events, so that no rank needs more memory than the others.
 *
 * Lines at the end of a long recording are longer than those at its beginning, since times get more
 * digits: 9.00513 and 999999.00513. So ranks count the lines in samples all over the file, and lay
 * the borders so that each has the same share of the lines expected between them:
 *
 *     lines in a sample:   300      280      240      200      180
 *     borders, 2 ranks:    |................|.....................|
 *
 * All ranks see the same samples, and so find the same borders. Each digests the whole file, which
 * takes less time than reading its share of the events: ranks that read different bytes of
 * different files of one size would make a recording that is none of these.
 */
#include "recording/text_share.h"

#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "recording/digest_state.h"

enum { SAMPLE_BYTES = 1024, SAMPLES_OF_RANK = 16 };

/* Samples lie at equal distances from the first byte to the last; cells are what is between. */
typedef struct samples {
    uint64_t size; /* of the file */
    uint64_t n_cells;
    uint64_t *lines; /* n_cells + 1; at least 1 */
} samples;

static uint64_t place_of(const samples *s, uint64_t cell)
{
    const uint64_t n = s->n_cells > 0 ? s->n_cells : 1;
    return (uint64_t)((unsigned __int128)s->size * cell / n);
}

static spk_status take_sample(const spk_text_reader *reader, const samples *s, uint64_t k)
{
    char bytes[SAMPLE_BYTES];
    size_t n = 0;
    uint64_t at = place_of(s, k);
    at = at > SAMPLE_BYTES / 2 ? at - SAMPLE_BYTES / 2 : 0;
    if (s->size > SAMPLE_BYTES && at > s->size - SAMPLE_BYTES)
        at = s->size - SAMPLE_BYTES;
    spk_status status =
        spk_input_read_at(reader->context, reader->input, at, bytes, sizeof bytes, &n);
    s->lines[k] = 1;
    for (size_t b = 0; b < n; b++)
        s->lines[k] += bytes[b] == '\n';
    return status;
}

/* Lines expected in a cell, in some unit. */
static uint64_t weight_of(const samples *s, uint64_t cell)
{
    return s->lines[cell] + s->lines[cell + 1];
}

/* The byte before which k of n shares of the lines are expected. */
static uint64_t border(const samples *s, uint64_t k, uint64_t n)
{
    uint64_t all = 0, before = 0, cell = 0;
    for (uint64_t c = 0; c < s->n_cells; c++)
        all += weight_of(s, c);
    while (cell + 1 < s->n_cells && (before + weight_of(s, cell)) * n <= all * k)
        before += weight_of(s, cell++);
    uint64_t from = place_of(s, cell), length = place_of(s, cell + 1) - from;
    uint64_t part = all * k - before * n, whole = weight_of(s, cell) * n;
    return from + (uint64_t)((unsigned __int128)length * part / whole);
}

static spk_status digest_file(const spk_text_reader *reader, uint64_t size, char *hex)
{
    char *bytes = NULL;
    size_t n = 1;
    spk_digest_state quick;
    spk_sha256 plain = spk_sha256_start();
    const bool built = spk_digest_state_is_built();
    spk_digest_state_start(&quick);
    spk_status status = spk_alloc(reader->context, &bytes, SPK_TEXT_BUFFER, "a part of a text");
    for (uint64_t at = 0; status == SPK_OK && at < size && n > 0; at += n) {
        const uint64_t rest = size - at;
        const size_t wanted = rest < SPK_TEXT_BUFFER ? (size_t)rest : SPK_TEXT_BUFFER;
        status = spk_input_read_at(reader->context, reader->input, at, bytes, wanted, &n);
        if (status == SPK_OK && built)
            spk_digest_state_add(&quick, bytes, n);
        else if (status == SPK_OK)
            spk_sha256_add(&plain, bytes, n);
    }
    if (built)
        spk_digest_state_end(&quick, hex);
    else
        spk_sha256_end(&plain, hex);
    spk_free(reader->context, bytes);
    return status;
}

spk_status spk_text_lay_borders(spk_text_reader *reader, char *hex)
{
    const spk_read_part *wanted = reader->options->part;
    const uint64_t n = wanted->n > 1 ? (uint64_t)wanted->n : 1, k = (uint64_t)wanted->number;
    const uint64_t n_cells = n * SAMPLES_OF_RANK;
    uint64_t *lines = NULL;
    spk_status status = spk_alloc(reader->context, &lines, n_cells + 1, "samples of a text");
    const samples s = {
        .size = spk_input_plain_size(reader->input), .n_cells = n_cells, .lines = lines};
    for (uint64_t c = 0; c <= n_cells && status == SPK_OK; c++)
        status = take_sample(reader, &s, c);
    if (status == SPK_OK)
        status = digest_file(reader, s.size, hex);
    if (status == SPK_OK) {
        reader->part.from = border(&s, k, n);
        if (k + 1 < n)
            reader->part.to = border(&s, k + 1, n);
    }
    spk_free(reader->context, lines);
    return status;
}
