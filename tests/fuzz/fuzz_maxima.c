/*
 * Fuzzes the reader of files of maxima: the first byte tells whether the rest is a whole file or
 * gets its right checksum, so that what lies behind the checksum is reached. What is accepted must
 * keep every promise of the columns, and a failure must explain itself.
 */
#include "base/sha256.h"
#include "fuzz.h"
#include "significance/maxima/maxima.h"

static void check_steps(const spk_maxima_columns *c, uint64_t i)
{
    for (uint64_t e = c->first[i]; e < c->first[i + 1]; e++) {
        const spk_pattern_maximum *m = &c->maximum[e];
        promise(m->size > 0 && m->count > 0, "an empty step");
        promise(m->duration == 0 || c->by_duration, "a duration without durations");
        if (e == c->first[i])
            continue;
        promise(m->duration > m[-1].duration || (m->duration == m[-1].duration &&
                                                 m->size > m[-1].size && m->count < m[-1].count),
                "steps out of order");
    }
}

static void check_columns(const spk_maxima *maxima)
{
    spk_maxima_columns c = spk_maxima_columns_of(maxima);
    spk_maxima_info info = spk_maxima_describe(maxima);
    promise(c.first[0] == 0, "the first entry");
    promise(c.n == info.n_of_shard - info.n_missing, "the number of surrogates");
    for (uint64_t i = 0; i < c.n; i++) {
        uint64_t k = c.surrogate[i];
        promise(k >= 1 && k <= info.n_surrogates && (k - info.shard) % info.n_shards == 0,
                "a surrogate of another shard");
        promise(i == 0 || k > c.surrogate[i - 1], "surrogates out of order");
        promise(c.first[i] <= c.first[i + 1], "entries out of order");
        check_steps(&c, i);
    }
}

static char *with_sum(const uint8_t *data, size_t *size)
{
    char hex[SPK_SHA256_HEX];
    char *text = malloc(*size + 100);
    if (text == NULL)
        return NULL;
    if (*size > 0)
        memcpy(text, data, *size);
    spk_sha256 digest = spk_sha256_start();
    spk_sha256_add(&digest, text, *size);
    spk_sha256_end(&digest, hex);
    *size += (size_t)snprintf(text + *size, 100, "# sha256: %s\n", hex);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spk_context *context = NULL;
    spk_maxima *maxima = NULL, *whole = NULL;
    if (size == 0 || spk_context_create(&context) != SPK_OK)
        return 0;
    size_t n = size - 1;
    char *text = data[0] % 2 == 0 ? NULL : with_sum(data + 1, &n);
    spk_status status =
        spk_maxima_parse(context, "fuzz", text != NULL ? text : (const char *)data + 1, n, &maxima);
    promise((status == SPK_OK) == (maxima != NULL), "a status that is not true");
    promise(status == SPK_OK || strlen(spk_context_message(context)) > 0,
            "a failure without a message");
    if (status == SPK_OK) {
        check_columns(maxima);
        const spk_maxima *const parts[] = {maxima};
        status = spk_maxima_merge(context, 1, parts, &whole);
        promise(status == SPK_OK || strlen(spk_context_message(context)) > 0,
                "a failure without a message");
    }
    if (status == SPK_OK)
        check_columns(whole);
    spk_maxima_free(whole);
    spk_maxima_free(maxima);
    free(text);
    spk_context_free(context);
    return 0;
}
