/*
 * What the page shows beside spikes and occurrences, as JSON for browsers: labels, watched items,
 * marks, partitions, meters. Used by the serving thread alone.
 *
 * Lists grow at their end, or are replaced whole (marks, choices). A browser asks for labels and
 * items from a number on, and for partitions from a number on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "live/page/history.h"
#include "spikemine/live_page.h"

enum {
    STATE_PARTITIONS = 120,
    STATE_MARKS = 500,
    STATE_BYTES = 256 << 10,
    STATE_COUNTS = 8192,
    STATE_CHOICES = 256
};

typedef struct state_item {
    bool is_pattern;
    uint64_t item; /* number among episodes, or patterns */
    uint32_t size;
    uint32_t *unit;
    char *name;
    uint64_t count;
} state_item;

/* An item that a reader chose, by its number on the page. */
typedef struct state_choice {
    uint64_t item;
    bool on; /* it is watched still */
} state_choice;

typedef struct state_mark {
    uint64_t id;
    int64_t place;
    char text[128];
} state_mark;

typedef struct page_state {
    char **label;
    uint64_t n_labels, labels_capacity;
    state_item *item;
    uint64_t n_items, items_capacity;
    char *partition[STATE_PARTITIONS]; /* JSON; number k lies at k % STATE_PARTITIONS */
    uint64_t oldest_partition, next_partition;
    state_mark mark[STATE_MARKS];
    uint64_t n_marks, next_mark;
    uint64_t marks_version;
    state_choice choice[STATE_CHOICES];
    uint64_t n_choices;
    uint64_t choices_version;
    spk_live_meters meters;
    bool has_meters;
    bool ended;
    uint64_t unseen[2]; /* spikes, occurrences */
} page_state;

void state_close(page_state *s);

/* Copies; false when memory is out. */
bool state_add_label(page_state *s, const char *label);
bool state_add_item(page_state *s, bool is_pattern, uint64_t item, uint32_t size,
                    const uint32_t *unit, const char *name);
bool state_add_partition(page_state *s, const char *json);

/* Marks a place; the oldest mark makes room. Returns its id. */
uint64_t state_add_mark(page_state *s, int64_t place, const char *text);

/* Takes a mark away; false where it is not there. */
bool state_remove_mark(page_state *s, uint64_t id);

/* A reader chose the item, or wants it no more. */
void state_choose(page_state *s, uint64_t item, bool on);

/* The choice of the item; NULL where nobody chose it. */
const state_choice *state_find_choice(const page_state *s, uint64_t item);

/* What does not change, once the stream is there. */
typedef struct state_fixed {
    double server;
    const char *title;
    spk_rate rate; /* {0, 0}: there is no stream yet */
    double history_s;
    uint64_t history_spikes;
    bool may_watch, mines;
} state_fixed;

/* What a browser lacks. An answer has at least one more of each list, and ends them all where it
 * has STATE_BYTES; the browser asks again. */
typedef struct state_wish {
    uint64_t labels; /* numbers that it has */
    uint64_t items;
    uint64_t partitions;
    uint64_t counts; /* those of items from this one on, at most STATE_COUNTS */
    bool has_counts; /* they are wanted */
} state_wish;

/* The answer to a wish, and the news that all browsers get several times a second. */
void state_write(const page_state *s, const state_fixed *fixed, const state_wish *wish, FILE *out);
void state_write_news(const page_state *s, const state_fixed *fixed, const history *h,
                      const spk_live_page_facts *facts, FILE *out);
