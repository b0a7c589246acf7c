/* src/scenario/workload/flow_list.h - inside this room: declarations shared by the readers of flow lists. flows.c reads
 * Weir's own format; columns.c and cm.c read those of other simulators. */
#ifndef WEIR_WORKLOAD_FLOW_LIST_H
#define WEIR_WORKLOAD_FLOW_LIST_H
#include "workload/plan.h"

struct weir_flow_list { /* state while one file is read */
    struct weir_plan *plan;
    const struct weir_traffic_config *item;
    const struct weir_workload_limits *limits;
    const char *text;       /* the text of the file */
    uint32_t index;         /* index of the item in `traffic` */
    uint64_t until_ps, key; /* flows start before until_ps; key of the random stream of jitter */
    uint64_t read_count;    /* flows read so far */
};

/* Checks a flow before it is planned: source and destination differ, 1 B to 1 TiB, start at most 18000 s. where:
 * position of its row. @return 0, or WEIR_E_RANGE with err */
int weir_flow_check(uint32_t src, const struct weir_listed *what, const struct weir_tok *where, struct weir_err *err);

/* Plans the messages of the next flow of the file, each with its own tag. Subtracts the item's origin from
 * what->start_ps, and adds jitter. Leaves out messages that start before the item's start, or at or after its stop or
 * the end of the run. Sets what->item. where: position of the row. @return 0, or a code with err, also for a start
 * before the origin */
int weir_flow_take(struct weir_flow_list *list, uint32_t src, struct weir_listed *what, const struct weir_tok *where,
                   struct weir_err *err);

/* Returns the format of a flow list, found from its first rows; never WEIR_FLOWS_AUTO. A text that is like no other
 * format counts as CSV, whose reader then reports the error. */
enum weir_flow_format weir_flow_format_of(const char *text);

/* Plans the flows of a list in one of the formats HPCC, CONWEAVE, HOMA, YAPS and PARSIMON, which have rows of columns.
 * @return 0, or a code with err */
int weir_flows_columns(struct weir_flow_list *list, enum weir_flow_format format, struct weir_err *err);

/* Plans the flows of a list in the format HTSIM: a connection matrix without triggers. @return 0, or a code with err */
int weir_flows_cm(struct weir_flow_list *list, struct weir_err *err);
#endif
