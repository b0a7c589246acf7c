/* test/unit/session/save_test.h - sessions that are saved in a folder of the test, for the tests of saving and of
 * lines. */
#ifndef WEIR_TEST_SAVE_TEST_H
#define WEIR_TEST_SAVE_TEST_H
#include "test/unit/weir_test.h"
#include "weir/sim.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define US UINT64_C(1000000)
#define PAIR_TEXT                                                                                                      \
    "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\nprotocol: dctcp\n"                        \
    "framing: {payload: 1460 B, header: 58 B, ack_wire: 84 B}\n"                                                       \
    "traffic: [{kind: session}]\nrun: {warmup: 0 us, measure: all}\n"

static char folder[64], saved[96];

static inline int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/weir-session-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(saved, sizeof(saved), "%s/saved.jsonl", folder);
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    (void)unlink(saved);
    return rmdir(folder);
}

static inline struct weir_sim *open_session(const char *text, const struct weir_sim_opts *opts)
{
    struct weir_sim_error error = { 0 };
    struct weir_sim *sim = weir_sim_open(text, strlen(text), opts, &error);
    if (sim == NULL)
        fail_msg("%s:%u:%u: %s (%s)", error.file, error.line, error.column, error.text, error.hint);
    return sim;
}

/* Closes a session. @return its digest */
static inline uint64_t close_session(struct weir_sim *sim)
{
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    struct weir_sim_error error = { 0 };
    if (weir_sim_close(sim, &counts, &error) != 0)
        fail_msg("%s", error.text);
    return counts.digest;
}

static inline long advance(struct weir_sim *sim, uint64_t until_ps, const struct weir_sim_event **events)
{
    long count = weir_sim_advance(sim, until_ps, events);
    if (count < 0)
        fail_msg("%s", weir_sim_error(sim)->text);
    return count;
}

static inline void save(struct weir_sim *sim)
{
    if (weir_sim_save(sim, saved) != 0)
        fail_msg("%s", weir_sim_error(sim)->text);
}

/* Returns the content of the saved session, to be freed. */
static inline char *read_saved(void)
{
    FILE *file = fopen(saved, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_in_range(fread(text, 1, 1 << 20, file), 1, (1 << 20) - 1);
    (void)fclose(file);
    return text;
}

static inline void write_saved(const char *text, size_t length)
{
    FILE *file = fopen(saved, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}
#endif
