/* test/unit/config/topology_text.h - a topology from a text, in an unnamed file that /dev/fd knows. */
#ifndef WEIR_TEST_TOPOLOGY_TEXT_H
#define WEIR_TEST_TOPOLOGY_TEXT_H
#include "test/unit/refusal.h"
#include "config/topology_file.h"
#include "core/units.h"
#include "test/unit/topology/topology_fixture.h"

static struct weir_topology topo;
static struct weir_err err;

static inline int topology_text_teardown(void **state)
{
    (void)state;
    weir_topology_free(&topo);
    return 0;
}

static inline int topology_text_load(const char *text, uint32_t format)
{
    static const struct weir_tok where = { .file = "s.yaml", .line = 5, .col = 3 };
    struct weir_topology_config cfg = { .kind = WEIR_GRAPH, .format = format };
    FILE *file = tmpfile();
    weir_topology_free(&topo);
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fflush(file), 0);
    (void)snprintf(cfg.file, sizeof(cfg.file), "%d", fileno(file));
    int code = weir_topology_load(&topo, &cfg, "/dev/fd", &where, &err);
    (void)fclose(file);
    return code;
}

static inline void topology_text_accept(const char *text)
{
    if (topology_text_load(text, WEIR_TOPOLOGY_AUTO) != 0)
        fail_msg("%s:%u:%u: %s (%s)", err.file, err.line, err.col, err.text, err.hint);
}

struct topology_refusal {
    const char *text, *key;
    uint32_t line, col;
    enum weir_err_code code;
};

static inline void topology_text_refuse(const struct topology_refusal *r, size_t count, uint32_t format)
{
    for (size_t i = 0; i < count; i++) {
        int code = topology_text_load(r[i].text, format);
        assert_refusal(&err, r[i].code, NULL, r[i].key);
        assert_int_equal(code, r[i].code);
        if (err.line != r[i].line || err.col != r[i].col)
            fail_msg("'%s': %u:%u, not %u:%u: %s", r[i].text, err.line, err.col, r[i].line, r[i].col, err.text);
        assert_null(topo.node);
    }
}

static inline const struct weir_link *topology_text_link(const char *name)
{
    uint32_t link = weir_topology_find_link(&topo, name);
    if (link >= topo.link_count)
        fail_msg("no link %s", name);
    return &topo.link[link];
}

static inline void assert_link_ns(const char *name, uint64_t gbps, uint64_t ns)
{
    assert_int_equal(topology_text_link(name)->rate_bps, gbps * GBPS);
    assert_int_equal(topology_text_link(name)->delay_ps, ns * WEIR_PS_PER_NS);
}
#endif
