/* src/commands/live/delay_report.c - the counters of delay lines, and how another process asks for them. */
#include "core/units.h"
#include "live/delay.h"
#include "text/background.h"
#include "text/format.h"
#include "text/schema.h"
#include <errno.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <sys/socket.h>

#define NAME "weir-delay"

struct sum { /* of all ways; large: on the heap */
    struct weir_latency late;
    uint64_t frames, dropped;
};

/* --- counters --- */

/* Adds what the kernel has dropped since it was asked last. */
static void read_lost(struct weir_delay_way *way)
{
    struct tpacket_stats stats;
    socklen_t length = sizeof(stats);
    if (getsockopt(way->in, SOL_PACKET, PACKET_STATISTICS, &stats, &length) == 0)
        way->lost += stats.tp_drops;
}

static uint64_t dropped(const struct weir_delay_way *way)
{
    return way->full + way->large + way->lost + way->refused;
}

static struct sum *sum_up(struct weir_delay *d)
{
    struct sum *sum = calloc(1, sizeof(*sum));
    for (uint32_t i = 0; sum != NULL && i < 2 * d->line_count; i++) {
        struct weir_delay_way *way = &d->line[i / 2].way[i % 2];
        read_lost(way);
        sum->frames += way->frames;
        sum->dropped += dropped(way);
        weir_latency_merge(&sum->late, &way->late);
    }
    return sum;
}

static void way_json(struct weir_json *json, const struct weir_delay_line *line, uint32_t from)
{
    const struct weir_delay_way *way = &line->way[from];
    weir_json_open(json, NULL);
    weir_json_string(json, "from", line->device[from]);
    weir_json_string(json, "to", line->device[1 - from]);
    weir_json_decimal(json, "delay_us", line->delay_ps, 6);
    weir_json_u64(json, "frames", way->frames);
    weir_json_u64(json, "bytes", way->bytes);
    weir_json_u64(json, "waiting_frames", way->fifo.frames);
    weir_json_u64(json, "room_bytes", way->fifo.room_bytes);
    weir_json_u64(json, "room_used_max_bytes", way->fifo.used_max_bytes);
    weir_json_u64(json, "dropped_full", way->full);
    weir_json_u64(json, "dropped_large", way->large);
    weir_json_u64(json, "dropped_unread", way->lost);
    weir_json_u64(json, "dropped_refused", way->refused);
    weir_latency_json(json, "late_us", &way->late);
    weir_json_close(json);
}

void weir_delay_json(FILE *out, struct weir_delay *d)
{
    struct weir_json json = { .out = out, .levels = 2 };
    struct sum *sum = sum_up(d);
    if (sum == NULL)
        return;
    weir_json_open(&json, NULL);
    weir_json_decimal(&json, "seconds", weir_delay_now_ns() - d->start_ns, 9);
    weir_json_decimal(&json, "processor_s", weir_delay_cpu_ns() - d->start_cpu_ns, 9);
    weir_json_bool(&json, "realtime", d->realtime);
    weir_json_u64(&json, "frames", sum->frames);
    weir_json_u64(&json, "dropped", sum->dropped);
    weir_latency_json(&json, "late_us", &sum->late);
    weir_json_open_list(&json, "ways");
    for (uint32_t i = 0; i < 2 * d->line_count; i++)
        way_json(&json, &d->line[i / 2], i % 2);
    weir_json_close_list(&json);
    weir_json_close(&json);
    free(sum);
}

static const struct weir_schema way_fields[] = {
    { .key = "from", .text = "device" },
    WEIR_FIELD("to", STRING),
    WEIR_FIELD("delay_us", NUMBER),
    WEIR_FIELD("frames", INTEGER),
    WEIR_FIELD("bytes", INTEGER),
    { .key = "waiting_frames", .text = "now", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("room_bytes", INTEGER),
    WEIR_FIELD("room_used_max_bytes", INTEGER),
    { .key = "dropped_full", .text = "there was no room", .type = WEIR_SCHEMA_INTEGER },
    { .key = "dropped_large", .text = "longer than a frame may be", .type = WEIR_SCHEMA_INTEGER },
    { .key = "dropped_unread", .text = "not read in time", .type = WEIR_SCHEMA_INTEGER },
    { .key = "dropped_refused", .text = "by the device to which they go", .type = WEIR_SCHEMA_INTEGER },
    { .key = "late_us", .text = "how late frames left", .type = WEIR_SCHEMA_OBJECT, .fields = weir_latency_fields },
    { .key = NULL },
};
static const struct weir_schema way_row = { .type = WEIR_SCHEMA_OBJECT, .fields = way_fields };
static const struct weir_schema delay_fields[] = {
    { .key = "seconds", .text = "since the start", .type = WEIR_SCHEMA_NUMBER },
    { .key = "processor_s", .text = "of the process", .type = WEIR_SCHEMA_NUMBER },
    { .key = "realtime", .text = "whether it has that priority", .type = WEIR_SCHEMA_BOOL },
    WEIR_FIELD("frames", INTEGER),
    WEIR_FIELD("dropped", INTEGER),
    { .key = "late_us", .text = "of all ways", .type = WEIR_SCHEMA_OBJECT, .fields = weir_latency_fields },
    { .key = "ways", .text = "two per line", .type = WEIR_SCHEMA_LIST, .each = &way_row },
    { .key = NULL },
};

void weir_delay_schema(FILE *out)
{
    weir_schema_print(out, "delay status", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = delay_fields });
}

static const char *us(const struct weir_latency *l, uint64_t ns, struct weir_text *text)
{
    *text = weir_format_rounded(ns, 3, 1);
    return l->ns.total > 0 ? text->text : "-";
}

static void put_late(FILE *out, const struct weir_latency *l)
{
    struct weir_text mean, p99, max;
    (void)fprintf(out, "%11s%11s%11s\n", us(l, l->ns.total > 0 ? l->sum_ns / l->ns.total : 0, &mean),
                  us(l, weir_histogram_quantile(&l->ns, 990000), &p99), us(l, l->ns.max, &max));
}

void weir_delay_table(FILE *out, struct weir_delay *d)
{
    uint64_t ns = weir_delay_now_ns() - d->start_ns, cpu_ns = weir_delay_cpu_ns() - d->start_cpu_ns;
    struct sum *sum = sum_up(d);
    if (sum == NULL)
        return;
    (void)fprintf(out, "delay lines: %u for %s s, with %s %% of a processor%s\n", d->line_count,
                  weir_format_rounded(ns, 9, 1).text, weir_format_rounded(ns > 0 ? 10000 * cpu_ns / ns : 0, 2, 1).text,
                  d->realtime ? "" : ", without SCHED_FIFO");
    (void)fprintf(out, "%-10s%-10s%9s%12s%9s%11s%11s%11s\n", "from", "to", "ms", "frames", "dropped", "late: mean",
                  "p99", "max, us");
    for (uint32_t i = 0; i < 2 * d->line_count; i++) {
        const struct weir_delay_line *line = &d->line[i / 2];
        const struct weir_delay_way *way = &line->way[i % 2];
        (void)fprintf(out, "%-10s%-10s%9s%12s%9s", line->device[i % 2], line->device[1 - i % 2],
                      weir_format_rounded(line->delay_ps, 9, 3).text, weir_format_decimal(way->frames, 0).text,
                      weir_format_decimal(dropped(way), 0).text);
        put_late(out, &way->late);
    }
    (void)fprintf(out, "%-29s%12s%9s", "all", weir_format_decimal(sum->frames, 0).text,
                  weir_format_decimal(sum->dropped, 0).text);
    put_late(out, &sum->late);
    free(sum);
}

/* --- questions --- */

int weir_delay_listen(struct weir_err *err)
{
    int fd = weir_background_listen(NAME);
    if (fd == -EADDRINUSE)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "weir delay stop ends it",
                        "delay: a process with delay lines runs in this network namespace");
    else if (fd < 0)
        (void)weir_fail(err, WEIR_E_RUN, NULL, NULL, "delay: no socket: %s", strerror(-fd));
    return fd;
}

static void write_json(FILE *out, void *ctx)
{
    weir_delay_json(out, ctx);
}

static void write_table(FILE *out, void *ctx)
{
    weir_delay_table(out, ctx);
}

void weir_delay_answer(struct weir_delay *d)
{
    weir_background_answer(d->asked, write_json, write_table, d);
}

int weir_delay_ask(bool json, FILE *out, int *pid, struct weir_err *err)
{
    return weir_background_ask(NAME, json, out, pid)
               ? 0
               : weir_fail(err, WEIR_E_UNKNOWN, NULL, "weir delay start begins them",
                           "delay: no delay lines run in this network namespace");
}
