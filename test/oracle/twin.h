/* test/oracle/twin.h - one scenario, two simulators: the engine on 1, 2 and 3 threads against the oracle. */
#ifndef WEIR_TEST_TWIN_H
#define WEIR_TEST_TWIN_H
#include "setup/setup.h"
#include "test/oracle/oracle.h"

#define TWIN_TEXT_MAX 16384u
#define TWIN_SET_MAX 16u

enum twin_outcome {
    TWIN_EQUAL,
    TWIN_DIFFERENT, /* a number differs, or an invariant failed: printed */
    TWIN_REFUSED,   /* the scenario could not be read or run: printed */
    TWIN_LATE,      /* a run was not at its end when *stop was set: printed */
};

struct twin_case {
    const char *name;         /* in messages */
    const char *text;         /* the scenario, YAML */
    const char *repeat;       /* command line that runs it again */
    const char *const *set;   /* overrides, NULL-terminated; NULL = none */
    uint32_t threads_max;     /* 1 .. 3, or 0: the oracle alone */
    uint32_t ranks_max;       /* processes, forked; 0 or 1 = none */
    const volatile int *stop; /* becomes nonzero when the case takes too long; NULL = it may take any time */
    bool refusals;            /* are expected: printed in one line */
    bool engine_only;         /* threads against each other, without the oracle */
    bool skip;                /* with engine_only: run.skip: exact on 1 .. threads_max threads against none */
    bool without_times;       /* with skip: times of the state are not compared, which is wrong */
    uint64_t fabric_seed;     /* twin_fabric() of this; 0 = none */
    uint64_t jobs_seed;       /* twin_jobs() of this; 0 = none */
    uint64_t queues_seed;     /* twin_queues() of this; 0 = none */
    bool nics;                /* its hosts have several NICs */
    uint64_t graph_seed;      /* twin_graph() and its events of this; 0 = none */
    bool show;                /* print the graph's file */
    struct twin_cover *cover; /* counts what ran; NULL = nobody wants to know */
};

/* Cases that ran with each. Protocols and features are counted by their index in the registry, choices by that in cover.c. */
struct twin_choice {
    const char *name;
    uint32_t count;
};

struct twin_cover {
    uint32_t *protocol, *feature; /* one for each row; NULL at first */
    uint32_t *skipped;            /* by protocol: cases in which something was skipped */
    struct twin_choice *choice;   /* choices of them */
    uint32_t choices;
};

/* Counts what is in a scenario that ran. skipped: run.skip: exact computed some of it */
void twin_cover_add(struct twin_cover *cover, const struct weir_setup *setup, bool skipped);

/* Prints for each protocol that occurred how many of its cases skipped something. */
void twin_cover_print_skipped(struct twin_cover *cover);

/* Prints all counts, and on stderr the names that did not occur. @return how many did not */
uint32_t twin_cover_print(struct twin_cover *cover);

void twin_cover_free(struct twin_cover *cover);

struct twin_tally { /* over all cases so far: what the scenarios exercised */
    uint64_t cases, different, refused, late, hops;
    uint64_t drops, losses, marks, retransmissions, duplicates, timeouts;
    uint64_t pauses, lossless_drops, notices;
    uint64_t calm, exact, handovers; /* windows of the engine on one thread */
    uint64_t flows;                  /* of jobs that ended */
    uint64_t restarts, lost, stale;  /* restarts of hosts; messages lost with them; packets refused for their epoch */
    uint64_t ranks;                  /* runs on several processes */
    uint64_t tapped;                 /* packets that the engine's taps saw */
    uint64_t skipped;                /* packet-hops that the run on one thread skipped */
    uint64_t general;                /* cases by the general instance of the port body */
    uint64_t engine_ns, oracle_ns;   /* wall time; engine on one thread */
};

/* Runs a model on `ranks` forked processes, of options->threads threads each. As weir_sim_run(). */
int twin_run_on_ranks(const struct weir_model *model, const struct weir_sim_options *options, uint32_t ranks,
                      struct weir_result *result, struct weir_err *err);

/* Runs one case with `check` on and compares every number that both must share. Prints to stderr what differs. */
enum twin_outcome twin_run(const struct twin_case *c, struct twin_tally *tally);

/* Compares every count of every cause, those of links, and their sums with drops and losses. @return how many differ */
uint32_t twin_compare_batches(const char *who, const struct weir_batches *is, const struct weir_batches *must);
uint32_t twin_compare_causes(const char *who, const struct weir_result *is, const struct weir_causes *must,
                             uint32_t links);

/* Adds what the first run of a case counted. */
void twin_add_to_tally(struct twin_tally *t, const struct weir_result *r);

/* One line on stdout. */
void twin_print_tally(const char *title, const struct twin_tally *tally);

enum twin_kind { TWIN_PLAIN, TWIN_WHOLE, TWIN_LOSSLESS, TWIN_MIXED, TWIN_SHAPES, TWIN_STEADY };

/* A random scenario of a kind, by one of the next three. show: for TWIN_WHOLE. text: TWIN_TEXT_MAX bytes. */
void twin_draw(enum twin_kind kind, uint64_t seed, char *text, FILE *show);

/* So many of `count` scenarios of a kind may be refused by set-up. */
uint64_t twin_refusals_max(enum twin_kind kind, uint64_t count);

/* A random scenario of 10^5 .. 10^6 packet-hops; the same seed gives the same text. text: TWIN_TEXT_MAX bytes. */
void twin_generate(uint64_t seed, char *text);

/* A whole random scenario: any protocol and switch features of the registry, any network, any traffic. Less than one in ten is refused
 * by set-up. show: where the files it names are printed; may be NULL. text: TWIN_TEXT_MAX bytes. */
void twin_generate_whole(uint64_t seed, char *text, FILE *show);

/* A random scenario of lossless networks, whose switches change between calm and exact windows. Less than one in ten is refused by
 * set-up. text: TWIN_TEXT_MAX bytes. */
void twin_generate_lossless(uint64_t seed, char *text);

/* A random scenario of several laws side by side; up to half of them are refused by set-up. text: TWIN_TEXT_MAX bytes. */
void twin_generate_mixed(uint64_t seed, char *text);

/* A random scenario whose traffic is steady for a while, for run.skip: exact. text: TWIN_TEXT_MAX bytes. */
void twin_generate_steady(uint64_t seed, char *text);

/* Gives the scenario in text a random list fabric.switches. text: TWIN_TEXT_MAX bytes, in which the section fabric is one line. */
void twin_put_switches(uint64_t seed, char *text);

/* Has set-up made of fabric.switches what the oracle reads in it? Prints to stderr what it has not. */
bool twin_switches_hold(const struct weir_setup *setup);

/* Random telemetry, PFC and RoCC for a model, mostly with a law whose answers depend on every bit of it. */
void twin_fabric(struct weir_model *m, uint64_t seed);

/* Switches that write queueing delays into DATA and such a law, and weighted round robin. */
void twin_queues(struct weir_setup *s, uint64_t seed);

/* A random graph, by way of a file, in place of the scenario's topology, with as many hosts; and a random metric. show: where its
 * file is printed too; may be NULL. */
void twin_graph(struct weir_scenario *scn, uint64_t seed, FILE *show);

/* Likewise a graph whose hosts have one to eight NICs, in several networks side by side and to each other, and a way to choose among
 * them. */
void twin_nics(struct weir_scenario *scn, uint64_t seed, FILE *show);

/* Cables of the graph that go down and come up. */
void twin_graph_events(struct weir_setup *s, uint64_t seed);

/* Random jobs on top of the traffic. jobs: made here, to be freed after the run. */
void twin_jobs(struct weir_setup *s, uint64_t seed, struct weir_jobs *jobs);
#endif
