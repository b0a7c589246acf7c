/* test/oracle/test_pairs.c - every pair of features that is not refused, engine against oracle, and some sets of three. The pairs come from
 * the registry: what a row gives as an example is laid over one scenario, so a new feature is in here by itself. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "config/names.h"
#include "registry.h"
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <string.h>

static uint32_t threads_max = 1; /* on every number of threads up to this; `./dev soak` says 3 */

enum { EXAMPLES_MAX = 64, THREES = 30, LINE = 96 };

static const char base[] =
    "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps,\n"
    "           host_delay: 1 us, core_delay: 0.5 us}\n"
    "traffic:\n  - {kind: poisson, sizes: wkb, load: 40%}\n"
    "  - {kind: incast, fan_in: 6, size: 60 KB, load: 10%}\n"
    "run: {warmup: 20 us, measure: 100 us}\n";

struct example {
    const struct weir_feature *row;
    const struct weir_preset *how;
    uint32_t ran, refused;
};

static struct example example[EXAMPLES_MAX];
static uint32_t examples;
static struct twin_tally tally;

static int collect(void **state)
{
    (void)state;
    for (const struct weir_feature *const *row = weir_features; *row != NULL; row++)
        for (const struct weir_preset *e = (*row)->examples; e != NULL && e->name != NULL; e++) {
            assert_true(examples < EXAMPLES_MAX);
            example[examples++] = (struct example){ .row = *row, .how = e };
        }
    return 0;
}

/* "ecn.kmin: 20 KB" as an override: "fabric.ecn.kmin=20 KB". */
static void as_override(const char *line, char out[LINE])
{
    const char *colon = strchr(line, ':');
    assert_non_null(colon);
    (void)snprintf(out, LINE, "%s%.*s=%s", weir_feature_key_prefix(line), (int)(colon - line), line, colon + 2);
}

/* Some examples together. A set that cannot be is refused with a sentence. */
static void run_set(struct example *const *set, uint32_t count)
{
    static char text[TWIN_SET_MAX][LINE];
    const char *sets[TWIN_SET_MAX + 1] = { NULL };
    char name[256] = "";
    uint32_t n = 0;
    enum twin_outcome outcome;
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s%s (%s)", i > 0 ? " + " : "",
                       set[i]->row->name, set[i]->how->name);
        for (const char *const *line = set[i]->how->values; *line != NULL; line++) {
            assert_true(n < TWIN_SET_MAX);
            as_override(*line, text[n]);
            sets[n] = text[n];
            n++;
        }
    }
    outcome = twin_run(&(struct twin_case){ .name = name,
                                            .text = base,
                                            .repeat = "./dev test pairs",
                                            .set = sets,
                                            .threads_max = threads_max,
                                            .refusals = true },
                       &tally);
    for (uint32_t i = 0; i < count; i++)
        *(outcome == TWIN_REFUSED ? &set[i]->refused : &set[i]->ran) += 1;
}

static void engine_and_oracle_agree_on_every_pair_that_is_not_refused(void **state)
{
    (void)state;
    for (uint32_t a = 0; a < examples; a++)
        for (uint32_t b = a; b < examples; b++)
            if (a == b || example[a].row != example[b].row)
                run_set((struct example *[]){ &example[a], &example[b] }, a == b ? 1 : 2);
    twin_print_tally("pairs", &tally);
    for (uint32_t i = 0; i < examples; i++) {
        (void)printf("  %s (%s): %" PRIu32 " sets ran, %" PRIu32 " refused\n", example[i].row->name,
                     example[i].how->name, example[i].ran, example[i].refused);
        assert_true(example[i].ran > examples / 3); /* alone, and beside many others */
    }
    assert_int_equal(tally.different, 0);
}

static void engine_and_oracle_agree_on_some_sets_of_three(void **state)
{
    struct weir_rng rng = { .key = weir_rng_key(3, 0, WEIR_RNG_TEST, 0) };
    (void)state;
    tally = (struct twin_tally){ 0 };
    for (uint32_t i = 0; i < THREES; i++) {
        struct example *set[3];
        for (uint32_t k = 0; k < 3; k++)
            set[k] = &example[weir_rng_below(weir_rng_next(&rng), examples)];
        if (set[0]->row != set[1]->row && set[0]->row != set[2]->row && set[1]->row != set[2]->row)
            run_set(set, 3);
    }
    twin_print_tally("sets of three", &tally);
    assert_int_equal(tally.different, 0);
    assert_true(tally.cases - tally.refused >= 10);
}

/* test_pairs [--threads 1..3] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_and_oracle_agree_on_every_pair_that_is_not_refused),
        cmocka_unit_test(engine_and_oracle_agree_on_some_sets_of_three),
    };
    if (argc == 3 && strcmp(argv[1], "--threads") == 0)
        threads_max = (uint32_t)(argv[2][0] - '0');
    return cmocka_run_group_tests_name("oracle/pairs", tests, collect, NULL);
}
