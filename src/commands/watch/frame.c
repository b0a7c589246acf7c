/* src/commands/watch/frame.c - see frame.h. A frame of a large network has thousands of numbers, and is made while the
 * run waits. So numbers are written here, and not by fprintf(). */
#include "watch/frame.h"
#include "core/assert.h"
#include "core/math.h"
#include "session/drive.h"
#include "workload/message_id.h"
#include <stdlib.h>
#include <string.h>

/* bytes: of a number with its comma; of what is not by port, with all messages, jobs and sizes */
enum { NUMBER = 21, REST = 1 << 17, PORT_NUMBERS = 6, PPM = 1000000, MILLE = 1000, PAUSED = 1, DOWN = 2 };

int weir_frames_init(struct weir_frames *f, const struct weir_setup *setup, struct weir_err *err)
{
    size_t links = setup->topo.link_count;
    *f = (struct weir_frames){ .setup = setup, .message = WEIR_NEVER, .room = links * PORT_NUMBERS * NUMBER + REST };
    f->left_bytes = calloc(links, sizeof(*f->left_bytes));
    f->marks = calloc(links, sizeof(*f->marks));
    f->lost = calloc(links, sizeof(*f->lost));
    f->flags = calloc(links, sizeof(*f->flags));
    f->ended = calloc(WEIR_FRAME_ENDED, sizeof(*f->ended));
    f->detail = weir_detail_new();
    f->text = malloc(f->room);
    if (f->left_bytes != NULL && f->marks != NULL && f->lost != NULL && f->flags != NULL && f->ended != NULL &&
        f->detail != NULL && f->text != NULL)
        return 0;
    weir_frames_free(f);
    return weir_fail_memory(err);
}

void weir_frames_free(struct weir_frames *f)
{
    free(f->left_bytes);
    free(f->marks);
    free(f->lost);
    free(f->flags);
    free(f->ended);
    weir_detail_free(f->detail);
    free(f->text);
    *f = (struct weir_frames){ 0 };
}

static uint64_t slowdown_ppm(const struct weir_delivery *d)
{
    return d->ideal_ps > 0 ? weir_mul_div_u64(d->end_ps - d->start_ps, PPM, d->ideal_ps) : 0;
}

void weir_frames_rows(struct weir_frames *f, const struct weir_account_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t ppm = slowdown_ppm(&row[i].d);
        f->ended[f->ended_count++ % WEIR_FRAME_ENDED] = row[i].d;
        f->completed++;
        if (ppm > 0 && !row[i].d.is_reply)
            weir_detail_add(f->detail, row[i].d.bytes, ppm, ppm);
    }
}

/* ---- text ---- */

static void put_text(struct weir_frames *f, const char *text)
{
    size_t length = strlen(text);
    WEIR_ASSERT(f->length + length <= f->room);
    memcpy(f->text + f->length, text, length);
    f->length += length;
}

/* Puts a number and a comma, which end() turns into a bracket. */
static void put(struct weir_frames *f, uint64_t value)
{
    char digit[NUMBER], *at = digit + sizeof(digit);
    size_t length;
    *--at = ',';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    length = (size_t)(digit + sizeof(digit) - at);
    WEIR_ASSERT(f->length + length <= f->room);
    memcpy(f->text + f->length, at, length);
    f->length += length;
}

/* Ends a list or an object, in the place of the last comma. */
static void end(struct weir_frames *f, char bracket)
{
    WEIR_ASSERT(f->length > 0 && f->length + 1 < f->room);
    if (f->text[f->length - 1] == ',')
        f->length--;
    f->text[f->length++] = bracket;
    f->text[f->length++] = ',';
}

static void put_named(struct weir_frames *f, const char *key, uint64_t value)
{
    put_text(f, key);
    put(f, value);
}

/* ---- ports ---- */

/* Puts four numbers of a port: its queue; and since the last frame the share of its rate that was used, in thousandths,
 * and packets that were marked or lost. */
static void put_port(struct weir_frames *f, uint32_t link, const struct weir_drive_port *port, uint64_t span_ps)
{
    uint64_t bytes = port->left_bytes - weir_min_u64(port->left_bytes, f->left_bytes[link]), used = 0;
    uint64_t most = weir_mul_div_u64(span_ps, f->setup->topo.link[link].rate_bps, 8 * WEIR_PS_PER_S);
    if (most > 0)
        used = weir_min_u64(weir_mul_div_u64(bytes, MILLE, most), MILLE);
    put(f, port->queue_bytes);
    put(f, used);
    put(f, port->marks - f->marks[link]);
    put(f, port->lost - f->lost[link]);
    f->left_bytes[link] = port->left_bytes;
    f->marks[link] = port->marks;
    f->lost[link] = port->lost;
}

/* Puts the numbers of links with a flag. */
static void put_flagged(struct weir_frames *f, uint8_t flag)
{
    for (uint32_t i = 0; i < f->setup->topo.link_count; i++)
        if ((f->flags[i] & flag) != 0)
            put(f, i);
    end(f, ']');
}

/* Puts all ports, and which of them are paused or down: those are few. */
static void put_ports(struct weir_frames *f)
{
    uint64_t span_ps = weir_sim_now(f->sim) - f->at_ps;
    uint32_t links = f->setup->topo.link_count;
    put_text(f, "\"ports\":[");
    for (uint32_t i = 0; i < links; i++) {
        const struct weir_drive_port port = weir_drive_port(f->sim, i);
        put_port(f, i, &port, span_ps);
        f->flags[i] = (uint8_t)(port.is_paused * PAUSED | port.is_down * DOWN);
    }
    end(f, ']');
    put_text(f, "\"paused\":[");
    put_flagged(f, PAUSED);
    put_text(f, "\"down\":[");
    put_flagged(f, DOWN);
}

void weir_frames_restart(struct weir_frames *f)
{
    f->ended_count = 0;
    f->at_ps = weir_sim_now(f->sim);
    for (uint32_t i = 0; i < f->setup->topo.link_count; i++) {
        const struct weir_drive_port port = weir_drive_port(f->sim, i);
        f->left_bytes[i] = port.left_bytes;
        f->marks[i] = port.marks;
        f->lost[i] = port.lost;
    }
}

/* ---- messages ---- */

/* Ids do not fit a number of JavaScript: the sender and its own count go apart. */
static void put_id(struct weir_frames *f, uint64_t id)
{
    put(f, weir_message_host(id));
    put(f, weir_message_number(id));
}

static void put_ended(struct weir_frames *f)
{
    uint64_t count = weir_min_u64(f->ended_count, WEIR_FRAME_ENDED);
    put_text(f, "\"ended\":[");
    for (uint64_t i = f->ended_count - count; i < f->ended_count; i++) {
        const struct weir_delivery *d = &f->ended[i % WEIR_FRAME_ENDED];
        put_id(f, d->id);
        put(f, d->dst);
        put(f, d->bytes);
        put(f, d->start_ps);
        put(f, d->end_ps);
        put(f, slowdown_ppm(d));
    }
    end(f, ']');
    put_named(f, "\"left_out\":", f->ended_count - count);
    f->ended_count = 0;
}

static void put_open(struct weir_frames *f)
{
    struct weir_drive_open open[WEIR_FRAME_OPEN];
    uint32_t first = (uint32_t)(f->number % f->setup->topo.host_count);
    uint32_t count = weir_drive_list(f->sim, first, open, WEIR_FRAME_OPEN);
    put_text(f, "\"open\":[");
    for (uint32_t i = 0; i < count; i++) {
        put_id(f, open[i].id);
        put(f, open[i].dst);
        put(f, open[i].bytes);
        put(f, open[i].start_ps);
    }
    end(f, ']');
}

/* Puts the slowdown by size: lower edge, messages, median and 99th percentile in millionths. */
static void put_slowdown(struct weir_frames *f)
{
    put_text(f, "\"slowdown\":[");
    for (uint32_t i = 0; i < WEIR_DETAIL_BINS; i++) {
        uint64_t count = f->detail->slowdown[WEIR_SLOWDOWN_IDEAL][i].total;
        if (count == 0)
            continue;
        put(f, weir_detail_edge(i));
        put(f, count);
        put(f, weir_detail_quantile(f->detail, WEIR_SLOWDOWN_IDEAL, i, 500000));
        put(f, weir_detail_quantile(f->detail, WEIR_SLOWDOWN_IDEAL, i, 990000));
    }
    end(f, ']');
}

uint32_t weir_frames_jobs(const struct weir_jobs *jobs)
{
    return jobs != NULL && jobs->job_count <= WEIR_FRAME_JOBS && jobs->flow_count <= WEIR_FRAME_FLOWS ? jobs->job_count
                                                                                                      : 0;
}

/* Puts what has started and ended of each job. */
static void put_jobs(struct weir_frames *f)
{
    const struct weir_jobs *jobs = f->setup->workload.jobs;
    put_text(f, "\"jobs\":[");
    for (uint32_t j = 0; j < weir_frames_jobs(jobs); j++) {
        uint64_t began = 0, ended = 0, id;
        for (uint32_t i = jobs->job[j].first; i < jobs->job[j].first + jobs->job[j].count; i++) {
            enum weir_drive_message state = weir_drive_job_flow(f->sim, i, &id);
            began += state != WEIR_DRIVE_TO_COME;
            ended += state == WEIR_DRIVE_ENDED;
        }
        put(f, began);
        put(f, ended);
    }
    end(f, ']');
}

static void put_law(struct weir_frames *f)
{
    struct weir_host_flow flow;
    if (f->message == WEIR_NEVER || !weir_drive_law(f->sim, f->message, &flow))
        return;
    put_text(f, "\"law\":[");
    put_id(f, f->message);
    put(f, flow.cwnd_bytes);
    put(f, flow.rate_bps == WEIR_RATE_OPEN ? 0 : flow.rate_bps);
    put(f, flow.sent_bytes);
    put(f, flow.acked_bytes);
    end(f, ']');
}

void weir_frames_make(struct weir_frames *f, const char *state)
{
    f->length = 0;
    put_text(f, "{\"state\":\"");
    put_text(f, state);
    put_text(f, "\",");
    put_named(f, "\"frame\":", f->number);
    put_named(f, "\"at_ps\":", weir_sim_now(f->sim));
    put_named(f, "\"since_ps\":", f->at_ps);
    put_named(f, "\"completed\":", f->completed);
    put_ports(f);
    put_ended(f);
    put_open(f);
    put_slowdown(f);
    put_jobs(f);
    put_law(f);
    end(f, '}');
    f->length--; /* the last comma */
    f->at_ps = weir_sim_now(f->sim);
    f->number++;
}
