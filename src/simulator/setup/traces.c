/* src/simulator/setup/traces.c - see traces.h. */
#include "setup/traces.h"
#include "core/assert.h"
#include "trace/trace.h"
#include <stdio.h>
#include <stdlib.h>

/* Sets the position of an error to that of an item, if it has none. @return code, unchanged */
static int blame_item(const struct weir_tok *where, int code, struct weir_err *err)
{
    if (code != 0 && where->file != NULL && err->file[0] == '\0') {
        (void)snprintf(err->file, sizeof(err->file), "%s", where->file);
        err->line = where->line;
        err->col = where->col;
    }
    return code;
}

int weir_setup_traces(struct weir_ranks **graph, const struct weir_scenario *scn,
                      const struct weir_workload_limits *limits, struct weir_err *err)
{
    int code = 0;
    *graph = NULL;
    for (uint32_t i = 0; code == 0 && i < scn->traffic_count; i++) {
        if (!weir_traffic_is_trace(scn->traffic[i].kind))
            continue;
        if (*graph == NULL)
            *graph = calloc(WEIR_TRAFFIC_MAX, sizeof(**graph));
        if (*graph == NULL)
            return weir_fail_memory(err);
        WEIR_ASSERT(limits->note != NULL);
        code = weir_trace_load(&(*graph)[i], &scn->traffic[i], limits, &limits->note[i], err);
        code = blame_item(&scn->where_traffic[i], code, err);
    }
    return code;
}

void weir_setup_free_traces(struct weir_ranks **graph)
{
    for (uint32_t i = 0; *graph != NULL && i < WEIR_TRAFFIC_MAX; i++)
        weir_ranks_free(&(*graph)[i]);
    free(*graph);
    *graph = NULL;
}
