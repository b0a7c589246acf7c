/* src/commands/live/serve.c - `weir serve`: receives messages, answers calls, and counts. After a signal it accepts
 * nothing new, completes what has begun, and then closes. So its counts include every message that was confirmed to a
 * peer. */
#include "live/answers.h"
#include "core/math.h"
#include "core/units.h"
#include "live/live.h"
#include "live/metrics.h"
#include "live/tools.h"
#include "text/format.h"
#include "text/json.h"
#include "text/print.h"
#include "text/stop.h"
#include "text/version.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define METRICS_BYTES 16384u    /* room for all counters as text: they are 6 KB, and 21 digits each at most .. */
#define OWN_METRICS_BYTES 1024u /* .. and for those of this command */

struct serve_args {
    struct weir_live_args live;
    const char *metrics;  /* address; NULL = not given */
    uint64_t reply_bytes; /* as in struct weir_answers */
};

struct serve {
    struct serve_args args;
    struct weir_live live;
    struct weir_answers answers;
    struct weir_metrics *metrics; /* NULL = there are none */
    uint64_t messages, calls;
    char address[64];
};

static const struct weir_option serve_options[] = {
    { .name = "--metrics",
      .value = "ADDRESS:PORT",
      .offset = (uint32_t)offsetof(struct serve_args, metrics),
      .hint = "--metrics :9464" },
    { .name = "--shard", .offset = (uint32_t)offsetof(struct serve_args, live.shard) },
    { 0 },
};

static const struct weir_param serve_params[] = {
    WEIR_PARAM_NAMED("--reply", struct serve_args, reply_bytes, WEIR_KIND_SIZE, 0, WEIR_ANSWERS_REPLY_MAX,
                     WEIR_ANSWERS_AS_ASKED,
                     "of every call; by default what the call asks for, else an echo of up to 64 KiB"),
    { 0 },
};

static int refuse_name(void *ctx, const char *argument, struct weir_err *err)
{
    (void)ctx;
    return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir serve --bind ADDRESS:PORT; weir serve --help shows the options",
                     "%.80s: weir serve takes no names", argument);
}

static int parse(struct serve_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = { .command = "serve",
                                                  .option = { weir_live_options, serve_options },
                                                  .param = { weir_live_params, serve_params },
                                                  .argument = refuse_name };
    int code = weir_options_parse(&accepted, argc, argv, args, err);
    args->live.listens = true;
    if (code == 0 && args->metrics != NULL && args->live.transport == WEIR_LIVE_TCP)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "leave it out", "--metrics: has no meaning for --transport tcp");
    return code == 0 && !args->live.help ? weir_live_args_check(&args->live, err) : code;
}

static void handle(struct serve *s, const struct weir_event *event)
{
    switch (event->type) {
    case WEIR_EV_MESSAGE:
        s->messages++;
        if (event->lease != NULL)
            s->live.transport->release(s->live.self, event->lease);
        break;
    case WEIR_EV_CALL:
        s->calls++;
        weir_answers_call(&s->answers, event);
        break;
    case WEIR_EV_REPLIED:
        weir_answers_replied(&s->answers, event);
        return;
    default:
        return;
    }
    s->live.messages++;
    s->live.bytes += event->len;
}

static int poll_once(struct serve *s, uint64_t until_ns, struct weir_err *err)
{
    struct weir_event event[WEIR_LIVE_EVENTS];
    if (s->metrics != NULL)
        until_ns = weir_min_u64(until_ns, weir_metrics_run(s->metrics, weir_wall_ns()));
    int count = weir_live_poll(&s->live, event, until_ns, err);
    for (int i = 0; i < count; i++)
        handle(s, &event[i]);
    for (int i = 0; i < count; i++) /* only replies go to this peer: it may be freed for other peers */
        s->live.transport->put(s->live.self, event[i].peer);
    weir_answers_retry(&s->answers);
    return count < 0 ? count : 0;
}

/* Shuts the transport down, and polls until nothing is pending, at most for --timeout; then prints what has not ended.
 * @return 0; negative with err */
static int drain(struct serve *s, struct weir_err *err)
{
    uint64_t until_ns = weir_wall_ns() + s->args.live.timeout_ps / WEIR_PS_PER_NS;
    struct weir_stats stats;
    s->live.transport->shut_down(s->live.self);
    for (;;) {
        s->live.transport->stats(s->live.self, &stats);
        if (stats.ops_pending + stats.messages_arriving + stats.events_pending + s->answers.count == 0)
            return poll_once(s, 0, err); /* events of the last poll */
        if (weir_wall_ns() >= until_ns)
            break;
        if (poll_once(s, until_ns, err) != 0)
            return -1;
    }
    (void)fprintf(stderr,
                  "weir: not ended in time: %" PRIu64 " replies, %" PRIu64 " messages that had begun to arrive\n",
                  stats.ops_pending + s->answers.count, stats.messages_arriving);
    return 0;
}

static volatile sig_atomic_t hung_up; /* SIGHUP came: the keys are to be read again */

static void on_hangup(int number)
{
    (void)number;
    hung_up = 1;
}

/* Makes SIGHUP read the keys again, where there are some. Else it ends the program, as other signals do. */
static void watch_keys(const struct serve *s)
{
    struct sigaction now = { .sa_handler = on_hangup };
    if (s->args.live.key == NULL || s->live.transport->rekey == NULL)
        return;
    (void)sigemptyset(&now.sa_mask);
    (void)sigaction(SIGHUP, &now, NULL);
}

/* Reads the keys again after SIGHUP, and prints what came of it. */
static void read_keys_again(struct serve *s)
{
    const char *file = s->args.live.key;
    struct weir_err err = { 0 };
    if (!hung_up)
        return;
    hung_up = 0;
    if (s->live.transport->rekey(s->live.self, file, &err) == 0)
        (void)fprintf(stderr, "weir: the keys of %s were read again\n", file);
    else
        (void)fprintf(stderr, "weir: %s: the keys stay as they were\n", err.text);
    (void)fflush(stderr);
}

/* Adds a counter of this command to a text of metrics. @return the length of what was added */
static size_t add_counter(char *out, size_t size, const char *name, const char *help, uint64_t value)
{
    return (size_t)snprintf(out, size,
                            "# TYPE weir_serve_%s counter\n# HELP weir_serve_%s %s\nweir_serve_%s_total %" PRIu64 "\n",
                            name, name, help, name, value);
}

/* Returns the counters of the endpoint and of this command as OpenMetrics text. */
static char *metrics_text(void *ctx)
{
    static const char end[] = "# EOF\n";
    struct serve *s = ctx;
    size_t size = METRICS_BYTES, at;
    char *text = malloc(size);
    if (text == NULL)
        return NULL;
    at = (size_t)s->live.transport->metrics(s->live.self, text, size);
    WEIR_ASSERT(at > strlen(end) && at + OWN_METRICS_BYTES <= size);
    at -= strlen(end);
    at += add_counter(text + at, size - at, "messages", "One-way messages that arrived.", s->messages);
    at += add_counter(text + at, size - at, "calls", "Calls that arrived.", s->calls);
    at += add_counter(text + at, size - at, "replies", "Replies that their callers have.", s->answers.sent);
    at += add_counter(text + at, size - at, "replies_failed", "Replies that failed.", s->answers.failed);
    WEIR_ASSERT(at + sizeof(end) <= size);
    memcpy(text + at, end, sizeof(end));
    return text;
}

static void print_json(const struct serve *s, const struct weir_stats *stats, uint64_t ns)
{
    struct weir_json json = { .out = stdout };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_string(&json, "transport", s->live.transport->name);
    weir_json_string(&json, "protocol", s->live.name);
    weir_json_string(&json, "address", s->address);
    weir_json_decimal(&json, "wall_s", ns, 9);
    weir_json_u64(&json, "messages", s->messages);
    weir_json_u64(&json, "calls", s->calls);
    weir_json_u64(&json, "replies", s->answers.sent);
    weir_json_u64(&json, "replies_failed", s->answers.failed);
    weir_json_u64(&json, "bytes_received", s->live.bytes);
    weir_live_json_packets(&json, s->live.transport, stats);
    weir_json_close(&json);
}

static void print_table(const struct serve *s, const struct weir_stats *stats, uint64_t ns)
{
    (void)printf("served      %s over %s for %s\n", s->address, s->live.name, weir_format_ps(ns * WEIR_PS_PER_NS).text);
    (void)printf("messages    %s one-way, %s calls, %s in all\n", weir_format_grouped(s->messages).text,
                 weir_format_grouped(s->calls).text, weir_format_bytes(s->live.bytes).text);
    (void)printf("replies     %s delivered, %s failed\n", weir_format_grouped(s->answers.sent).text,
                 weir_format_grouped(s->answers.failed).text);
    if (s->live.transport == &weir_live_weir)
        (void)printf("packets     %s received, %s sent, %s sent again, %s twice, %s spurious, %s marked, %s refused\n",
                     weir_format_grouped(stats->packets_received).text, weir_format_grouped(stats->packets_sent).text,
                     weir_format_grouped(stats->retransmissions).text, weir_format_grouped(stats->duplicates).text,
                     weir_format_grouped(stats->spurious_retransmissions).text, weir_format_grouped(stats->marked).text,
                     weir_format_grouped(stats->refused_packets).text);
    weir_live_print_keyed(stdout, 12, &s->live, stats);
    if (weir_live_signal(&s->live, stats) != NULL)
        (void)printf("signal      %s\n", weir_live_signal(&s->live, stats));
}

static void print_address(struct serve *s)
{
    struct sockaddr_storage addr = { 0 };
    socklen_t len = sizeof(addr);
    if (s->live.transport->address(s->live.self, (struct sockaddr *)&addr, &len) == 0)
        weir_live_address_text((const struct sockaddr *)&addr, len, s->address, sizeof(s->address));
    (void)fprintf(stderr, "weir: serving on %s over %s%s\n", s->address, s->live.name,
                  s->args.live.shard ? ", as one of its shards" : "");
    if (s->metrics != NULL)
        (void)fprintf(stderr, "weir: metrics at http://%s/metrics\n", weir_metrics_address(s->metrics));
    (void)fflush(stderr);
}

static int serve(struct serve *s)
{
    struct weir_stats stats;
    struct weir_err err;
    uint64_t ns;
    int code = 0, closed;
    weir_stop_install();
    if (weir_live_open(&s->live, &s->args.live, &err) != 0)
        return weir_cli_refused(&err);
    s->answers.transport = s->live.transport;
    s->answers.self = s->live.self;
    if (s->args.metrics != NULL && weir_metrics_open(&s->metrics, s->args.metrics, metrics_text, s, &err) != 0) {
        struct weir_err ignored;
        (void)weir_live_close(&s->live, &ignored);
        return weir_cli_refused(&err);
    }
    watch_keys(s);
    print_address(s);
    while (*weir_stop_flag() == 0 && code == 0) {
        code = poll_once(s, WEIR_NEVER, &err);
        read_keys_again(s);
    }
    if (code == 0)
        code = drain(s, &err);
    ns = weir_wall_ns() - s->live.start_ns;
    s->live.transport->stats(s->live.self, &stats);
    if (code != 0)
        weir_cli_error(&err);
    weir_metrics_close(s->metrics);
    closed = weir_live_close(&s->live, &err);
    if (closed != 0)
        weir_cli_error(&err);
    if (s->args.live.json)
        print_json(s, &stats, ns);
    else
        print_table(s, &stats, ns);
    return weir_cli_finish(code != 0 || closed != 0 ? WEIR_EXIT_FAILURE : WEIR_EXIT_DONE);
}

int weir_live_serve(int argc, char **argv, bool *help)
{
    struct serve s = { .messages = 0 };
    struct weir_err err;
    int status;
    if (parse(&s.args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    *help = s.args.live.help;
    if (*help)
        return WEIR_EXIT_DONE;
    if (weir_answers_init(&s.answers, s.args.reply_bytes) != 0) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
        return weir_cli_refused(&err);
    }
    status = serve(&s);
    weir_answers_free(&s.answers);
    return status;
}
