/* test/unit/session/save_test.h - sessions that are saved in a folder of the test, for the tests of saving and of
 * lines. */
#ifndef WEIR_TEST_SAVE_TEST_H
#define WEIR_TEST_SAVE_TEST_H
#include "test/unit/session/session_test.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
