/* test/unit/engine/test_barrier.c - no thread leaves before all have arrived, and what was written before is seen after.
 * The values are plain memory: a build with -fsanitize=thread reports a barrier that does not order them. */
#include "test/unit/weir_test.h"
#include "engine/barrier.h"
#include <pthread.h>

enum { THREADS_MAX = 9 };

struct meeting {
    struct sim_barrier *barrier;
    uint32_t threads, rounds;
    uint32_t value[THREADS_MAX]; /* written by one, read by all */
    uint32_t wrong[THREADS_MAX];
};

struct guest {
    struct meeting *meeting;
    uint32_t index;
};

/* Two meetings per round: all have written; all have read. */
static void *attend(void *arg)
{
    const struct guest *guest = arg;
    struct meeting *m = guest->meeting;
    for (uint32_t round = 1; round <= m->rounds; round++) {
        m->value[guest->index] = round;
        weir_sim_barrier_wait(m->barrier);
        for (uint32_t t = 0; t < m->threads; t++)
            m->wrong[guest->index] += m->value[t] != round;
        weir_sim_barrier_wait(m->barrier);
    }
    return NULL;
}

static void hold(uint32_t threads, uint32_t rounds)
{
    struct meeting m = { .barrier = weir_sim_barrier_new(threads, threads), .threads = threads, .rounds = rounds };
    struct guest guest[THREADS_MAX];
    pthread_t id[THREADS_MAX];
    assert_non_null(m.barrier);
    for (uint32_t t = 0; t < threads; t++)
        guest[t] = (struct guest){ &m, t };
    for (uint32_t t = 1; t < threads; t++)
        assert_int_equal(pthread_create(&id[t], NULL, attend, &guest[t]), 0);
    (void)attend(&guest[0]);
    for (uint32_t t = 1; t < threads; t++)
        assert_int_equal(pthread_join(id[t], NULL), 0);
    for (uint32_t t = 0; t < threads; t++) {
        assert_int_equal(m.wrong[t], 0);
        assert_int_equal(m.value[t], rounds);
    }
    weir_sim_barrier_free(m.barrier);
}

static void one_thread_never_waits(void **state)
{
    (void)state;
    hold(1, 1000);
}

static void two_threads_meet_in_every_generation(void **state)
{
    (void)state;
    hold(2, 2000);
}

static void more_threads_than_this_machine_has_cores_meet_too(void **state)
{
    (void)state;
    hold(THREADS_MAX, 200);
}

static void *wait_for_ever(void *barrier)
{
    weir_sim_barrier_wait(barrier);
    return NULL;
}

/* When the system gives fewer threads than were requested, those that exist are cancelled one by one: each must unlock
 * the lock. */
static void blocked_threads_can_be_cancelled_one_after_another(void **state)
{
    struct sim_barrier *barrier = weir_sim_barrier_new(THREADS_MAX, THREADS_MAX);
    pthread_t id[THREADS_MAX - 1];
    (void)state;
    assert_non_null(barrier);
    for (uint32_t t = 0; t < THREADS_MAX - 1; t++)
        assert_int_equal(pthread_create(&id[t], NULL, wait_for_ever, barrier), 0);
    for (uint32_t t = 0; t < THREADS_MAX - 1; t++) {
        void *left;
        assert_int_equal(pthread_cancel(id[t]), 0);
        assert_int_equal(pthread_join(id[t], &left), 0);
        assert_ptr_equal(left, PTHREAD_CANCELED);
    }
    weir_sim_barrier_free(barrier);
}

static void freeing_no_barrier_is_harmless(void **state)
{
    (void)state;
    weir_sim_barrier_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_never_waits),
        cmocka_unit_test(two_threads_meet_in_every_generation),
        cmocka_unit_test(more_threads_than_this_machine_has_cores_meet_too),
        cmocka_unit_test(blocked_threads_can_be_cancelled_one_after_another),
        cmocka_unit_test(freeing_no_barrier_is_harmless),
    };
    return cmocka_run_group_tests_name("sim/barrier", tests, NULL, NULL);
}
