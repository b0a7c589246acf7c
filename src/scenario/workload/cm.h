/* src/scenario/workload/cm.h - htsim's connection matrix (.cm, .tm): connections, and triggers by which one starts when
 * others end. Read whole, with every line checked; what becomes of it is decided by who asked (flows.c: a list;
 * config/jobs_cm.c: a job). Source: htsim's own reader and the files that come with it, both branches. Departs from it:
 * - sizes and starts are exact 64-bit numbers; htsim rounds starts to 24 bits and stops at sizes from 2^31 on
 * - a size is required; there a missing one means a flow without an end
 * - priorities and message numbers are read over, as no protocol here takes them */
#ifndef WEIR_WORKLOAD_CM_H
#define WEIR_WORKLOAD_CM_H
#include "workload/workload.h"

enum weir_cm_shot { WEIR_CM_ONESHOT, WEIR_CM_MULTISHOT, WEIR_CM_BARRIER };

struct weir_cm_flow {
    uint64_t bytes, start_ps; /* start: 0 if it has a trigger */
    uint32_t src, dst, line;
    uint32_t trigger;              /* which starts it; 0 = none */
    uint32_t send_done, recv_done; /* which it fires at its end; 0 = none */
};

struct weir_cm_trigger {
    uint32_t id, count, line; /* count: of a barrier; else 0 */
    enum weir_cm_shot shot;
};

struct weir_cm {
    struct weir_cm_flow *flow;       /* flow_count, in the file's order */
    struct weir_cm_trigger *trigger; /* trigger_count, by id */
    uint32_t nodes, flow_count, trigger_count;
};

/* Tests whether the text begins as a connection matrix does. (Nothing else that a scenario names does.) */
bool weir_cm_is(const char *text);

/**
 * Reads a connection matrix.
 * @param unit  enum weir_start_unit; NONE is refused when some start is not 0: the file does not say
 * @return 0, or a code with err (file and line); then nothing needs freeing
 */
int weir_cm_read(struct weir_cm *cm, const char *file, const char *text, uint32_t unit, uint32_t hosts,
                 struct weir_err *err);
void weir_cm_free(struct weir_cm *cm);

/* Returns the trigger of this id, or NULL. */
const struct weir_cm_trigger *weir_cm_find(const struct weir_cm *cm, uint32_t id);
#endif
