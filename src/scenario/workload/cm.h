/* src/scenario/workload/cm.h - reads htsim's connection matrix (.cm, .tm): connections, and triggers by which a
 * connection starts when others end. The whole file is read and every line checked; the caller makes a flow list of it
 * (weir_flows_cm()) or a job (config/jobs_cm.c). Source: htsim's own reader and the files that come with it, in
 * both of its branches. Departs from htsim:
 * - sizes and starts are exact 64-bit numbers; htsim rounds starts to 24 bits and fails at sizes from 2^31 on
 * - a flow without an end, of size 0 or without a size, sends WEIR_CDF_SIZE_MAX bytes; with `strict` it is refused, and
 *   so it is in a run that lasts until all is delivered
 * - priorities and message numbers are ignored, as no protocol here uses them */
#ifndef WEIR_WORKLOAD_CM_H
#define WEIR_WORKLOAD_CM_H
#include "workload/workload.h"

/* Kinds of triggers. When fired, ONESHOT starts all flows that wait for it, only once; MULTISHOT starts one flow per
 * firing; BARRIER starts all flows after `count` firings. */
enum weir_cm_shot { WEIR_CM_ONESHOT, WEIR_CM_MULTISHOT, WEIR_CM_BARRIER };

struct weir_cm_flow {         /* a connection */
    uint64_t bytes, start_ps; /* start: 0 if a trigger starts the flow */
    uint32_t src, dst, line;
    uint32_t trigger;              /* id of the trigger that starts the flow; 0 = none */
    uint32_t send_done, recv_done; /* ids of the triggers that the flow fires when it ends; 0 = none */
};

struct weir_cm_trigger {      /* a trigger */
    uint32_t id, count, line; /* count: the key `count`, which a barrier has; 0 = not given */
    enum weir_cm_shot shot;
};

struct weir_cm {                                              /* a connection matrix; weir_cm_free() frees it */
    struct weir_cm_flow *flow;                                /* flow_count flows, in the file's order */
    struct weir_cm_trigger *trigger;                          /* trigger_count triggers, sorted by id */
    uint32_t nodes, flow_count, trigger_count, endless_count; /* endless_count: of flow[], those without an end */
};

/* Tests whether a text begins as a connection matrix. No other file that a scenario names begins so. */
bool weir_cm_is(const char *text);

/**
 * Reads a connection matrix into *cm.
 * @param item   its start_unit is the unit of the start times; WEIR_START_UNIT_NONE refuses starts other than 0, as the
 *               file does not give the unit. With strict, flows without an end are refused
 * @param index  of the item: limits->note[index] gets the number of flows without an end
 * @return 0, or a code with err (file and line); then cm needs no free
 */
int weir_cm_read(struct weir_cm *cm, const char *text, const struct weir_traffic_config *item, uint32_t index,
                 const struct weir_workload_limits *limits, struct weir_err *err);
void weir_cm_free(struct weir_cm *cm);

/* Returns the trigger with this id; NULL = there is none. */
const struct weir_cm_trigger *weir_cm_find(const struct weir_cm *cm, uint32_t id);
#endif
