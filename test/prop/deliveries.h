/* test/prop/deliveries.h - a list of messages run by engine and oracle, and when each of them arrived. */
#ifndef WEIR_TEST_DELIVERIES_H
#define WEIR_TEST_DELIVERIES_H
#include "test/prop/rig.h"

static struct weir_delivery seen[LISTED_MAX];
static uint32_t seen_count;

static inline int note_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        assert_true(seen_count < LISTED_MAX);
        seen[seen_count++] = row[i].d;
    }
    return 0;
}

/* The list by engine and oracle, which agree, to its last message. @return the engine's */
static inline struct weir_result run_both(void)
{
    struct weir_sim_options options = { .threads = 1, .check = true, .rows = note_rows };
    struct weir_result result = { 0 }, other;
    struct weir_err err = { 0 };
    seen_count = 0;
    use_list();
    if (weir_sim_run(&rig.setup.model, &options, &result, &err) != 0)
        fail_msg("%s", err.text);
    keep(&result);
    other = run(weir_oracle_run, NULL);
    assert_true(result.digest == other.digest);
    assert_int_equal(result.messages_completed, rig.listed_count);
    assert_int_equal(seen_count, rig.listed_count);
    return result;
}

/* When the message of a host has arrived. */
static inline uint64_t end_of(uint32_t src)
{
    for (uint32_t i = 0; i < seen_count; i++)
        if (seen[i].src == src)
            return seen[i].end_ps;
    fail_msg("no message of %u", (unsigned)src);
    return 0;
}
#endif
