/* src/commands/live/ping.c - `weir ping`: makes one call after the other, and measures the time from its submission to
 * its reply. */
#include "core/math.h"
#include "core/units.h"
#include "live/latency.h"
#include "live/live.h"
#include "live/tools.h"
#include "text/format.h"
#include "text/json.h"
#include "text/print.h"
#include "text/stop.h"
#include "text/version.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_DEFAULT 1000u
#define REPLY_AS_SIZE UINT64_C(0x7fffffffffff) /* --reply was not given */
#define SIZE_MAX_BYTES (UINT64_C(64) << 20)

struct ping_args {
    struct weir_live_args live;
    const char *peer;
    uint64_t count; /* 0 = not given: COUNT_DEFAULT, but only one call if no server answers */
    uint64_t duration_ps, interval_ps, size_bytes, reply_bytes;
};

struct ping { /* large: on the heap */
    struct ping_args args;
    struct weir_live live;
    struct weir_latency latency;
    unsigned char *call; /* size_bytes */
    void *peer;
    uint64_t sent, received, lost;
    uint64_t sent_ns; /* submission of the present call, whose user_data is `sent` */
    int failure;      /* result of the last call that failed; 0 = none failed, or the last one timed out */
    bool waiting, hopeless;
};

static const struct weir_param ping_params[] = {
    WEIR_PARAM_NAMED("--count", struct ping_args, count, WEIR_KIND_U64, 1, UINT64_C(1) << 40, 0, "how many calls"),
    WEIR_PARAM_NAMED("--duration", struct ping_args, duration_ps, WEIR_KIND_TIME, 0, 1000000 * WEIR_PS_PER_S, 0,
                     "no call begins after that; 0 s = count alone decides"),
    WEIR_PARAM_NAMED("--interval", struct ping_args, interval_ps, WEIR_KIND_TIME, 0, 1000 * WEIR_PS_PER_S,
                     WEIR_PS_PER_MS, "from call to call; 0 us = at once; a call waits for the one before it"),
    WEIR_PARAM_NAMED("--size", struct ping_args, size_bytes, WEIR_KIND_SIZE, 0, SIZE_MAX_BYTES, 64, "of a call"),
    WEIR_PARAM_NAMED("--reply", struct ping_args, reply_bytes, WEIR_KIND_SIZE, 0, SIZE_MAX_BYTES, REPLY_AS_SIZE,
                     "what the server is asked to answer; by default as many bytes as the call has"),
    { 0 },
};

static int take_peer(void *ctx, const char *argument, struct weir_err *err)
{
    struct ping_args *args = ctx;
    if (args->peer != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir ping calls one server", "%.80s: %.80s is the server already",
                         argument, args->peer);
    args->peer = argument;
    return 0;
}

static int parse(struct ping_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = { .command = "ping",
                                                  .option = { weir_live_options },
                                                  .param = { weir_live_params, ping_params },
                                                  .argument = take_peer };
    int code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code != 0 || args->live.help)
        return code;
    if (args->peer == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir ping ADDRESS:PORT; weir ping --help shows the options",
                         "ping: which server?");
    if (args->reply_bytes != REPLY_AS_SIZE && args->size_bytes < WEIR_LIVE_ASK_BYTES)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "or say --reply to weir serve",
                         "--reply: the call has to say it, and needs a --size of at least %u B", WEIR_LIVE_ASK_BYTES);
    return weir_live_args_check(&args->live, err);
}

/* Tests whether a result says that no server is there, or not yet. */
static bool is_absent(int result)
{
    return result == -EHOSTUNREACH || result == -ECONNREFUSED;
}

/* Counts a call as lost. result: 0 = no reply within --timeout by the clock of this command. The transport's
 * -EHOSTUNREACH means the same, and may come later. */
static void lose(struct ping *p, int result)
{
    bool silent = is_absent(result) || (result == 0 && p->received == 0);
    p->lost++;
    p->failure = result;
    /* With --count all tries are made: the server may start in the meantime. */
    p->hopeless = silent ? p->args.count == 0 : weir_live_hopeless(result);
}

static void handle(struct ping *p, const struct weir_event *event, uint64_t now_ns)
{
    if (event->lease != NULL)
        p->live.transport->release(p->live.self, event->lease);
    if (event->type != WEIR_EV_REPLY || event->user_data != p->sent || !p->waiting)
        return; /* of a call that has timed out */
    p->waiting = false;
    if (event->result == 0) {
        p->received++;
        p->live.messages++;
        p->live.bytes += event->len;
        weir_latency_add(&p->latency, now_ns - p->sent_ns);
        return;
    }
    lose(p, event->result);
}

/* Polls the transport once, until until_ns at most, and handles the events. @return 0; negative with err */
static int poll_once(struct ping *p, uint64_t until_ns, struct weir_err *err)
{
    struct weir_event event[WEIR_LIVE_EVENTS];
    int count = weir_live_poll(&p->live, event, until_ns, err);
    uint64_t now_ns = weir_wall_ns();
    for (int i = 0; i < count; i++)
        handle(p, &event[i], now_ns);
    return count < 0 ? count : 0;
}

static int submit(struct ping *p, struct weir_err *err)
{
    const struct iovec call = { p->call, p->args.size_bytes };
    int result;
    p->sent_ns = weir_wall_ns();
    p->sent++;
    result = p->live.transport->call(p->live.self, p->peer, &call, p->sent);
    p->waiting = result == 0;
    if (result == 0)
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %s", p->args.peer, weir_live_why(&p->live, result));
}

/* Makes one call, and waits for its reply, its failure, --timeout or a signal. @return 0, or a code with err */
static int call_once(struct ping *p, struct weir_err *err)
{
    uint64_t timeout_ns = p->args.live.timeout_ps / WEIR_PS_PER_NS;
    int code = submit(p, err);
    while (code == 0 && p->waiting && *weir_stop_flag() == 0) {
        if (weir_wall_ns() >= p->sent_ns + timeout_ns) {
            p->waiting = false;
            lose(p, 0);
            (void)p->live.transport->cancel(p->live.self, p->sent);
        } else {
            code = poll_once(p, p->sent_ns + timeout_ns, err);
        }
    }
    return code;
}

static int calls(struct ping *p, struct weir_err *err)
{
    uint64_t interval_ns = p->args.interval_ps / WEIR_PS_PER_NS, next_ns = weir_wall_ns();
    uint64_t count = p->args.count != 0 ? p->args.count : COUNT_DEFAULT;
    uint64_t end_ns = p->args.duration_ps != 0 ? next_ns + p->args.duration_ps / WEIR_PS_PER_NS : WEIR_NEVER;
    int code = 0;
    while (code == 0 && p->sent < count && weir_wall_ns() < end_ns && *weir_stop_flag() == 0 && !p->hopeless) {
        if (weir_wall_ns() < next_ns) {
            code = poll_once(p, next_ns, err);
            continue;
        }
        next_ns = weir_max_u64(next_ns + interval_ns, weir_wall_ns());
        code = call_once(p, err);
    }
    return code;
}

static void print_json(const struct ping *p, int signal_number)
{
    struct weir_json json = { .out = stdout };
    struct weir_stats stats;
    p->live.transport->stats(p->live.self, &stats);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_string(&json, "transport", p->live.transport->name);
    weir_json_string(&json, "protocol", p->live.name);
    weir_json_string(&json, "peer", p->args.peer);
    weir_json_decimal(&json, "wall_s", weir_wall_ns() - p->live.start_ns, 9);
    weir_json_bool(&json, "interrupted", signal_number != 0);
    weir_json_u64(&json, "size_bytes", p->args.size_bytes);
    if (p->args.size_bytes < WEIR_LIVE_ASK_BYTES)
        weir_json_null(&json, "reply_bytes"); /* the server's choice */
    else
        weir_json_u64(&json, "reply_bytes",
                      p->args.reply_bytes == REPLY_AS_SIZE ? p->args.size_bytes : p->args.reply_bytes);
    weir_json_u64(&json, "sent", p->sent);
    weir_json_u64(&json, "received", p->received);
    weir_json_u64(&json, "lost", p->lost);
    weir_latency_json(&json, "rtt_us", &p->latency);
    weir_live_json_packets(&json, p->live.transport, &stats);
    weir_json_close(&json);
}

static void print_packets(const struct ping *p)
{
    struct weir_stats stats;
    p->live.transport->stats(p->live.self, &stats);
    (void)printf("%-14s%s sent, %s received, %s sent again, %s spurious\n", "packets",
                 weir_format_grouped(stats.packets_sent).text, weir_format_grouped(stats.packets_received).text,
                 weir_format_grouped(stats.retransmissions).text,
                 weir_format_grouped(stats.spurious_retransmissions).text);
    weir_live_print_keyed(stdout, 14, &p->live, &stats);
}

static void print_table(const struct ping *p)
{
    (void)printf("%s over %s: %s call%s of %s, %s answered, %s lost\n", p->args.peer, p->live.name,
                 weir_format_grouped(p->sent).text, p->sent == 1 ? "" : "s", weir_format_bytes(p->args.size_bytes).text,
                 weir_format_grouped(p->received).text, weir_format_grouped(p->lost).text);
    if (p->received == 0)
        return; /* a table of dashes */
    (void)printf("\n%-14s", "microseconds");
    weir_latency_heads(stdout);
    (void)printf("%-14s", "round trip");
    weir_latency_row(stdout, &p->latency);
    if (p->live.transport == &weir_live_weir)
        print_packets(p);
}

static void print_failure(const struct ping *p)
{
    bool silent = p->failure == 0 || is_absent(p->failure);
    const char *why = p->failure == 0 ? "no call was answered" : weir_live_why(&p->live, p->failure);
    bool named = weir_live_names(why, p->args.peer);
    (void)fprintf(stderr, "weir: %s%s%s\n", named ? "" : p->args.peer, named ? "" : ": ", why);
    if (silent)
        (void)fprintf(stderr, "  hint: is weir serve --transport %s running there?\n", p->live.transport->name);
}

static int conclude(struct ping *p, int status)
{
    int signal_number = *weir_stop_flag();
    struct weir_err err;
    p->sent -= p->waiting; /* a call cut short by the signal is neither answered nor lost */
    if (p->args.live.json)
        print_json(p, signal_number);
    else
        print_table(p);
    if (weir_live_close(&p->live, &err) != 0) {
        weir_cli_error(&err);
        status = WEIR_EXIT_FAILURE;
    }
    if (status == WEIR_EXIT_DONE && signal_number != 0)
        return weir_cli_finish(WEIR_EXIT_SIGNAL + signal_number);
    if (status == WEIR_EXIT_DONE && p->received == 0) {
        print_failure(p);
        status = WEIR_EXIT_FAILURE;
    }
    return weir_cli_finish(status);
}

static int ping(struct ping *p)
{
    struct sockaddr_storage addr;
    struct weir_err err;
    socklen_t len;
    int code;
    if (weir_live_address(p->args.peer, &addr, &len, &err) != 0)
        return weir_cli_refused(&err);
    p->call = calloc(1, p->args.size_bytes + 1);
    if (p->call == NULL) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory for a call");
        return weir_cli_refused(&err);
    }
    if (p->args.size_bytes >= WEIR_LIVE_ASK_BYTES)
        weir_live_ask(p->call,
                      (uint32_t)(p->args.reply_bytes == REPLY_AS_SIZE ? p->args.size_bytes : p->args.reply_bytes));
    weir_live_source(&p->args.live, (struct sockaddr *)&addr, len);
    weir_stop_install();
    if (weir_live_open(&p->live, &p->args.live, &err) != 0)
        return weir_cli_refused(&err);
    code = p->live.transport->peer(p->live.self, (struct sockaddr *)&addr, len, &p->peer);
    if (code != 0)
        (void)weir_fail(&err, WEIR_E_RUN, NULL, NULL, "%s: %s", p->args.peer, weir_live_why(&p->live, code));
    else
        code = calls(p, &err);
    if (code != 0)
        weir_cli_error(&err);
    return conclude(p, code == 0 ? WEIR_EXIT_DONE : WEIR_EXIT_FAILURE);
}

int weir_live_ping(int argc, char **argv, bool *help)
{
    struct ping *p = calloc(1, sizeof(*p));
    struct weir_err err;
    int status;
    if (p == NULL) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
        return weir_cli_refused(&err);
    }
    if (parse(&p->args, argc, argv, &err) != 0) {
        status = weir_cli_refused(&err);
    } else if (p->args.live.help) {
        *help = true;
        status = WEIR_EXIT_DONE;
    } else {
        status = ping(p);
    }
    free(p->call);
    free(p);
    return status;
}
