/* Whether a request may be answered, and what its numbers are. */
#include "live/page/request.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* ---- tokens and numbers ---------------------------------------------------------------------- */

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool request_is_token(const char *text)
{
    size_t n = 0;
    for (; text[n] != '\0'; n++)
        if (n == REQUEST_MOST_TOKEN || !(is_letter_or_digit(text[n]) || strchr("-_", text[n])))
            return false;
    return n >= REQUEST_LEAST_TOKEN;
}

/* As long for every wrong token of the same length, so that time tells nothing of it. */
static bool is_the_token(const char *token, const char *given)
{
    if (given == NULL || strlen(given) != strlen(token))
        return false;
    unsigned difference = 0;
    for (size_t k = 0; token[k] != '\0'; k++)
        difference |= (unsigned)((unsigned char)token[k] ^ (unsigned char)given[k]);
    return difference == 0;
}

bool request_number(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (text == NULL || text[0] == '\0')
        return false;
    for (size_t k = 0; text[k] != '\0'; k++) {
        if (text[k] < '0' || text[k] > '9' || k >= 16)
            return false;
        value = 10 * value + (uint64_t)(text[k] - '0');
    }
    if (value > UINT64_C(1) << 53)
        return false;
    *out = value;
    return true;
}

/* ---- names of the server --------------------------------------------------------------------- */

/* The name in "name:port" or "[v6]:port"; false where the rest is no port. */
static bool split_host(const char *host, const char **name, size_t *n)
{
    const char *rest;
    if (host[0] == '[') {
        rest = strchr(host, ']');
        if (rest == NULL)
            return false;
        *name = host + 1;
        *n = (size_t)(rest - host) - 1;
        rest++;
    } else {
        rest = host + strcspn(host, ":");
        *name = host;
        *n = (size_t)(rest - host);
    }
    if (*n == 0 || *n > 253)
        return false;
    if (*rest == '\0')
        return true;
    const size_t digits = strspn(rest + 1, "0123456789");
    return *rest == ':' && digits >= 1 && digits <= 5 && rest[1 + digits] == '\0';
}

/* Four numbers, or hexadecimal digits with a colon: no name that somebody could make point here. */
static bool is_numeric(const char *name, size_t n)
{
    size_t dots = 0, colons = 0;
    for (size_t k = 0; k < n; k++) {
        const char c = name[k];
        dots += c == '.';
        colons += c == ':';
        if (c != '.' && c != ':' && !isxdigit((unsigned char)c))
            return false;
    }
    if (colons >= 2)
        return true;
    for (size_t k = 0; k < n; k++)
        if (name[k] != '.' && !isdigit((unsigned char)name[k]))
            return false;
    return colons == 0 && dots == 3;
}

static bool equals(const char *name, size_t n, const char *other)
{
    return other != NULL && strlen(other) == n && n > 0 && strncasecmp(name, other, n) == 0;
}

/* Names of a foreign domain may point to this machine (DNS rebinding). So the server answers to
 * addresses, to localhost, to the machine's own name and to the name that it was told of. */
static bool is_own_name(const request_guard *guard, const char *host)
{
    const char *name;
    size_t n;
    if (!split_host(host, &name, &n))
        return false;
    if (is_numeric(name, n) || equals(name, n, "localhost") || equals(name, n, guard->address) ||
        equals(name, n, guard->host) || equals(name, n, guard->machine))
        return true;
    const size_t local = strlen(".local");
    return n > local && strncasecmp(name + n - local, ".local", local) == 0 &&
           equals(name, n - local, guard->machine);
}

/* The page itself is the only origin: scheme and Host of this request. */
static bool is_own_origin(const char *origin, const char *host)
{
    const char *rest = strstr(origin, "://");
    return rest != NULL &&
           (strncmp(origin, "http://", 7) == 0 || strncmp(origin, "https://", 8) == 0) &&
           strcasecmp(rest + 3, host) == 0;
}

/* ---- the check ------------------------------------------------------------------------------- */

bool request_is_known(const request_guard *guard, const request_facts *r)
{
    return !r->has_nul && (is_the_token(guard->token, r->query_token) ||
                           is_the_token(guard->token, r->header_token));
}

int request_check(const request_guard *guard, const request_facts *r, const char **why)
{
    const bool posts = strcmp(r->method, "POST") == 0;
    *why = "";
    if (r->address_length > REQUEST_MOST_ADDRESS) {
        *why = "the address is too long";
        return 414;
    }
    if (r->has_nul) {
        *why = "the request has a zero byte";
        return 400;
    }
    if (!posts && strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0) {
        *why = "this server knows GET, HEAD and POST";
        return 405;
    }
    if (r->body_length > (posts ? REQUEST_MOST_BODY : 0)) {
        *why = "the request has a body that is too large";
        return 413;
    }
    if (r->host == NULL || !is_own_name(guard, r->host)) {
        *why = "this server was called by a foreign name; take the address that it printed";
        return 403;
    }
    if (r->origin != NULL && !is_own_origin(r->origin, r->host)) {
        *why = "another page may not read this one";
        return 403;
    }
    if (!(r->is_open && !posts) && !request_is_known(guard, r)) {
        *why = "the token is missing or wrong; open the address that the program printed, which "
               "ends in ?token=...";
        return 403;
    }
    return 0;
}

/* ---- orders ---------------------------------------------------------------------------------- */

static int hexadecimal(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The field's value without %XX and '+'; false where it does not fit or is no text. */
static bool unescape(const char *from, size_t n, char *out, size_t size)
{
    size_t made = 0;
    for (size_t k = 0; k < n; k++) {
        char c = from[k];
        if (c == '%') {
            const int high = k + 2 < n ? hexadecimal(from[k + 1]) : -1;
            const int low = k + 2 < n ? hexadecimal(from[k + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(16 * high + low);
            k += 2;
        } else if (c == '+') {
            c = ' ';
        }
        if (made + 1 >= size)
            return false;
        out[made++] = c;
    }
    out[made] = '\0';
    return spk_utf8_is_plain(out, made);
}

static bool read_action(const char *name, request_action *out)
{
    static const struct {
        const char *name;
        request_action action;
    } known[] = {{"speed", REQUEST_SPEED}, {"pause", REQUEST_PAUSE},
                 {"mark", REQUEST_MARK},   {"unmark", REQUEST_UNMARK},
                 {"watch", REQUEST_WATCH}, {"unwatch", REQUEST_UNWATCH}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(name, known[k].name) != 0)
            continue;
        *out = known[k].action;
        return true;
    }
    return false;
}

/* Decimal digits and at most one point: what the page sends, in any locale. */
static bool read_real(const char *text, double *out)
{
    double value = 0, scale = 1;
    bool point = false;
    if (text[0] == '\0' || strlen(text) > 12)
        return false;
    for (; *text != '\0'; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9')
            return false;
        value = 10 * value + (*text - '0');
        scale *= point ? 10 : 1;
    }
    *out = value / scale;
    return true;
}

static bool read_field(const char *name, size_t n, const char *value, request_order *out)
{
    if (n == 6 && memcmp(name, "action", n) == 0)
        return read_action(value, &out->action);
    if (n == 5 && memcmp(name, "value", n) == 0)
        return read_real(value, &out->value);
    if (n == 5 && memcmp(name, "place", n) == 0)
        return request_number(value, &out->place);
    if (n == 4 && memcmp(name, "text", n) == 0) {
        memcpy(out->text, value, strlen(value) + 1);
        return true;
    }
    return false;
}

static bool is_sound(const request_order *order)
{
    switch (order->action) {
    case REQUEST_SPEED:
        return order->value >= 0 && order->value <= 1e6;
    case REQUEST_PAUSE:
        return order->value == 0 || order->value == 1;
    case REQUEST_MARK:
        return strlen(order->text) < REQUEST_MOST_MARK;
    case REQUEST_WATCH:
        return order->text[0] != '\0';
    case REQUEST_UNMARK:
    case REQUEST_UNWATCH:
        return true;
    }
    return false;
}

bool request_read_order(const char *body, size_t n, request_order *out)
{
    memset(out, 0, sizeof *out);
    for (size_t at = 0; at < n;) {
        const char *field = body + at;
        const char *end = memchr(field, '&', n - at);
        const size_t length = end != NULL ? (size_t)(end - field) : n - at;
        const char *equal = memchr(field, '=', length);
        char value[sizeof out->text];
        if (equal == NULL)
            return false;
        const size_t name = (size_t)(equal - field);
        if (!unescape(equal + 1, length - name - 1, value, sizeof value) ||
            !read_field(field, name, value, out))
            return false;
        at += length + 1;
    }
    return is_sound(out);
}
