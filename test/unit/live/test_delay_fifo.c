/* test/unit/live/test_delay_fifo.c - frames that wait in a delay line keep their order and their bytes. */
#include "test/unit/weir_test.h"
#include "live/delay_fifo.h"
#include <string.h>

enum { ROOM = 1024 };
static _Alignas(16) unsigned char memory[ROOM];
static struct weir_delay_fifo fifo;

static int setup(void **state)
{
    (void)state;
    fifo = (struct weir_delay_fifo){ .memory = memory, .room_bytes = ROOM };
    return 0;
}

static bool put(uint64_t number, uint32_t bytes)
{
    unsigned char data[ROOM];
    memset(data, (int)(number & 0xff), bytes);
    return weir_delay_fifo_put(&fifo, number, data, bytes);
}

/* Removes the oldest frame, which must have this number and length. */
static void take(uint64_t number, uint32_t bytes)
{
    uint64_t at_bytes = fifo.tail_bytes;
    assert_int_equal(weir_delay_fifo_due_ns(&fifo), number);
    const struct weir_delay_frame *frame = weir_delay_fifo_next(&fifo, &at_bytes);
    assert_non_null(frame);
    assert_int_equal(frame->bytes, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        assert_int_equal(frame->data[i], number & 0xff);
    weir_delay_fifo_pop(&fifo, at_bytes, 1);
}

static void a_full_memory_refuses_and_keeps_what_it_has(void **state)
{
    (void)state;
    assert_true(put(1, 496)); /* with its header half of the memory */
    assert_true(put(2, 495));
    assert_false(put(3, 0));
    assert_int_equal(fifo.frames, 2);
    take(1, 496);
    assert_true(put(3, 496));
    take(2, 495);
    take(3, 496);
    assert_int_equal(weir_delay_fifo_due_ns(&fifo), UINT64_MAX);
    assert_int_equal(fifo.used_max_bytes, ROOM);
}

static void a_frame_is_never_split_at_the_end_of_the_memory(void **state)
{
    (void)state;
    assert_true(put(1, 600));
    take(1, 600);
    assert_true(put(2, 600)); /* 400 are left at the end: it begins anew */
    assert_false(put(3, 400));
    take(2, 600);
    assert_true(put(3, 400));
    take(3, 400);
}

static void several_frames_are_seen_before_they_are_removed(void **state)
{
    uint64_t at_bytes = 0;
    (void)state;
    assert_true(put(1, 100) && put(2, 0) && put(3, 100));
    for (uint64_t number = 1; number <= 3; number++)
        assert_int_equal(weir_delay_fifo_next(&fifo, &at_bytes)->due_ns, number);
    assert_null(weir_delay_fifo_next(&fifo, &at_bytes));
    weir_delay_fifo_pop(&fifo, at_bytes, 3);
    assert_int_equal(fifo.frames, 0);
}

static void order_and_lengths_hold_over_many_rounds(void **state)
{
    uint64_t x = 88172645463325252u, put_count = 0, taken = 0; /* fixed: a failure repeats */
    static uint32_t bytes[1 << 14];
    (void)state;
    while (put_count < 1 << 14) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        bytes[put_count] = (uint32_t)(x % 300);
        if (put(put_count, bytes[put_count]))
            put_count++;
        else {
            take(taken, bytes[taken]);
            taken++;
        }
        assert_int_equal(fifo.frames, put_count - taken);
        assert_true(fifo.head_bytes - fifo.tail_bytes <= ROOM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_full_memory_refuses_and_keeps_what_it_has, setup),
        cmocka_unit_test_setup(a_frame_is_never_split_at_the_end_of_the_memory, setup),
        cmocka_unit_test_setup(several_frames_are_seen_before_they_are_removed, setup),
        cmocka_unit_test_setup(order_and_lengths_hold_over_many_rounds, setup),
    };
    return cmocka_run_group_tests_name("live/delay_fifo", tests, NULL, NULL);
}
