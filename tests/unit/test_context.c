/*
 * The context: settings, messages, cancel, callbacks, and what a child shares with its parent.
 * Threads are real ones, so that the thread sanitizer sees what is not ordered.
 */
#include <pthread.h>
#include <signal.h>

#include "base/context.h"
#include "support/test.h"

enum { N_THREADS = 6 };

static spk_context *parent;
static spk_context *child;

static int make_family(void **state)
{
    (void)state;
    return spk_context_create(&parent) != SPK_OK ||
           spk_context_create_child(parent, &child) != SPK_OK;
}

static int free_family(void **state)
{
    (void)state;
    spk_context_free(child);
    spk_context_free(parent);
    child = parent = NULL;
    return 0;
}

/* ---- settings -------------------------------------------------------------------------------- */

static void threads_default_to_the_processors(void **state)
{
    (void)state;
    int processors = spk_context_threads(NULL);
    assert_true(processors >= 1);
    assert_int_equal(spk_context_threads(parent), processors);
    spk_context_set_threads(parent, 3);
    assert_int_equal(spk_context_threads(parent), 3);
    spk_context_set_threads(parent, -7);
    assert_int_equal(spk_context_threads(parent), processors);
}

static void the_memory_limit_is_kept(void **state)
{
    (void)state;
    assert_int_equal(spk_context_memory_limit(parent), 0);
    spk_context_set_memory_limit(parent, UINT64_MAX);
    assert_true(spk_context_memory_limit(parent) == UINT64_MAX);
}

static void a_child_starts_with_its_parents_settings(void **state)
{
    (void)state;
    spk_context *late = NULL;
    spk_context_set_threads(parent, 5);
    spk_context_set_memory_limit(parent, 123456);
    assert_int_equal(spk_context_create_child(parent, &late), SPK_OK);
    assert_int_equal(spk_context_threads(late), 5);
    assert_int_equal(spk_context_memory_limit(late), 123456);
    spk_context_set_threads(late, 2);
    spk_context_set_memory_limit(late, 99);
    assert_int_equal(spk_context_threads(parent), 5);
    assert_int_equal(spk_context_memory_limit(parent), 123456);
    assert_int_equal(spk_context_memory_limit(child), 0); /* made before */
    spk_context_free(late);
}

static void messages_are_each_contexts_own(void **state)
{
    (void)state;
    spk_delay delay;
    assert_string_equal(spk_context_message(child), "");
    assert_int_equal(spk_delay_parse(child, "9ms:3ms", &delay), SPK_ERR_ARGUMENT);
    assert_true(strlen(spk_context_message(child)) > 0);
    assert_string_equal(spk_context_message(parent), "");
}

static void a_message_may_quote_the_last_one(void **state)
{
    (void)state;
    assert_int_equal(spk_fail(parent, SPK_ERR_IO, "disk %d", 7), SPK_ERR_IO);
    (void)spk_fail(parent, SPK_ERR_IO, "again: %s", spk_context_message(parent));
    assert_string_equal(spk_context_message(parent), "again: disk 7");
}

/* ---- failures on demand ---------------------------------------------------------------------- */

typedef struct countdown {
    spk_fault base;
    int left;
} countdown;

static int strike(spk_fault *base)
{
    countdown *self = (countdown *)base;
    return --self->left == 0 ? 42 : 0;
}

static void a_fault_strikes_once_in_parent_or_child(void **state)
{
    (void)state;
    countdown fault = {{strike}, .left = 3};
    spk_context *late = NULL;
    assert_int_equal(spk_fault_strike(parent), 0);
    spk_context_set_fault(parent, &fault.base);
    assert_int_equal(spk_context_create_child(parent, &late), SPK_OK);
    assert_int_equal(spk_fault_strike(parent), 0);
    assert_int_equal(spk_fault_strike(late), 0);
    assert_int_equal(spk_fault_strike(late), 42);
    assert_int_equal(spk_fault_strike(parent), 0);
    assert_int_equal(fault.left, -1);
    spk_context_set_fault(late, NULL);
    assert_int_equal(spk_fault_strike(late), 0);
    assert_int_equal(fault.left, -1);
    spk_context_free(late);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

static void a_cancel_goes_down_not_up(void **state)
{
    (void)state;
    spk_context *grandchild = NULL;
    assert_int_equal(spk_context_create_child(child, &grandchild), SPK_OK);
    assert_false(spk_context_cancelled(grandchild));
    spk_context_cancel(child);
    assert_true(spk_context_cancelled(child) && spk_context_cancelled(grandchild));
    assert_false(spk_context_cancelled(parent));
    spk_context_cancel(parent);
    spk_context_cancel_clear(child);
    assert_true(spk_context_cancelled(child)); /* its parent's stays */
    assert_int_equal(spk_check_cancel(grandchild), SPK_ERR_CANCELLED);
    assert_string_equal(spk_context_message(grandchild), "interrupted");
    spk_context_cancel_clear(parent);
    assert_false(spk_context_cancelled(grandchild));
    assert_int_equal(spk_check_cancel(grandchild), SPK_OK);
    spk_context_free(grandchild);
}

/* A call that looks for a cancel after each unit. */
static spk_status shuffle(spk_context *context)
{
    spk_sym26_options options;
    spk_recording *recording = NULL;
    spk_recording *shuffled = NULL;
    spk_sym26_options_init(&options, sizeof options);
    options.duration = (spk_duration){1, 0};
    assert_int_equal(spk_simulate_sym26(NULL, &options, &recording, NULL), SPK_OK);
    spk_status status = spk_recording_shuffle(context, recording, 1, &shuffled);
    assert_true((status == SPK_OK) == (shuffled != NULL));
    spk_recording_free(shuffled);
    spk_recording_free(recording);
    return status;
}

static void a_cancelled_call_works_again_after_a_clear(void **state)
{
    (void)state;
    spk_context_cancel(parent);
    assert_int_equal(shuffle(parent), SPK_ERR_CANCELLED);
    assert_int_equal(shuffle(child), SPK_ERR_CANCELLED);
    spk_context_cancel_clear(parent);
    assert_int_equal(shuffle(parent), SPK_OK);
    assert_int_equal(shuffle(child), SPK_OK);
}

static void *use_until_cancelled(void *context)
{
    while (spk_check_cancel(context) == SPK_OK)
        continue;
    return context;
}

static void a_cancel_reaches_children_in_other_threads(void **state)
{
    (void)state;
    pthread_t thread[N_THREADS];
    spk_context *context[N_THREADS];
    for (int k = 0; k < N_THREADS; k++) {
        assert_int_equal(spk_context_create_child(parent, &context[k]), SPK_OK);
        assert_int_equal(pthread_create(&thread[k], NULL, use_until_cancelled, context[k]), 0);
    }
    spk_context_cancel(parent);
    for (int k = 0; k < N_THREADS; k++) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
        spk_context_free(context[k]);
    }
}

static void cancel_the_parent(int number)
{
    (void)number;
    spk_context_cancel(parent);
}

static void raise_signal(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)user, (void)what, (void)done, (void)total;
    (void)raise(SIGUSR1);
}

/* The signal comes in the middle of a callback, while the context is locked. */
static void a_signal_handler_may_cancel(void **state)
{
    (void)state;
    struct sigaction ours = {.sa_handler = cancel_the_parent};
    struct sigaction before;
    assert_int_equal(sigaction(SIGUSR1, &ours, &before), 0);
    spk_context_set_progress(parent, raise_signal, NULL);
    assert_int_equal(shuffle(child), SPK_ERR_CANCELLED);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

/* What callbacks saw; no member is atomic. */
typedef struct seen {
    bool inside;
    int overlapped;
    uint64_t n_notes;
    uint64_t n_progress;
    uint64_t sum_done;
    char text[64];
} seen;

static void enter(seen *s)
{
    s->overlapped += s->inside;
    s->inside = true;
}

static void see_note(void *user, const char *text)
{
    seen *s = user;
    enter(s);
    s->n_notes++;
    strncpy(s->text, text, sizeof s->text - 1);
    s->inside = false;
}

static void see_progress(void *user, const char *what, uint64_t done, uint64_t total)
{
    seen *s = user;
    (void)total;
    enter(s);
    s->n_progress++;
    s->sum_done += done;
    strncpy(s->text, what, sizeof s->text - 1);
    s->inside = false;
}

static void reports_reach_the_nearest_callback(void **state)
{
    (void)state;
    seen far = {.n_notes = 0};
    seen near = {.n_notes = 0};
    spk_note(child, "nobody listens");
    spk_progress(child, "nobody listens", 1, 1);
    spk_context_set_note(parent, see_note, &far);
    spk_context_set_progress(parent, see_progress, &far);
    spk_note(child, "%d columns", 2);
    assert_string_equal(far.text, "2 columns");
    spk_progress(child, "counting", 5, 5);
    assert_string_equal(far.text, "counting");
    assert_int_equal(far.sum_done, 5);
    spk_context_set_note(child, see_note, &near);
    spk_note(child, "mine");
    spk_note(parent, "yours");
    spk_progress(child, "still the parent's", 1, 1);
    assert_int_equal(near.n_notes, 1);
    assert_string_equal(near.text, "mine");
    assert_int_equal(far.n_notes, 2);
    assert_int_equal(far.n_progress, 2);
    spk_context_set_note(child, NULL, NULL);
    spk_note(child, "the parent's again");
    assert_int_equal(far.n_notes, 3);
}

static void progress_comes_ten_times_a_second_and_at_the_end(void **state)
{
    (void)state;
    enum { STEPS = 100000 };
    seen s = {.n_notes = 0};
    spk_context_set_progress(parent, see_progress, &s);
    double began = spk_seconds_now();
    for (uint64_t k = 1; k <= STEPS; k++)
        spk_progress(k % 2 ? parent : child, "stepping", k, STEPS);
    double seconds = spk_seconds_now() - began;
    assert_true(s.n_progress >= 2); /* the first and the last */
    assert_true(s.n_progress <= 2 + (uint64_t)(10 * seconds));
    assert_true(s.sum_done >= STEPS + 1);
}

typedef struct reporter {
    spk_context *context;
    uint64_t rounds;
} reporter;

static void *report(void *raw)
{
    reporter *r = raw;
    for (uint64_t k = 0; k < r->rounds; k++) {
        spk_note(r->context, "round %d", (int)k);
        spk_progress(r->context, "rounds", 1, 1);
    }
    return NULL;
}

static void children_report_one_at_a_time(void **state)
{
    (void)state;
    seen s = {.n_notes = 0};
    pthread_t thread[N_THREADS];
    reporter r[N_THREADS];
    uint64_t rounds = test_scaled(20000);
    spk_context_set_note(parent, see_note, &s);
    spk_context_set_progress(parent, see_progress, &s);
    for (int k = 0; k < N_THREADS; k++) {
        r[k] = (reporter){.rounds = rounds};
        assert_int_equal(spk_context_create_child(k % 2 ? parent : child, &r[k].context), SPK_OK);
        assert_int_equal(pthread_create(&thread[k], NULL, report, &r[k]), 0);
    }
    report(&(reporter){parent, rounds});
    for (int k = 0; k < N_THREADS; k++) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
        spk_context_free(r[k].context);
    }
    assert_int_equal(s.overlapped, 0);
    assert_int_equal(s.n_notes, (N_THREADS + 1) * rounds);
    assert_int_equal(s.n_progress, (N_THREADS + 1) * rounds);
}

/* Once a setter has returned, the old callback and its data are nobody's any more. */
static void a_callback_ends_with_its_setter(void **state)
{
    (void)state;
    pthread_t thread;
    reporter r = {child, test_scaled(20000)};
    assert_int_equal(pthread_create(&thread, NULL, report, &r), 0);
    for (uint64_t k = 0; k < test_scaled(2000); k++) {
        seen s = {.n_notes = 0};
        spk_context_set_note(parent, see_note, &s);
        spk_context_set_note(parent, NULL, NULL);
        assert_false(s.inside);
        memset(&s, 0xff, sizeof s);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void listen_once(void *user, const char *what, uint64_t done, uint64_t total)
{
    (void)what, (void)done, (void)total;
    ++*(int *)user;
    spk_context_set_progress(parent, NULL, NULL);
}

static void a_callback_may_end_itself(void **state)
{
    (void)state;
    int calls = 0;
    spk_context_set_progress(parent, listen_once, &calls);
    assert_int_equal(shuffle(child), SPK_OK);
    assert_int_equal(calls, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_family, free_family)

/* What children do counts for the whole family, and for no other one. */
static void a_family_has_one_tally(void **state)
{
    (void)state;
    spk_context *older = NULL;
    spk_context *younger = NULL;
    spk_context *stranger = NULL;
    assert_int_equal(spk_context_create(&older), SPK_OK);
    assert_int_equal(spk_context_create(&stranger), SPK_OK);
    assert_int_equal(spk_context_create_child(older, &younger), SPK_OK);
    spk_tally_add(older, 2, 30);
    spk_tally_add(younger, 5, 7);
    spk_tally_add(NULL, 1, 1);
    assert_int_equal(spk_context_tally(older).results, 7);
    assert_int_equal(spk_context_tally(older).bytes, 37);
    assert_int_equal(spk_context_tally(younger).results, 7);
    assert_int_equal(spk_context_tally(stranger).results, 0);
    spk_context_free(younger);
    spk_context_free(older);
    spk_context_free(stranger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(threads_default_to_the_processors),
        TEST(the_memory_limit_is_kept),
        TEST(a_child_starts_with_its_parents_settings),
        TEST(messages_are_each_contexts_own),
        TEST(a_message_may_quote_the_last_one),
        TEST(a_fault_strikes_once_in_parent_or_child),
        TEST(a_cancel_goes_down_not_up),
        TEST(a_cancelled_call_works_again_after_a_clear),
        TEST(a_cancel_reaches_children_in_other_threads),
        TEST(a_signal_handler_may_cancel),
        TEST(reports_reach_the_nearest_callback),
        TEST(progress_comes_ten_times_a_second_and_at_the_end),
        TEST(children_report_one_at_a_time),
        TEST(a_callback_ends_with_its_setter),
        TEST(a_callback_may_end_itself),
        cmocka_unit_test(a_family_has_one_tally),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
