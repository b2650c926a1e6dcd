/* A child process reads first: what becomes of its failures, crashes and endless loops. */
#include <signal.h>

#include "base/context.h"
#include "hdf5/inside.h"
#include "hdf5/library.h"
#include "support/context.h"

static int calls;

static spk_status succeed(spk_context *c, void *user)
{
    (void)c;
    calls++;
    *(int *)user = 7;
    return SPK_OK;
}

static spk_status refuse(spk_context *c, void *user)
{
    (void)user;
    return spk_fail(c, SPK_ERR_RANGE, "rec.nwb: too large");
}

static spk_status crash(spk_context *c, void *user)
{
    (void)c;
    raise(*(int *)user);
    return SPK_OK;
}

static spk_status spin(spk_context *c, void *user)
{
    (void)c;
    for (volatile int *more = user; *more != 0;)
        continue;
    return SPK_OK;
}

static void what_a_child_does_stays_there(void **state)
{
    (void)state;
    int value = 1;
    assert_int_equal(spk_h5_rehearse(context, "rec.nwb", 20, succeed, &value), SPK_OK);
    assert_int_equal(calls, 0);
    assert_int_equal(value, 1);
}

static void failures_are_the_callers(void **state)
{
    (void)state;
    assert_int_equal(spk_h5_rehearse(context, "rec.nwb", 20, refuse, NULL), SPK_ERR_RANGE);
    assert_string_equal(spk_context_message(context), "rec.nwb: too large");
    assert_int_equal(spk_h5_rehearse(NULL, "rec.nwb", 20, refuse, NULL), SPK_ERR_RANGE);
}

static void crashes_are_errors(void **state)
{
    (void)state;
    static int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (size_t k = 0; k < sizeof fatal / sizeof fatal[0]; k++) {
        assert_int_equal(spk_h5_rehearse(context, "rec.nwb", 20, crash, &fatal[k]), SPK_ERR_FORMAT);
        assert_non_null(strstr(spk_context_message(context), "rec.nwb: "));
        assert_non_null(strstr(spk_context_message(context), "crashes"));
    }
    /* Somebody else ended it: that says nothing of the file. */
    int killed = SIGKILL;
    assert_int_equal(spk_h5_rehearse(context, "rec.nwb", 20, crash, &killed), SPK_OK);
}

static void endless_loops_end(void **state)
{
    (void)state;
    int more = 1;
    assert_int_equal(spk_h5_rehearse(context, "rec.nwb", 1, spin, &more), SPK_ERR_FORMAT);
    assert_non_null(strstr(spk_context_message(context), "finds no end"));
}

static void a_cancelled_job_does_not_wait(void **state)
{
    (void)state;
    int more = 1;
    spk_context_cancel(context);
    assert_int_equal(spk_h5_rehearse(context, "rec.nwb", 1000, spin, &more), SPK_ERR_CANCELLED);
    spk_context_cancel_clear(context);
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_child_does_stays_there),
        cmocka_unit_test(failures_are_the_callers),
        cmocka_unit_test(crashes_are_errors),
        cmocka_unit_test(endless_loops_end),
        cmocka_unit_test(a_cancelled_job_does_not_wait),
    };
    if (!spk_h5_available(&reason)) {
        print_message("skipped: %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
