/*
 * The state file:
 *
 *     "spikemine live state 2\n"
 *     its length in bytes from here on
 *     rate, window and bin in ticks, digest of what is watched
 *     stream, watch
 *     SHA-256 of all bytes before, in hexadecimal
 *
 * Numbers are 8 bytes, the lowest first. The length tells a file that was cut from one that was
 * damaged.
 */
#include "live/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/sha256.h"
#include "recording/input.h"

static const char MAGIC[] = "spikemine live state ";
static const char VERSION[] = "2\n";
enum { HEAD = sizeof MAGIC - 1 + sizeof VERSION - 1, DIGEST = SPK_SHA256_HEX - 1 };

/* ---- what must be the same ------------------------------------------------------------------- */

static void add_names(spk_sha256 *digest, const watch_names *names, uint64_t n, uint64_t n_bytes)
{
    spk_sha256_add_u64(digest, n);
    spk_sha256_add(digest, names->bytes != NULL ? names->bytes : "", n_bytes);
}

/* All that decides which queues, ends and trains there are, and in what order. */
static void digest_items(const spk_live_watch *watch, char hex[SPK_SHA256_HEX])
{
    spk_sha256 digest = spk_sha256_start();
    const watch_trie *trie = &watch->trie;
    const watch_names *patterns = &watch->pattern_names;
    const watch_extent kept = watch_kept(watch);
    add_names(&digest, &watch->episode_names, kept.episodes, kept.name_bytes);
    add_names(&digest, patterns, patterns->n, patterns->n_bytes);
    for (uint64_t k = 0; k < kept.nodes; k++) {
        const watch_node *node = &trie->node[k];
        spk_sha256_add_u64(&digest, (uint64_t)node->parent << 32 | node->unit);
        spk_sha256_add_u64(&digest, (uint64_t)node->delay << 32 | node->end);
    }
    for (uint64_t k = 0; k < kept.queues; k++) {
        spk_sha256_add_u64(&digest, trie->queue[k].lo);
        spk_sha256_add_u64(&digest, trie->queue[k].hi);
    }
    spk_sha256_end(&digest, hex);
}

static void put_settings(live_writer *writer, const spk_live_watch *watch)
{
    char hex[SPK_SHA256_HEX];
    digest_items(watch, hex);
    live_put_u64(writer, watch->rate.numerator);
    live_put_u64(writer, watch->rate.denominator);
    live_put_u64(writer, watch->window.ticks);
    live_put_u64(writer, watch->patterns.width.numerator);
    live_put_u64(writer, watch->patterns.width.denominator);
    live_put(writer, hex, DIGEST);
}

static spk_status fail_other(spk_context *context, const char *name, const char *what)
{
    return spk_fail(context, SPK_ERR_ARGUMENT,
                    "%s: is the state of %s; take the file of this job, or begin a new one", name,
                    what);
}

static spk_status check_settings(spk_context *context, live_reader *reader, const char *name,
                                 const spk_live_watch *watch)
{
    char hex[SPK_SHA256_HEX];
    digest_items(watch, hex);
    uint64_t up = live_get_u64(reader), down = live_get_u64(reader);
    uint64_t window = live_get_u64(reader);
    uint64_t width_up = live_get_u64(reader), width_down = live_get_u64(reader);
    const char *items = live_get(reader, DIGEST);
    if (items == NULL)
        return SPK_OK;
    if (up != watch->rate.numerator || down != watch->rate.denominator)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "%s: is the state of a stream with %.9g ticks a second, not %.9g; take the "
                        "file of this source, or begin a new one",
                        name, (double)up / (double)down,
                        (double)watch->rate.numerator / (double)watch->rate.denominator);
    if (memcmp(items, hex, DIGEST) != 0)
        return fail_other(context, name, "another list of episodes or patterns");
    if (width_up != watch->patterns.width.numerator ||
        width_down != watch->patterns.width.denominator)
        return fail_other(context, name, "another width of bins");
    if (window != watch->window.ticks)
        return fail_other(context, name, "another window of recent counts");
    return SPK_OK;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static void digest_bytes(const char *bytes, uint64_t n, char hex[SPK_SHA256_HEX])
{
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add(&digest, bytes, n);
    spk_sha256_end(&digest, hex);
}

/* The length stands behind the head once it is known. */
static void set_length(live_writer *writer)
{
    uint64_t length = writer->n - HEAD - 8 + DIGEST;
    for (int k = 0; k < 8; k++)
        writer->bytes[HEAD + k] = (char)(unsigned char)(length >> 8 * k);
}

void live_state_put(live_writer *writer, const spk_live_stream *stream, const spk_live_watch *watch)
{
    char hex[SPK_SHA256_HEX];
    live_put(writer, MAGIC, sizeof MAGIC - 1);
    live_put(writer, VERSION, sizeof VERSION - 1);
    live_put_u64(writer, 0);
    put_settings(writer, watch);
    live_state_put_stream(writer, stream);
    live_state_put_watch(writer, watch);
    if (writer->status != SPK_OK)
        return;
    set_length(writer);
    digest_bytes(writer->bytes, writer->n, hex);
    live_put(writer, hex, DIGEST);
}

spk_status spk_live_state_save(spk_context *context, const spk_live_stream *stream,
                               const spk_live_watch *watch, const char *path)
{
    spk_output *output = NULL;
    live_writer writer = {.context = context};
    if (stream->n_out > 0 || watch->stream != stream)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "the state of a stream that has failed, or of a watch of another stream");
    live_state_put(&writer, stream, watch);
    spk_status status = writer.status;
    if (status == SPK_OK)
        status = spk_output_open(context, path, &output);
    if (status == SPK_OK)
        status = spk_output_write(context, output, writer.bytes, writer.n);
    if (status == SPK_OK)
        status = spk_output_commit(context, output);
    else
        spk_output_discard(output);
    free(writer.bytes);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

static spk_status read_bytes(spk_context *context, spk_input *input, live_writer *bytes)
{
    enum { BLOCK = 1 << 16 };
    char *block = NULL;
    size_t n = 1;
    spk_status status = spk_alloc(context, &block, BLOCK, "reading");
    while (status == SPK_OK && n > 0) {
        status = spk_input_read(context, input, block, BLOCK, &n);
        if (status == SPK_OK)
            live_put(bytes, block, n);
        if (status == SPK_OK)
            status = bytes->status;
    }
    free(block);
    return status;
}

static spk_status fail_format(spk_context *context, const char *name, const char *problem)
{
    return spk_fail(context, SPK_ERR_FORMAT, "%s: %s", name, problem);
}

/* Finds the part between length and digest, which must be right. */
static spk_status check_bytes(spk_context *context, const char *name, const char *bytes, uint64_t n,
                              live_reader *reader)
{
    char hex[SPK_SHA256_HEX];
    *reader = (live_reader){.at = bytes, .left = n};
    const char *head = live_get(reader, HEAD);
    uint64_t length = live_get_u64(reader);
    if (n < sizeof MAGIC - 1 || memcmp(bytes, MAGIC, sizeof MAGIC - 1) != 0)
        return fail_format(context, name, "is no state of spikemine; give another file");
    if (head != NULL && memcmp(head + sizeof MAGIC - 1, VERSION, sizeof VERSION - 1) != 0)
        return fail_format(context, name,
                           "is a state of another version of spikemine; take that one, or begin a "
                           "new file");
    if (reader->bad || reader->left < length)
        return fail_format(context, name,
                           "the file was cut; take an older one, or begin a new one");
    if (length < DIGEST || reader->left > length)
        return fail_format(context, name,
                           "the file was damaged; take an older one, or begin a new one");
    digest_bytes(bytes, n - DIGEST, hex);
    if (memcmp(bytes + n - DIGEST, hex, DIGEST) != 0)
        return fail_format(context, name,
                           "the file was damaged; take an older one, or begin a new one");
    reader->left -= DIGEST;
    return SPK_OK;
}

static spk_status get_all(spk_context *context, const char *name, live_reader *reader,
                          spk_live_stream *stream, spk_live_watch *watch)
{
    spk_status status = check_settings(context, reader, name, watch);
    if (status == SPK_OK && !reader->bad)
        status = live_state_get_stream(context, reader, stream);
    if (status == SPK_OK && !reader->bad)
        status = live_state_get_watch(context, reader, watch);
    if (status == SPK_OK && (reader->bad || reader->left > 0))
        status = fail_format(context, name, "the file contradicts itself; begin a new one");
    return status;
}

spk_status live_state_get(spk_context *context, const char *name, const char *bytes, uint64_t n,
                          spk_live_stream *stream, spk_live_watch *watch)
{
    live_reader reader;
    spk_status status = check_bytes(context, name, bytes, n, &reader);
    return status == SPK_OK ? get_all(context, name, &reader, stream, watch) : status;
}

spk_status spk_live_state_load(spk_context *context, spk_live_stream *stream, spk_live_watch *watch,
                               const char *path)
{
    spk_input *input = NULL;
    live_writer bytes = {.context = context};
    if (stream->begun || stream->ended || watch->segment > 0 || watch->stream != stream)
        return spk_fail(context, SPK_ERR_ARGUMENT,
                        "a state is loaded before the first spike, into the stream of the watch");
    spk_status status = spk_input_open_own(context, path, &input);
    if (status == SPK_OK)
        status = read_bytes(context, input, &bytes);
    if (status == SPK_OK)
        status =
            live_state_get(context, spk_input_name(input), bytes.bytes, bytes.n, stream, watch);
    spk_input_close(input);
    free(bytes.bytes);
    return status;
}
