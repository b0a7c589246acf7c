/* src/commands/live/live.c - opens, observes and closes a transport; see live.h. */
#include "live/live.h"
#include "core/math.h"
#include "core/units.h"
#include "text/format.h"
#include "text/stop.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define EVERY_PS (2 * WEIR_PS_PER_MS) /* interval of points, as in the published series */

static const struct weir_transport *const transports[] = {
    [WEIR_LIVE_WEIR] = &weir_live_weir, [WEIR_LIVE_TCP] = &weir_live_tcp, [WEIR_LIVE_SIRD] = &weir_live_weir
};

const char *weir_live_signal(const struct weir_live *live, const struct weir_stats *stats)
{
    if (strcmp(live->name, "soze") != 0 && strcmp(live->name, "aimd") != 0)
        return NULL;
    return stats->raised_delays > 0 ? "queueing delays that switches raised"
                                    : "round trips less the shortest one: no switch raised a queueing delay";
}

const char *weir_live_why(const struct weir_live *live, int result)
{
    bool silent =
        (result == -EHOSTUNREACH || result == -ETIMEDOUT) && live->args->key != NULL; /* perhaps another key */
    if ((result == -EMSGSIZE || result == -EPROTO || result == -ENOTSUP || silent) && live->trouble[0] != '\0')
        return live->trouble;
    if (result != -EPROTO || live->transport != &weir_live_tcp)
        return weir_strerror(result);
    return "what answers there is no weir serve --transport tcp";
}

bool weir_live_names(const char *why, const char *peer)
{
    return strstr(why, peer) != NULL;
}

bool weir_live_hopeless(int result)
{
    return result == -EHOSTUNREACH || result == -ECONNREFUSED || result == -EPROTO || result == -EMSGSIZE ||
           result == -ENOTSUP;
}

uint64_t weir_live_per_s(uint64_t change, uint64_t ns)
{
    return weir_mul_div_u64(change, NS_PER_S, ns);
}

/* Decides when a progress line is printed. A server prints none if its stderr is no terminal, because it runs without
 * an end. */
static enum weir_progress_when progress_of(const struct weir_live_args *args)
{
    return args->listens && isatty(STDERR_FILENO) != 1 ? WEIR_PROGRESS_NEVER : WEIR_PROGRESS_AUTO;
}

/* Sets live->name. */
static void name_protocol(struct weir_live *live, const struct weir_live_args *args)
{
    const char *cc = args->cc != NULL ? args->cc : "sird";
    cc += strspn(cc, " ");
    if (live->transport == &weir_live_tcp)
        cc = "tcp";
    (void)snprintf(live->name, sizeof(live->name), "%.*s", (int)strcspn(cc, " "), cc);
}

int weir_live_open(struct weir_live *live, const struct weir_live_args *args, struct weir_err *err)
{
    uint64_t now_ns = weir_wall_ns();
    int code;
    *live = (struct weir_live){ .transport = transports[args->transport], .args = args, .start_ns = now_ns };
    name_protocol(live, args);
    live->point_ns = WEIR_NEVER;
    live->last_line_ns = live->last_point_ns = now_ns;
    weir_progress_begin(&live->line, stderr, progress_of(args), NS_PER_S, now_ns);
    if (args->series != NULL) {
        code = weir_outfile_open(&live->series, args->series, NULL, err);
        if (code != 0)
            return code;
        live->point_ns = now_ns;
        (void)fprintf(live->series.file, "time_s,unix_s,messages,goodput_gbps,packets_sent,packets_received,"
                                         "credit_held_bytes,credit_outstanding_bytes\n");
    }
    code = live->transport->open(&live->self, args, err);
    if (code != 0)
        weir_outfile_abandon(&live->series);
    return code;
}

void weir_live_text(char *out, size_t size, uint64_t elapsed_ns, uint64_t messages_per_s, uint64_t bps,
                    const struct weir_stats *stats)
{
    (void)snprintf(out, size, "%s s  %s messages/s  %s  %s held  %s credit out",
                   weir_format_rounded(elapsed_ns, 9, 0).text, weir_format_grouped(messages_per_s).text,
                   weir_format_bps(bps).text, weir_format_bytes(stats->rx_bytes_held + stats->tx_bytes_held).text,
                   weir_format_bytes(stats->credit_outstanding_bytes).text);
}

static void draw_line(struct weir_live *live, uint64_t now_ns)
{
    uint64_t ns = weir_max_u64(now_ns - live->last_line_ns, 1);
    char text[WEIR_PROGRESS_WIDTH + 1];
    struct weir_stats stats;
    live->transport->stats(live->self, &stats);
    weir_live_text(text, sizeof(text), now_ns - live->start_ns,
                   weir_live_per_s(live->messages - live->line_messages, ns),
                   weir_live_per_s(8 * (live->bytes - live->line_bytes), ns), &stats);
    weir_progress_draw(&live->line, text);
    live->line_messages = live->messages;
    live->line_bytes = live->bytes;
    live->last_line_ns = now_ns;
}

/* Returns the time of day in us since 1970, so that the series of several hosts can be compared. */
static uint64_t unix_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Writes a point of the series. A write error is reported when the file is closed. */
static void write_point(struct weir_live *live, uint64_t now_ns)
{
    uint64_t every_ns = (live->args->every_ps != 0 ? live->args->every_ps : EVERY_PS) / WEIR_PS_PER_NS;
    uint64_t ns = weir_max_u64(now_ns - live->last_point_ns, 1);
    struct weir_stats stats;
    live->transport->stats(live->self, &stats);
    (void)fprintf(live->series.file, "%s,%s,%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                  weir_format_decimal(now_ns - live->start_ns, 9).text, weir_format_decimal(unix_us(), 6).text,
                  live->messages - live->point_messages,
                  weir_format_decimal(weir_live_per_s(8 * (live->bytes - live->point_bytes), ns), 9).text,
                  stats.packets_sent, stats.packets_received, stats.credit_held_bytes, stats.credit_outstanding_bytes);
    live->point_messages = live->messages;
    live->point_bytes = live->bytes;
    live->last_point_ns = now_ns;
    live->point_ns += every_ns;
    if (live->point_ns <= now_ns) /* late: the points that were missed are left out */
        live->point_ns = now_ns + every_ns;
}

uint64_t weir_live_tick(struct weir_live *live, uint64_t now_ns)
{
    if (weir_progress_due(&live->line, now_ns))
        draw_line(live, now_ns);
    if (now_ns >= live->point_ns)
        write_point(live, now_ns);
    return weir_min_u64(live->line.due_ns, live->point_ns);
}

int weir_live_poll(struct weir_live *live, struct weir_event *events, uint64_t until_ns, struct weir_err *err)
{
    uint64_t now_ns = weir_wall_ns();
    uint64_t until = weir_min_u64(weir_live_tick(live, now_ns), weir_min_u64(until_ns, now_ns + WEIR_LIVE_SLEEP_NS));
    int count =
        live->transport->poll(live->self, events, WEIR_LIVE_EVENTS, until > now_ns ? (int64_t)(until - now_ns) : 0);
    for (int i = 0; i < count; i++)
        if (events[i].result < 0 && events[i].peer != NULL && live->transport->trouble != NULL)
            (void)snprintf(live->trouble, sizeof(live->trouble), "%s", live->transport->trouble(events[i].peer));
    if (count >= 0 || count == -EINTR)
        return count < 0 ? 0 : count;
    (void)weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %s", live->transport->name, weir_live_why(live, count));
    return count;
}

int weir_live_close(struct weir_live *live, struct weir_err *err)
{
    weir_progress_end(&live->line);
    live->transport->close(live->self);
    return live->series.file != NULL ? weir_outfile_commit(&live->series, err) : 0;
}

void weir_live_json_packets(struct weir_json *json, const struct weir_transport *transport,
                            const struct weir_stats *stats)
{
    const struct {
        const char *key;
        uint64_t value;
        bool of_tcp;
    } row[] = { { "packets_sent", stats->packets_sent, false },
                { "packets_received", stats->packets_received, false },
                { "retransmissions", stats->retransmissions, true },
                { "timeouts", stats->timeouts, false },
                { "duplicates", stats->duplicates, false },
                { "marks", stats->marked, false },
                { "refused_packets", stats->refused_packets, true },
                { "checksum_errors", stats->checksum_errors, false },
                { "no_memory", stats->no_memory, false },
                { "syscalls", stats->syscalls, true },
                { "allocations", stats->allocations, true },
                { "raised_delays", stats->raised_delays, false },
                { "spurious_retransmissions", stats->spurious_retransmissions, false },
                { "send_blocked", stats->send_blocked, false },
                { "send_syscalls", stats->send_syscalls, false },
                { "handshakes", stats->handshakes, false },
                { "resets", stats->resets, false },
                { "unchecked_packets", stats->unchecked_packets, false },
                { "other_version_packets", stats->other_version_packets, false },
                { "stranger_packets", stats->stranger_packets, false },
                { "unanswered_packets", stats->unanswered_packets, false },
                { "peers_refused", stats->peers_refused, false },
                { "forged_packets", stats->forged_packets, false },
                { "repeated_packets", stats->repeated_packets, false },
                { "late_packets", stats->late_packets, false } };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        if (row[i].of_tcp || transport == &weir_live_weir)
            weir_json_u64(json, row[i].key, row[i].value);
        else
            weir_json_null(json, row[i].key);
    }
}

void weir_live_print_keyed(FILE *out, int width, const struct weir_live *live, const struct weir_stats *stats)
{
    const char *protection = live->args->protection;
    if (protection == NULL || strcmp(protection, "none") == 0)
        return;
    (void)fprintf(out, "%-*s%s: %s forged, %s repeated, %s late, of those refused\n", width, "protection", protection,
                  weir_format_grouped(stats->forged_packets).text, weir_format_grouped(stats->repeated_packets).text,
                  weir_format_grouped(stats->late_packets).text);
}

/* The mark at the begin of a call that asks for a reply length. It is neither text nor a small number, so that other
 * payload hardly ever begins with it. */
static const unsigned char ask_mark[4] = { 0xf7, 'W', 'r', 0x01 };

void weir_live_ask(unsigned char *call, uint32_t reply_bytes)
{
    memcpy(call, ask_mark, sizeof(ask_mark));
    for (int i = 0; i < 4; i++)
        call[4 + i] = (unsigned char)(reply_bytes >> (24 - 8 * i));
}

bool weir_live_asks(const void *call, size_t len, uint32_t *reply_bytes)
{
    const unsigned char *bytes = call;
    if (len < WEIR_LIVE_ASK_BYTES || memcmp(bytes, ask_mark, sizeof(ask_mark)) != 0)
        return false;
    *reply_bytes = (uint32_t)bytes[4] << 24 | (uint32_t)bytes[5] << 16 | (uint32_t)bytes[6] << 8 | bytes[7];
    return true;
}
