/* src/scenario/workload/flow_list.h - inside this room: what the readers of flow lists share, whatever the file's form
 * (flows.c: Weir's own; columns.c, cm.c: other simulators'). */
#ifndef WEIR_WORKLOAD_FLOW_LIST_H
#define WEIR_WORKLOAD_FLOW_LIST_H
#include "workload/plan.h"

struct weir_flow_list { /* one reading of one file */
    struct weir_plan *plan;
    const struct weir_traffic_config *item;
    const struct weir_workload_limits *limits;
    const char *text; /* of the file */
    uint32_t index;   /* of the item */
    uint64_t until_ps, key;
    uint64_t read_count; /* flows that the file has had so far */
};

/* Checks what a flow needs before it is in the plan: hosts that differ, 1 B to 1 TiB, a start that is not too late.
 * @param where  of its row @return 0, or WEIR_E_RANGE with err */
int weir_flow_check(uint32_t src, const struct weir_listed *what, const struct weir_tok *where, struct weir_err *err);

/* Plans the next flow of the file: origin, jitter, start and stop, its messages and their tags. what->item is set here.
 * @param where  of its row @return 0, or a code with err */
int weir_flow_take(struct weir_flow_list *list, uint32_t src, struct weir_listed *what, const struct weir_tok *where,
                   struct weir_err *err);

/* Finds the form of a list from its first rows: never AUTO. What is like none of the others is CSV, and refused as
 * such. */
enum weir_flow_format weir_flow_format_of(const char *text);

/* Plans the flows of a list in rows of columns: HPCC, CONWEAVE, HOMA, YAPS, PARSIMON. @return 0, or a code with err */
int weir_flows_columns(struct weir_flow_list *list, enum weir_flow_format format, struct weir_err *err);

/* Plans the flows of an HTSIM list: a connection matrix without triggers. @return 0, or a code with err */
int weir_flows_cm(struct weir_flow_list *list, struct weir_err *err);
#endif
