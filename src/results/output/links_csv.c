/* src/results/output/links_csv.c - see links_csv.h. */
#include "output/links_csv.h"
#include "core/math.h"
#include "output/csv.h"
#include "text/format.h"
#include <inttypes.h>

/* Writes the cells of one line for the causes that the run can have, one per cause; nothing if causes were not counted
 * by link. link: the link of the line; UINT32_MAX = write the names of the columns instead */
static void put_causes(FILE *file, const struct weir_causes *causes, uint32_t link)
{
    if (causes == NULL || causes->of_link == NULL)
        return;
    for (uint32_t i = WEIR_CAUSE_NONE + 1; i < causes->count; i++) {
        const struct weir_cause *cause = &causes->row[i].cause;
        bool gone = weir_fate_ends(cause->rule->fate); /* two rules of different fates may have the same name */
        if (link == UINT32_MAX)
            (void)fprintf(file, ",%s%s%s.%s", gone ? "" : weir_fate_keys[cause->rule->fate], gone ? "" : ".",
                          cause->feature, cause->rule->name);
        else
            (void)fprintf(file, ",%" PRIu64, causes->of_link[(size_t)link * causes->count + i]);
    }
}

static int links_row(FILE *file, const struct weir_topology *topo, const struct weir_result *result, uint32_t link)
{
    const struct weir_port_count *count = &result->link[link];
    const struct weir_link *l = &topo->link[link];
    uint64_t share_ppm = weir_account_share_ppm(count->bytes, l->rate_bps, result->sim_ps);
    uint64_t queue =
        result->measured_ps > 0 ? weir_account_mean_millibytes(count, result->measured_ps, l->rate_bps) : 0;
    struct weir_text mean = weir_format_decimal(queue, 3);
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    weir_topology_node_name(topo, l->src, from, sizeof(from));
    weir_topology_node_name(topo, l->dst, to, sizeof(to));
    (void)fprintf(file, "%" PRIu32 ",", link);
    weir_csv_text(file, from);
    (void)fputc(',', file);
    weir_csv_text(file, to);
    (void)fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s", l->rate_bps, count->bytes,
                  weir_format_decimal(share_ppm, 6).text, count->marks, count->drops, count->losses,
                  result->sampled ? "" : mean.text); /* without areas there is no mean of a port */
    put_causes(file, result->causes, link);
    return fputc('\n', file) != EOF ? 0 : WEIR_E_FILE;
}

int weir_links_csv(FILE *file, const struct weir_topology *topo, const struct weir_result *result)
{
    int code;
    (void)fputs("link,from,to,rate_bps,bytes,share,marks,drops,losses,mean_queue_bytes", file);
    put_causes(file, result->causes, UINT32_MAX);
    code = fputc('\n', file) != EOF ? 0 : WEIR_E_FILE;
    for (uint32_t i = 0; i < topo->link_count && code == 0; i++)
        code = links_row(file, topo, result, i);
    return code;
}
