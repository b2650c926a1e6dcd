/*
 * ZeroMQ, loaded when it is first needed (libzmq.so.5). The declarations are our own: those of the
 * functions in its manual pages that we call.
 */
#pragma once

#include <stddef.h>

#include "base/context.h"

/* Kinds of sockets, options and flags, as in zmq.h. */
enum {
    SPK_ZMQ_PUB = 1,
    SPK_ZMQ_SUB = 2,
    SPK_ZMQ_REQ = 3,
    SPK_ZMQ_REP = 4,

    SPK_ZMQ_SUBSCRIBE = 6,
    SPK_ZMQ_RCVMORE = 13,
    SPK_ZMQ_FD = 14,
    SPK_ZMQ_EVENTS = 15,
    SPK_ZMQ_LINGER = 17,
    SPK_ZMQ_RECONNECT_IVL = 18,
    SPK_ZMQ_RECONNECT_IVL_MAX = 21,
    SPK_ZMQ_MAXMSGSIZE = 22,
    SPK_ZMQ_SNDHWM = 23,
    SPK_ZMQ_RCVHWM = 24,
    SPK_ZMQ_LAST_ENDPOINT = 32,

    SPK_ZMQ_DONTWAIT = 1,
    SPK_ZMQ_SNDMORE = 2,

    SPK_ZMQ_POLLIN = 1,
    SPK_ZMQ_POLLOUT = 2
};

typedef struct spk_zmq_message {
    _Alignas(void *) unsigned char bytes[64];
} spk_zmq_message;

typedef struct spk_zmq_item {
    void *socket;
    int fd;
    short events;
    short revents;
} spk_zmq_item;

/* Each function is that of zmq_NAME; error_number is zmq_errno, whose name is a macro of C. */
#define SPK_ZMQ_FUNCTIONS(X)                                                                       \
    X(ctx_new, void *, (void))                                                                     \
    X(ctx_term, int, (void *zmq))                                                                  \
    X(socket, void *, (void *zmq, int kind))                                                       \
    X(close, int, (void *socket))                                                                  \
    X(setsockopt, int, (void *socket, int option, const void *value, size_t size))                 \
    X(getsockopt, int, (void *socket, int option, void *value, size_t *size))                      \
    X(bind, int, (void *socket, const char *endpoint))                                             \
    X(connect, int, (void *socket, const char *endpoint))                                          \
    X(send, int, (void *socket, const void *bytes, size_t n, int flags))                           \
    X(msg_init, int, (spk_zmq_message * message))                                                  \
    X(msg_recv, int, (spk_zmq_message * message, void *socket, int flags))                         \
    X(msg_data, void *, (spk_zmq_message * message))                                               \
    X(msg_size, size_t, (const spk_zmq_message *message))                                          \
    X(msg_more, int, (const spk_zmq_message *message))                                             \
    X(msg_close, int, (spk_zmq_message * message))                                                 \
    X(poll, int, (spk_zmq_item * items, int n, long timeout_ms))                                   \
    X(strerror, const char *, (int error))

typedef struct spk_zmq {
#define SPK_ZMQ_MEMBER(name, result, arguments) result(*name) arguments;
    SPK_ZMQ_FUNCTIONS(SPK_ZMQ_MEMBER)
#undef SPK_ZMQ_MEMBER
    int (*error_number)(void);
} spk_zmq;

/* Whether it is here; else *reason (static) says what to install. From any thread. */
bool spk_zmq_available(const char **reason);

/* The table, which lives as long as the program. Errors: SPK_ERR_UNAVAILABLE. */
spk_status spk_zmq_get(spk_context *context, const spk_zmq **out);
