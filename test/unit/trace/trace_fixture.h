/* test/unit/trace/trace_fixture.h - traces in files of a folder of their own, read for 16 hosts. */
#ifndef WEIR_TEST_TRACE_FIXTURE_H
#define WEIR_TEST_TRACE_FIXTURE_H
#include "test/unit/refusal.h"
#include "param/param.h"
#include "trace/trace.h"
#include <dirent.h>
#include <string.h>
#include <unistd.h>

enum { HOSTS = 16 };
static char fix_folder[64];
static struct weir_traffic_config fix_item;
static struct weir_ranks fix_ranks;
static struct weir_list_note fix_note;
static struct weir_err fix_err;

static inline int fix_setup(void **state)
{
    (void)state;
    (void)snprintf(fix_folder, sizeof(fix_folder), "/tmp/weir_trace_XXXXXX");
    assert_non_null(mkdtemp(fix_folder));
    weir_param_defaults(weir_traffic_params, &fix_item);
    fix_ranks = (struct weir_ranks){ 0 };
    fix_err = (struct weir_err){ 0 };
    return 0;
}

/* Removes all files of the folder. */
static inline void fix_remove(void)
{
    DIR *folder = opendir(fix_folder);
    char path[512];
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        (void)snprintf(path, sizeof(path), "%s/%s", fix_folder, entry->d_name);
        if (entry->d_name[0] != '.')
            assert_int_equal(unlink(path), 0);
    }
    (void)closedir(folder);
}

static inline int fix_teardown(void **state)
{
    (void)state;
    weir_ranks_free(&fix_ranks);
    fix_remove();
    return rmdir(fix_folder);
}

static inline void fix_write(const char *name, const void *bytes, size_t size)
{
    char path[512];
    FILE *out;
    (void)snprintf(path, sizeof(path), "%s/%s", fix_folder, name);
    out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static inline int fix_try(uint32_t kind, const char *file)
{
    struct weir_workload_limits limits = { .hosts = HOSTS, .base_dir = fix_folder };
    weir_ranks_free(&fix_ranks);
    fix_note = (struct weir_list_note){ 0 };
    fix_err = (struct weir_err){ 0 };
    fix_item.kind = kind;
    (void)snprintf(fix_item.file, sizeof(fix_item.file), "%s", file);
    return weir_trace_load(&fix_ranks, &fix_item, &limits, &fix_note, &fix_err);
}

static inline void fix_load(uint32_t kind, const char *file)
{
    if (fix_try(kind, file) != 0)
        fail_msg("%s: %s", refusal_place(&fix_err), fix_err.text);
}

/* Refused with this code, at this place, with this text in the sentence; nothing is left to free. */
static inline void fix_refuse(uint32_t kind, const char *file, enum weir_err_code code, const char *place,
                              const char *text)
{
    int got = fix_try(kind, file);
    assert_refusal(&fix_err, code, place, text);
    assert_int_equal(got, code);
    assert_null(fix_ranks.node);
}

/* The n-th node of a rank. */
static inline const struct weir_rank_node *fix_node(uint32_t rank, uint32_t n)
{
    assert_true(rank < fix_ranks.ranks && n < fix_ranks.first[rank + 1] - fix_ranks.first[rank]);
    return &fix_ranks.node[fix_ranks.first[rank] + n];
}

/* Whether node `later` of a rank waits for node `earlier`, once and in this way. */
static inline bool fix_waits(uint32_t rank, uint32_t later, uint32_t earlier, bool at_start)
{
    const struct weir_rank_node *node = fix_node(rank, earlier);
    uint32_t found = 0;
    for (uint32_t i = 0; i < node->next_count; i++)
        found += fix_ranks.edge[node->next_first + i] == (later | (at_start ? WEIR_RANK_AT_START : 0));
    return found == 1;
}

#define TRACE_TEST(name) cmocka_unit_test_setup_teardown(name, fix_setup, fix_teardown)
#endif
