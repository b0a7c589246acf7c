/* src/commands/watch/watch.h - `weir run --live`: a run that one watches in a browser and changes while it goes on. It
 * begins when a page is open. What was done is a timeline (timeline.h), with which the run is repeated exactly. */
#ifndef WEIR_WATCH_WATCH_H
#define WEIR_WATCH_WATCH_H
#include "text/outfile.h"
#include "watch/timeline.h"

struct weir_watch; /* a server, and what it may change */

struct weir_watch_options {
    uint32_t port;    /* 0 = any that is free */
    const char *page; /* HTML, copied */
    size_t page_length;
    const char *timeline;                 /* file for what was done; NULL = it is not written */
    const struct weir_outfile_keep *keep; /* files that it may not be */
};

/* Opens the server. @return 0, or a code with err */
int weir_watch_open(struct weir_watch **watch, const struct weir_watch_options *options, struct weir_err *err);
void weir_watch_close(struct weir_watch *w); /* w: may be NULL */
/* Returns the scenario of a run of which no cable was taken down, as weir_scenario_dump() prints it: without what was
 * announced. NULL = the announced one is that of the run. Lent. */
const char *weir_watch_scenario(const struct weir_watch *w);
/* Returns what the page has changed so far; lent. */
const struct weir_timeline *weir_watch_done(const struct weir_watch *w);

/* Sets a scenario up once more, which is set up already, so that cables and weights may change: as far as the
 * scenario and its law allow that. @return 0, or a code with err: then neither is set up */
int weir_watch_announce(struct weir_watch *w, struct weir_scenario *scn, struct weir_setup *setup, const char *file,
                        const struct weir_override *set, uint32_t count, struct weir_err *err);

/* Runs a scenario as the page wants; else as weir_sim_run(). Returns when the run has ended and then a signal has
 * come. @return 0, or a code with err */
int weir_watch_run(struct weir_watch *w, struct weir_setup *setup, const struct weir_sim_options *options,
                   struct weir_result *result, struct weir_err *err);
#endif
