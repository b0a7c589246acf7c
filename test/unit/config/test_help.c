/* test/unit/config/test_help.c - whatever a scenario can name has help, from the same rows. */
#include "test/unit/refusal.h"
#include "config/help.h"
#include "config/names.h"
#include "config/scenario.h"
#include "config/table.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "test/unit/config/fake_registry.h"

static char *text;
static size_t length;
static FILE *out;
static struct weir_err err;

static int setup(void **state)
{
    (void)state;
    out = open_memstream(&text, &length);
    return out != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    (void)fclose(out);
    free(text);
    return 0;
}

static const char *written(void)
{
    (void)fflush(out);
    return text;
}

/* As results name it, or by its feature. */
static void a_cause_of_drops_leads_to_its_feature(void **state)
{
    (void)state;
    assert_true(weir_help_name(out, "shared-buffer.alpha", NULL, &err));
    assert_non_null(strstr(written(), "feature shared-buffer\n"));
    assert_non_null(strstr(written(), "  drops packets: shared-buffer.alpha, doc/model.md [join.limits]\n"
                                      "    because a port held its share of the free memory (alpha)\n"));
    assert_true(weir_help_name(out, "loss", NULL, &err));
    assert_non_null(strstr(written(), "  loses packets: loss.random, doc/model.md [loss]\n"));
    assert_false(weir_help_name(out, "shared-buffer.alp", NULL, &err));
    assert_refusal(&err, WEIR_E_UNKNOWN, NULL, "shared-buffer.alp");
}

static void tables_are_aligned_and_wrap_their_sentences(void **state)
{
    struct weir_table t = { .out = out, .columns = 3 };
    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        t.measuring = pass == 0;
        weir_table_row(&t, (const char *const[]){ "key", "x", "meaning" });
        weir_table_rule(&t);
        weir_table_row(&t, (const char *const[]){ "longer", "12345", "a b" });
    }
    assert_string_equal(written(), "  key     x      meaning\n"
                                   "  longer  12345  a b\n");
}

static void markdown_escapes_what_would_end_a_cell(void **state)
{
    struct weir_table t = { .out = out, .markdown = true, .columns = 2 };
    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        t.measuring = pass == 0;
        weir_table_row(&t, (const char *const[]){ "key", "meaning" });
        weir_table_rule(&t);
        weir_table_row(&t, (const char *const[]){ "a | b", "c" });
    }
    assert_string_equal(written(), "| key    | meaning |\n|---|---|\n| a \\| b | c |\n");
}

static void no_line_of_the_terminal_is_longer_than_120(void **state)
{
    (void)state;
    weir_help_scenario(out, WEIR_HELP_TERMINAL);
    for (const char *line = written(); *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= WEIR_TABLE_LINE);
}

static void the_reference_names_every_key_preset_and_protocol(void **state)
{
    (void)state;
    weir_help_scenario(out, WEIR_HELP_MARKDOWN);
    (void)written();
    struct weir_section s;
    for (uint32_t i = 0; weir_section_get(i, &s); i++) {
        assert_non_null(strstr(text, s.path));
        for (uint32_t k = 0; weir_section_table(&s, k) != NULL; k++) {
            for (const struct weir_param *row = weir_section_table(&s, k); row->key != NULL; row++) {
                char cell[80];
                (void)snprintf(cell, sizeof(cell), "\n| %s ", row->key);
                assert_non_null(strstr(text, cell));
            }
        }
    }
    for (const struct weir_preset *p = weir_framing_presets; p->name != NULL; p++)
        assert_non_null(strstr(text, p->hint));
    assert_non_null(strstr(text, "### protocol `dctcp`"));
    assert_non_null(strstr(text, "### protocol `none`"));
    assert_non_null(strstr(text, "| window | size or BDP, 1 KB to 1 GiB"));
    assert_non_null(strstr(text, "* `ns2`: as simulated {g: 0.08, window: 96360 B, framing: ns2,"));
    assert_non_null(strstr(text, "* `paper` (default): as published"));
    assert_non_null(
        strstr(text, "Recommended, and set by weir compare unless the preset says otherwise: fabric.pfc.kind: off, "
                     "framing: udp\n"));
}

static void every_name_has_help(void **state)
{
    static const char *const names[] = {
        "scenario",    "topology", "fabric.ecn", "ecn",     "events",       "fabric.int",     "fabric.pfc",
        "xoff",        "protocol", "dctcp",      "ns2",     "hpcc",         "cable-events",   "fat-tree",
        "permutation", "load",     "run.seed",   "dctcp.g", "traffic.load", "fabric.ecn.kmin"
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t before = (size_t)ftell(out);
        assert_true(weir_help_name(out, names[i], NULL, &err));
        assert_true((size_t)ftell(out) > before);
    }
    for (const struct weir_cdf_info *row = weir_cdf_infos; row->name != NULL; row++)
        assert_true(weir_help_name(out, row->name, NULL, &err));
}

static void help_for_a_key_is_its_row(void **state)
{
    (void)state;
    assert_true(weir_help_name(out, "run.seed", NULL, &err));
    assert_string_equal(
        written(),
        "\nkey run.seed\n"
        "  key   allowed                            default  meaning\n"
        "  seed  number, 0 to 18446744073709551615  1        of every random choice; the same seed gives the "
        "same run, to the bit\n");
}

static void a_kind_gets_only_the_keys_that_matter_to_it(void **state)
{
    (void)state;
    assert_true(weir_help_name(out, "fat-tree", NULL, &err));
    (void)written();
    assert_non_null(strstr(text, "\n  k "));
    assert_non_null(strstr(text, "\n  host_link "));
    assert_null(strstr(text, "\n  spines "));
    assert_null(strstr(text, "\n  switches "));
}

static void an_unknown_name_gets_the_nearest(void **state)
{
    (void)state;
    assert_false(weir_help_name(out, "dctpc", NULL, &err));
    assert_int_equal(err.code, WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "dctpc");
    assert_false(weir_help_name(out, "zzzzzzzzz", NULL, &err));
    assert_non_null(strstr(err.hint, "weir help scenario"));
    assert_int_equal(ftell(out), 0);
}

static void lists_name_what_there_is(void **state)
{
    (void)state;
    assert_true(weir_list(out, "protocols", NULL, &err));
    assert_non_null(strstr(written(), "  dctcp     paper, ns2, ramp  a stand-in. Source: nobody, 2010\n"));
    assert_true(weir_list(out, "features", NULL, &err));
    assert_non_null(strstr(written(), " marks packets that find a queue"));
    assert_true(weir_list(out, "workloads", NULL, &err));
    assert_non_null(strstr(written(), "  wkc "));
    assert_true(weir_list(out, "topologies", NULL, &err));
    assert_non_null(strstr(written(), "  fat-tree "));
    assert_false(weir_list(out, "protocol", NULL, &err));
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "protocol");
}

static void make(const char *path, bool is_folder)
{
    FILE *file = NULL;
    if (is_folder) {
        assert_int_equal(mkdir(path, 0700), 0);
        return;
    }
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fclose(file);
}

static void experiments_are_folders_with_a_scenario(void **state)
{
    static const struct {
        const char *path;
        bool is_folder;
    } tree[] = { { "sird", true },         { "sird/b.yaml", false },
                 { "sird/a.yaml", false }, { "sird/expect", false },
                 { "empty", true },        { "README", false },
                 { ".git", true },         { ".git/x.yaml", false },
                 { "dart-fig1", true },    { "dart-fig1/fig1.yaml", false } };
    enum { COUNT = sizeof(tree) / sizeof(tree[0]) };
    char folder[64] = "weir-test-XXXXXX", path[128];
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, tree[i].path);
        make(path, tree[i].is_folder);
    }
    assert_true(weir_list(out, "experiments", folder, &err));
    for (int i = COUNT; i-- > 0;) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, tree[i].path);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(remove(folder), 0);
    assert_string_equal(written(), "  experiment  scenarios\n"
                                   "  dart-fig1   fig1.yaml\n"
                                   "  sird        a.yaml, b.yaml\n");
    assert_false(weir_list(out, "experiments", "no/such/folder", &err));
    assert_int_equal(err.code, WEIR_E_FILE);
    assert_string_equal(err.file, "no/such/folder");
    assert_false(weir_list(out, "experiments", NULL, &err));
    assert_refusal(&err, WEIR_E_FILE, "", "experiments");
}

static const char all_but[] = "all kinds but ";

/* "poisson, incast: " for a row that matters to these two, "all kinds but file: " for one that matters to new kinds, too; "" for one that
 * matters to all. */
static void prefix_of(const struct weir_param *row, const char *const *kinds, char *prefix, size_t size)
{
    bool but = row->kinds >> 31 != 0;
    const char *between = but ? all_but : "";
    size_t used = 0;
    prefix[0] = '\0';
    for (uint32_t kind = 0; kinds[kind] != NULL && row->kinds != 0; kind++) {
        if (weir_section_uses(row, kind) == but)
            continue;
        used += (size_t)snprintf(prefix + used, size - used, "%s%s", between, kinds[kind]);
        between = but ? " and " : ", ";
    }
    (void)snprintf(prefix + used, size - used, "%s", used > 0 ? ": " : "");
}

static void hints_name_kinds(const struct weir_param *rows, const char *const *kinds)
{
    for (const struct weir_param *row = rows; row->key != NULL; row++) {
        char prefix[128];
        bool named = strncmp(row->hint, all_but, sizeof(all_but) - 1) == 0;
        if (row->choices == kinds)
            continue;
        prefix_of(row, kinds, prefix, sizeof(prefix));
        assert_int_equal(strncmp(row->hint, prefix, strlen(prefix)), 0);
        for (const char *const *kind = kinds; *kind != NULL; kind++)
            named |= strncmp(row->hint, *kind, strlen(*kind)) == 0 && strchr(",:", row->hint[strlen(*kind)]) != NULL;
        assert_int_equal(named, row->kinds != 0);
    }
}

static void a_hint_begins_with_the_kinds_that_its_key_matters_to(void **state)
{
    (void)state;
    hints_name_kinds(weir_topology_params, weir_topology_kinds);
    hints_name_kinds(weir_traffic_params, weir_traffic_kinds);
}

/* Every name, with what it is found by. */
static void find_name(void *ctx, const char *name)
{
    uint32_t *count = ctx;
    if (!weir_help_name(out, name, NULL, &err))
        fail_msg("%s: %s", name, err.text);
    ++*count;
}

static void every_name_that_is_offered_has_help(void **state)
{
    uint32_t count = 0;
    (void)state;
    weir_help_names(find_name, &count);
    assert_in_range(count, 300, 3000);
}

static void a_term_of_the_glossary_is_found_however_it_is_written(void **state)
{
    static const char *const names[] = { "slowdown", "Slowdown", "base RTT",      "base-rtt",
                                         "BASE_RTT", "unstable", "FIFO-of-a-link" };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_true(weir_help_name(out, names[i], NULL, &err));
        assert_non_null(strstr(written(), "\nterm "));
    }
    assert_non_null(
        strstr(written(), "term slowdown\n  Time of a message over the least possible time on an idle network."));
    assert_non_null(strstr(written(), "see: doc/results.md, src/scenario/measure/recorder.c"));
}

static void a_misspelt_term_or_command_is_suggested(void **state)
{
    struct weir_suggest more;
    (void)state;
    assert_false(weir_help_name(out, "slowdwon", NULL, &err));
    assert_refusal(&err, WEIR_E_UNKNOWN, NULL, "slowdwon");
    assert_non_null(strstr(err.hint, "'slowdown'"));
    weir_suggest_init(&more, "scorebord");
    weir_suggest_add(&more, "scoreboard");
    assert_false(weir_help_name(out, "scorebord", &more, &err));
    assert_non_null(strstr(err.hint, "'scoreboard'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(a_cause_of_drops_leads_to_its_feature),
        TEST(tables_are_aligned_and_wrap_their_sentences),
        TEST(markdown_escapes_what_would_end_a_cell),
        TEST(no_line_of_the_terminal_is_longer_than_120),
        TEST(the_reference_names_every_key_preset_and_protocol),
        TEST(every_name_has_help),
        TEST(help_for_a_key_is_its_row),
        TEST(a_kind_gets_only_the_keys_that_matter_to_it),
        TEST(an_unknown_name_gets_the_nearest),
        TEST(lists_name_what_there_is),
        TEST(experiments_are_folders_with_a_scenario),
        TEST(a_hint_begins_with_the_kinds_that_its_key_matters_to),
        cmocka_unit_test_setup_teardown(every_name_that_is_offered_has_help, setup, teardown),
        cmocka_unit_test_setup_teardown(a_term_of_the_glossary_is_found_however_it_is_written, setup, teardown),
        cmocka_unit_test_setup_teardown(a_misspelt_term_or_command_is_suggested, setup, teardown),
    };
    return cmocka_run_group_tests_name("config/help", tests, NULL, NULL);
}
