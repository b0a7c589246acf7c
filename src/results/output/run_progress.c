/* src/results/output/run_progress.c - see run_progress.h. */
#include "output/run_progress.h"
#include "core/math.h"
#include "text/clock.h"
#include "text/format.h"
#include <inttypes.h>

#define NS_PER_S UINT64_C(1000000000)

/* Writes "42 %  12.60 ms of 30.00 ms", or "12.60 ms" if the end of the run is not known. Returns the length of the
 * whole text, even if the text does not fit into size bytes. */
static int text_of_time(char *out, size_t size, const struct weir_progress *p)
{
    if (p->end_ps == WEIR_NEVER || p->end_ps == 0)
        return snprintf(out, size, "%s", weir_format_ps(p->now_ps).text);
    return snprintf(out, size, "%3" PRIu64 " %%  %s of %s", weir_mul_div_u64(p->now_ps, 100, p->end_ps),
                    weir_format_ps(p->now_ps).text, weir_format_ps(p->end_ps).text);
}

void weir_progress_text(char *out, size_t size, const struct weir_progress *p, uint64_t wall_ns)
{
    uint64_t ps_per_s = wall_ns == 0 ? 0 : weir_mul_div_u64(p->now_ps, NS_PER_S, wall_ns);
    size_t at = (size_t)text_of_time(out, size, p);
    if (at < size && ps_per_s > 0)
        at += (size_t)snprintf(out + at, size - at, "  %s ms/s", weir_format_rounded(ps_per_s, 9, 2).text);
    if (at < size)
        at += (size_t)snprintf(out + at, size - at, "  %s messages", weir_format_grouped(p->messages_completed).text);
    if (at < size && p->messages_lost > 0)
        at += (size_t)snprintf(out + at, size - at, ", %s lost", weir_format_grouped(p->messages_lost).text);
    if (at < size && ps_per_s > 0 && p->end_ps != WEIR_NEVER && p->end_ps > p->now_ps)
        (void)snprintf(out + at, size - at, "  %s left", weir_format_left((p->end_ps - p->now_ps) / ps_per_s).text);
}

void weir_progress_report_at(struct weir_progress_line *line, const struct weir_progress *p, uint64_t now_ns)
{
    char text[WEIR_PROGRESS_WIDTH + 1];
    if (!weir_progress_due(line, now_ns))
        return;
    weir_progress_text(text, sizeof(text), p, now_ns - line->start_ns);
    weir_progress_draw(line, text);
}

void weir_progress_report(void *ctx, const struct weir_progress *p)
{
    struct weir_progress_line *line = ctx;
    if (line->out != NULL)
        weir_progress_report_at(line, p, weir_wall_ns());
}
