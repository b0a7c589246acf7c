/* src/commands/web/module.h - a simulation that a page drives: it opens a scenario, runs it, and reports frames of the
 * network meanwhile. The same code is in the WebAssembly module of `./dev web` and in tests of the native build.
 * platform.wasm.c gives it to JavaScript. */
#ifndef WEIR_WEB_MODULE_H
#define WEIR_WEB_MODULE_H
#include "config/scenario.h"
#include "model/model.h"
#include <stdio.h>

/* The values of a frame, before the queue of each link in bytes. */
enum weir_web_frame {
    WEIR_WEB_AT_PS,
    WEIR_WEB_EVERY_PS, /* the interval from now on: a page keeps only frames at multiples of it */
    WEIR_WEB_ARRIVED_BYTES,
    WEIR_WEB_MARKS,
    WEIR_WEB_DROPS,
    WEIR_WEB_RETRANSMISSIONS,
    WEIR_WEB_UNFINISHED_BYTES,
    WEIR_WEB_TOR_QUEUE_BYTES, /* of the first-hop switch with the most */
    WEIR_WEB_PORT_QUEUE_BYTES,
    WEIR_WEB_FIRST_LINK
};

#define WEIR_WEB_FRAMES 400u /* of a run whose length is known; of another one at most twice as many are kept */

struct weir_web_sink { /* what a run reports while it goes on; both functions are needed */
    /* Takes a frame. value: count of them, lent for the call: enum weir_web_frame, then one for each link */
    void (*frame)(void *ctx, const double *value, uint32_t count);
    /* Takes how far the run is. p->end_ps: WEIR_NEVER if the run ends with its last message */
    void (*progress)(void *ctx, const struct weir_progress *p);
    void *ctx;
};

struct weir_web; /* a scenario that was read, and perhaps its result */

struct weir_web_source { /* all lent for the call */
    const char *text;    /* length bytes; files that it names begin at the folder of the process */
    size_t length;
    const char *law; /* "" = the scenario as it is; else a protocol, or a variant of the scenario, with the settings
                        that `weir compare` gives it */
    const struct weir_override *set; /* set_count settings as of `weir run --set`; with a law there are none */
    uint32_t set_count;
};

/**
 * Reads a scenario and sets it up.
 * @return 0, then weir_web_close() frees *out; or a code with err, and *out is NULL
 */
int weir_web_open(struct weir_web **out, const struct weir_web_source *source, struct weir_err *err);
/* Frees a simulation; web: may be NULL. */
void weir_web_close(struct weir_web *web);

/* Runs the simulation; a second call, or one after weir_web_packets(), returns WEIR_E_CONFLICT. @return 0, or a code
 * with err */
int weir_web_run(struct weir_web *web, const struct weir_web_sink *sink, struct weir_err *err);

/**
 * Runs the simulation until a time, and writes what `weir run --digest-until` prints. The simulation then has no
 * result.
 * @param packet  NULL = what packets did at that time; else all that the packet of this name did
 * @return 0, or a code with err; WEIR_E_CONFLICT after a run
 */
int weir_web_packets(struct weir_web *web, uint64_t until_ps, const char *packet, FILE *out, struct weir_err *err);

/* Estimates the memory that the run will need, in bytes. */
uint64_t weir_web_need_bytes(const struct weir_web *web);

/* Writes a JSON object: the network and the run, before it begins. */
void weir_web_describe(FILE *out, const struct weir_web *web);
/* Writes the object of `weir run --json`. The run must be over. */
void weir_web_result(FILE *out, const struct weir_web *web);
/* Writes the file of `weir run --links`. The run must be over. @return 0 or WEIR_E_FILE */
int weir_web_links(FILE *out, const struct weir_web *web);
/* Writes a JSON object: the distribution of slowdown, and its percentiles by message size. The run must be over. */
void weir_web_slowdown(FILE *out, const struct weir_web *web);

/* Writes a JSON object with the refusal: file, line, column, text, hint. */
void weir_web_refusal(FILE *out, const struct weir_err *err);
/* Writes a JSON object: version, commit, and each protocol with its style in figures. */
void weir_web_laws(FILE *out);

struct weir_setup;
/**
 * Finds the settings of a law, as `weir compare` does, reads the scenario with them and sets it up (law.c).
 * @param source  its law is not ""
 * @return 0, or a code with err; then nothing needs freeing
 */
int weir_web_load_law(struct weir_scenario *scn, struct weir_setup *setup, const struct weir_web_source *source,
                      struct weir_err *err);
#endif
