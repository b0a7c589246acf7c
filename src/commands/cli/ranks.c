/* src/commands/cli/ranks.c - see ranks.h. */
#include "cli/ranks.h"
#include "cli/cli.h"
#include "carrier/mpi.h"
#include "carrier/processes.h"
#include "core/rng.h"
#include "engine/sim.h"
#include "config/dump.h"
#include "text/commit.h"
#include "text/memory.h"
#include "text/print.h"
#include "text/version.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int weir_cli_ranks_find(struct weir_carrier **out, const struct weir_run_args *args, struct weir_err *err)
{
    int code = weir_mpi_start(out, WEIR_MODULE_DIR, err);
    if (code != 0 || *out == NULL)
        return code;
    if ((*out)->rank != 0 && (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL))
        _exit(WEIR_EXIT_FAILURE);
    if (args->ranks > 1)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "leave --ranks out: mpirun -np N says how many",
                         "--ranks %u: mpirun has started the processes already", args->ranks);
    return 0;
}

static void print_run(FILE *out, const void *scn)
{
    (void)fprintf(out, "%s %s\n", WEIR_VERSION, WEIR_COMMIT);
    weir_scenario_dump(out, scn);
}

/* Returns a number that two runs have in common if they are of one scenario, build and number of threads. 0 = no
 * memory */
static uint64_t run_hash(const struct weir_run_args *args, const struct weir_setup *setup)
{
    char *text = weir_memory_text(print_run, setup->scn);
    uint64_t hash = weir_mix_u64(args->threads);
    if (text == NULL)
        return 0;
    for (size_t i = 0; text[i] != '\0'; i++)
        hash = weir_mix_u64(hash ^ (unsigned char)text[i]);
    free(text);
    return hash | 1;
}

/* Tests whether all ranks simulate the same. @return 0, or a code with err, in all ranks */
static int ranks_alike(struct weir_carrier *c, const struct weir_run_args *args, const struct weir_setup *setup,
                       struct weir_err *err)
{
    uint64_t own = run_hash(args, setup), first = own, unlike = 0;
    int code = weir_carrier_share(c, &first, sizeof(first), err);
    if (code == 0)
        code = weir_carrier_count(c, first != own, &unlike, err);
    if (code != 0 || unlike == 0)
        return code;
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "start all ranks with the same file, options and build of weir",
                     "%u of %u ranks have another scenario or another build than rank 0", (unsigned)unlike, c->ranks);
}

/* Simulates the part of a rank other than 0: it reports nothing, and has no files. */
static _Noreturn void run_rank(struct weir_carrier *c, const struct weir_run_args *args, struct weir_setup *setup)
{
    struct weir_err err;
    struct weir_sim_options options = { .threads = args->threads, .carrier = c };
    struct weir_result *result = calloc(1, sizeof(*result));
    bool track = false;
    int code = result == NULL ? weir_fail_memory(&err) : ranks_alike(c, args, setup, &err);
    if (code == 0)
        code = weir_carrier_share(c, &track, sizeof(track), &err);
    if (code == 0 && track)
        weir_setup_track(setup);
    if (code == 0)
        code = weir_sim_run(&setup->model, &options, result, &err);
    c->close(c, code == 0 || weir_cli_ranks_know(code));
    _exit(code == 0 ? WEIR_EXIT_DONE : WEIR_EXIT_FAILURE);
}

int weir_cli_ranks_make(struct weir_carrier **carrier, const struct weir_run_args *args, struct weir_setup *setup,
                        struct weir_err *err)
{
    int code = 0;
    if (args->ranks > 1)
        code = weir_processes_start(carrier, args->ranks, err);
    if (code != 0 || *carrier == NULL)
        return code;
    if ((*carrier)->rank > 0)
        run_rank(*carrier, args, setup);
    return ranks_alike(*carrier, args, setup, err);
}
