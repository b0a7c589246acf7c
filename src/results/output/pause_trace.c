/* src/results/output/pause_trace.c - see pause_trace.h. */
#include "output/pause_trace.h"
#include "core/units.h"
#include <inttypes.h>

int weir_pause_trace_rows(void *ctx, const struct weir_control_row *row, size_t count)
{
    const struct weir_pause_trace *trace = ctx;
    const struct weir_topology *topo = trace->topo;
    for (size_t i = 0; i < count; i++) {
        uint32_t node = topo->link[row[i].link].src;
        if (fprintf(trace->file, "%" PRIu64 " %" PRIu32 " %d %" PRIu32 " %d\n", row[i].at_ps / WEIR_PS_PER_NS, node,
                    node >= topo->host_count, row[i].link - topo->node[node].first_out + 1, row[i].code) < 0)
            return WEIR_E_FILE;
    }
    return 0;
}
