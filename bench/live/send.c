/*
 * Sends spikes at a steady rate, as lines of text, to the first that connects to a UNIX socket:
 *
 *     spikemine-bench-live-send SOCKET SPIKES_PER_SECOND SECONDS UNITS
 *
 * Times are those of the clock on the wall since the connection, in microseconds; each spike has a
 * unit at random. Spikes leave in chunks of a millisecond. What the socket does not take at once is
 * waited for; the end tells how far behind the sender was at worst.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK_US = 1000, LONGEST_LINE = 48 };

static int64_t now_us(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static char *put_number(char *at, uint64_t number, int least_digits)
{
    char digits[24];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || n < least_digits);
    while (n > 0)
        *at++ = digits[--n];
    return at;
}

static uint64_t draw(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static int wait_for_reader(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (strlen(path) >= sizeof address.sun_path || listener < 0)
        return -1;
    memcpy(address.sun_path, path, strlen(path));
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1) != 0)
        return -1;
    return accept(listener, NULL, NULL);
}

static int send_all(int to, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(to, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return -1;
        bytes += sent;
        n -= (size_t)sent;
    }
    return 0;
}

/* Spikes of one chunk, from spike *done on; times rise evenly. */
static size_t make_chunk(char *bytes, uint64_t *done, uint64_t until, uint64_t rate, uint64_t units,
                         uint64_t *state)
{
    char *at = bytes;
    for (; *done < until; (*done)++) {
        uint64_t us = (uint64_t)((unsigned __int128)*done * 1000000 / rate);
        at = put_number(at, us / 1000000, 1);
        *at++ = '.';
        at = put_number(at, us % 1000000, 6);
        *at++ = ' ';
        at = put_number(at, draw(state) % units, 1);
        *at++ = '\n';
    }
    return (size_t)(at - bytes);
}

static int run(int to, uint64_t rate, uint64_t seconds, uint64_t units)
{
    uint64_t done = 0, state = 1;
    int64_t worst = 0, began = now_us();
    char *bytes = malloc((rate / 1000 + 2) * LONGEST_LINE);
    if (bytes == NULL)
        return 1;
    for (uint64_t chunk = 1; chunk <= seconds * 1000; chunk++) {
        size_t n = make_chunk(bytes, &done, rate * chunk / 1000, rate, units, &state);
        int64_t late = now_us() - began - (int64_t)chunk * CHUNK_US;
        worst = late > worst ? late : worst;
        if (late < 0) {
            struct timespec rest = {.tv_nsec = -late * 1000};
            nanosleep(&rest, NULL);
        }
        if (send_all(to, bytes, n) != 0) {
            fprintf(stderr, "the reader went away after %" PRIu64 " spikes\n", done);
            free(bytes);
            return 1;
        }
    }
    free(bytes);
    printf("sent %" PRIu64 " spikes in %.3f s, at worst %.1f ms behind\n", done,
           (double)(now_us() - began) / 1e6, (double)worst / 1e3);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s SOCKET SPIKES_PER_SECOND SECONDS UNITS\n", argv[0]);
        return 2;
    }
    uint64_t rate = strtoull(argv[2], NULL, 10), units = strtoull(argv[4], NULL, 10);
    int to = wait_for_reader(argv[1]);
    if (to < 0 || rate == 0 || units == 0) {
        fprintf(stderr, "%s: nobody can be served there\n", argv[1]);
        return 1;
    }
    int code = run(to, rate, strtoull(argv[3], NULL, 10), units);
    close(to);
    unlink(argv[1]);
    return code;
}
