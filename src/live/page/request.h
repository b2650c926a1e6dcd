/*
 * Whether a request may be answered, and what its numbers are: everything about requests that is
 * ours to read. libmicrohttpd reads the rest. No sockets here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REQUEST_MOST_ADDRESS = 1024, /* bytes of path and query */
    REQUEST_MOST_BODY = 2048,
    REQUEST_MOST_TOKEN = 128,
    REQUEST_LEAST_TOKEN = 16,
    REQUEST_MOST_TEXT = 512, /* of an order, with its end */
    REQUEST_MOST_MARK = 128
};

/* What the server knows of itself. */
typedef struct request_guard {
    const char *token;
    const char *address; /* on which it listens */
    const char *machine; /* the name of this machine; "" where unknown */
    const char *host;    /* a further name; NULL: none */
} request_guard;

/* What came with a request; NULL where nothing did. */
typedef struct request_facts {
    const char *method;
    const char *host;
    const char *origin;
    const char *query_token;
    const char *header_token;
    size_t address_length; /* of path and query */
    uint64_t body_length;  /* as announced */
    bool has_nul;          /* somewhere, also as %00: what follows it would not be seen */
    bool is_open;          /* what was asked for is no secret: it needs no token */
} request_facts;

/* Whether the token came with it. */
bool request_is_known(const request_guard *guard, const request_facts *r);

/* 0: welcome. Otherwise the status of HTTP, and *why for the reader. */
int request_check(const request_guard *guard, const request_facts *r, const char **why);

/* Whether the text is a token: 16 to 128 letters, digits, '-' and '_'. */
bool request_is_token(const char *text);

/* A number of decimal digits up to 2^53; false for everything else. */
bool request_number(const char *text, uint64_t *out);

/* What a browser asks for by POST, "action=mark&place=1200&text=cue". */
typedef enum request_action {
    REQUEST_SPEED = 1, /* value */
    REQUEST_PAUSE,     /* value 0 or 1 */
    REQUEST_MARK,      /* place, text */
    REQUEST_UNMARK,    /* place: the id of a mark */
    REQUEST_WATCH,     /* text: an episode */
    REQUEST_UNWATCH    /* place: the number of an item on the page */
} request_action;

typedef struct request_order {
    request_action action;
    double value;
    uint64_t place;
    char text[REQUEST_MOST_TEXT]; /* UTF-8 that stands on one line and reads as it is written */
} request_order;

/* Reads n bytes; false where they are none of these. */
bool request_read_order(const char *body, size_t n, request_order *out);
