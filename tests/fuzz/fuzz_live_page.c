/* Requests to the page of a live stream: nothing but the token lets anybody in, a foreign name
 * never does, and orders that are read are sound. The input is fields that end in a newline:
 * method, host, origin, flags, query, header; the rest is the body of an order. */
#include <math.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "live/page/request.h"

static const char token[] = "0123456789abcdef";

/* The next line as a text of its own; NULL where it is "-". */
static char *take_line(const uint8_t **data, size_t *size)
{
    const uint8_t *end = memchr(*data, '\n', *size);
    const size_t n = end != NULL ? (size_t)(end - *data) : *size;
    char *text = malloc(n + 1);
    require(text != NULL);
    memcpy(text, *data, n);
    text[n] = '\0';
    *data += end != NULL ? n + 1 : n;
    *size -= end != NULL ? n + 1 : n;
    if (strcmp(text, "-") != 0)
        return text;
    free(text);
    return NULL;
}

static void check_request(const request_facts *r)
{
    const request_guard guard = {
        .token = token, .address = "127.0.0.1", .machine = "rig", .host = NULL};
    const char *why;
    const int status = request_check(&guard, r, &why);
    if (status != 0) {
        require(status >= 400 && status < 500 && why[0] != '\0');
        return;
    }
    const bool known = (r->query_token != NULL && strcmp(r->query_token, token) == 0) ||
                       (r->header_token != NULL && strcmp(r->header_token, token) == 0);
    require(known == request_is_known(&guard, r));
    require(known || (r->is_open && strcmp(r->method, "POST") != 0));
    require(!r->has_nul);
    require(r->host != NULL && r->host[0] != '\0');
    if (r->origin != NULL) /* it ends in the host */
        require(strlen(r->origin) > strlen(r->host));
    /* A domain is never ours. */
    require(strstr(r->host, ".com") == NULL && strstr(r->host, ".org") == NULL);
}

static void check_order(const uint8_t *data, size_t size)
{
    request_order order;
    char *copy = malloc(size + 1); /* exactly as long as it is: reading beyond is seen */
    require(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    const bool read = request_read_order(copy, size, &order);
    free(copy);
    if (!read)
        return;
    require(order.action >= REQUEST_SPEED && order.action <= REQUEST_UNWATCH);
    require(order.action != REQUEST_MARK || strlen(order.text) < REQUEST_MOST_MARK);
    require(order.action != REQUEST_WATCH || order.text[0] != '\0');
    require(isfinite(order.value) && order.value >= 0);
    require(order.place <= UINT64_C(1) << 53);
    require(memchr(order.text, '\0', sizeof order.text) != NULL);
    require(spk_utf8_is_plain(order.text, strlen(order.text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line[6];
    uint64_t number;
    for (int k = 0; k < 6; k++)
        line[k] = take_line(&data, &size);
    const request_facts r = {.method = line[0] != NULL ? line[0] : "GET",
                             .host = line[1],
                             .origin = line[2],
                             .has_nul = line[3] != NULL && strchr(line[3], 'z') != NULL,
                             .is_open = line[3] != NULL && strchr(line[3], 'o') != NULL,
                             .query_token = line[4],
                             .header_token = line[5],
                             .address_length = size,
                             .body_length = size};
    check_request(&r);
    check_order(data, size);
    for (int k = 0; k < 6; k++) {
        if (line[k] != NULL && request_number(line[k], &number))
            require(number <= UINT64_C(1) << 53);
        if (line[k] != NULL && request_is_token(line[k]))
            require(strlen(line[k]) >= REQUEST_LEAST_TOKEN &&
                    strlen(line[k]) <= REQUEST_MOST_TOKEN);
        free(line[k]);
    }
    return 0;
}
