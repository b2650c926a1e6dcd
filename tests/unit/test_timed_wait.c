/* Conditions that are waited for up to a time. */
#include "base/context.h"
#include "base/deadline.h"
#include "support/test.h"

typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool come;
} meeting;

static void *come(void *user)
{
    meeting *m = user;
    pthread_mutex_lock(&m->lock);
    m->come = true;
    pthread_cond_signal(&m->changed);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

static void a_time_that_is_over_ends_the_wait(void **state)
{
    (void)state;
    meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER};
    spk_timed_condition_init(&m.changed);
    pthread_mutex_lock(&m.lock);
    const double begin = spk_seconds_now();
    const struct timespec until = spk_time_from_now(0.03);
    while (spk_wait_until(&m.changed, &m.lock, &until))
        ;
    assert_true(spk_seconds_now() - begin >= 0.029);
    const struct timespec past = spk_time_from_now(-1);
    while (spk_wait_until(&m.changed, &m.lock, &past))
        ;
    pthread_mutex_unlock(&m.lock);
    pthread_cond_destroy(&m.changed);
}

static void a_signal_ends_it_before(void **state)
{
    (void)state;
    meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t other;
    spk_timed_condition_init(&m.changed);
    const struct timespec until = spk_time_from_now(600);
    bool in_time = true;
    pthread_mutex_lock(&m.lock);
    assert_int_equal(pthread_create(&other, NULL, come, &m), 0);
    while (!m.come && in_time)
        in_time = spk_wait_until(&m.changed, &m.lock, &until);
    pthread_mutex_unlock(&m.lock);
    pthread_join(other, NULL);
    pthread_cond_destroy(&m.changed);
    assert_true(in_time);
}

static void a_time_is_a_whole_number_of_seconds_and_less_than_one_more(void **state)
{
    (void)state;
    const struct timespec now = spk_time_from_now(0);
    for (int k = 0; k < 200; k++) {
        const struct timespec at = spk_time_from_now(k * 0.017);
        assert_in_range(at.tv_nsec, 0, 999999999);
        const double later =
            (double)(at.tv_sec - now.tv_sec) + 1e-9 * (double)(at.tv_nsec - now.tv_nsec);
        assert_true(later >= k * 0.017 - 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_that_is_over_ends_the_wait),
        cmocka_unit_test(a_signal_ends_it_before),
        cmocka_unit_test(a_time_is_a_whole_number_of_seconds_and_less_than_one_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
