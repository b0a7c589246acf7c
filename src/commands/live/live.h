/* src/commands/live/live.h - the common part of `weir serve`, `weir ping` and `weir load`: options, the progress line,
 * the series of measurements, and one ops table for transports. So the same code measures Weir and the kernel's TCP.
 * doc/live.md is for users. */
#ifndef WEIR_LIVE_LIVE_H
#define WEIR_LIVE_LIVE_H
#include "text/clock.h"
#include "text/json.h"
#include "text/options.h"
#include "text/outfile.h"
#include "text/progress.h"
#include <weir/weir.h>

#define WEIR_LIVE_EVENTS 64                       /* most events of one poll */
#define WEIR_LIVE_SLEEP_NS UINT64_C(100000000)    /* longest sleep; a signal is noticed at most this much later */
#define WEIR_LIVE_MESSAGE_MAX (UINT64_C(1) << 30) /* most bytes of a message of these tools */
#define WEIR_LIVE_OPS_MAX 65536u                  /* most operations under way */

/* SIRD is an alias of WEIR, from when Weir ran SIRD alone. */
enum weir_live_transport { WEIR_LIVE_WEIR, WEIR_LIVE_TCP, WEIR_LIVE_SIRD };

struct weir_live_args { /* options of all three commands; first member of each command's struct */
    const char *bind, *cc, *tcp_cc, *driver, *device, *series; /* NULL = not given */
    const char *protection, *key, *path;                       /* the same */
    uint64_t rate_bps;                                         /* 0 = as the device reports */
    uint64_t rtt_ps, timeout_ps, every_ps;
    uint64_t spin_ps;         /* WEIR_NEVER = always poll, never sleep */
    uint32_t transport;       /* enum weir_live_transport */
    uint32_t mtu;             /* 0 = as the device reports */
    uint32_t tcp_connections; /* connections per peer; 0 = not given: 1 */
    uint32_t spray_ports;     /* 0 = not given: 1 */
    char source[64];          /* the text that bind points to if --bind was not given: see weir_live_source() */
    bool listens;             /* other hosts may connect; set by the command, not by an option */
    bool shard;               /* others serve at the same port, with steering; of `weir serve` alone */
    bool json, help;
};
extern const struct weir_option weir_live_options[];
extern const struct weir_param weir_live_params[];

/* Checks that the options fit each other and the transport. @return 0, or WEIR_E_CONFLICT with err */
int weir_live_args_check(const struct weir_live_args *args, struct weir_err *err);

/* The ops table of a transport: libweir (weir/weir.h), or TCP with the same contract. Differences from libweir: memory
 * that is sent must stay valid until close(), also after cancel(), and events of TCP have no peer. Functions that
 * return int return a negative errno on error, as in weir/weir.h, unless stated otherwise. */
struct weir_transport {
    const char *name;
    int (*open)(void **self, const struct weir_live_args *args, struct weir_err *err); /* @return 0, or a code with
                                                                                          err */
    int (*peer)(void *self, const struct sockaddr *addr, socklen_t len, void **peer);
    int (*weigh)(void *self, void *peer, uint32_t weight_milli); /* of messages; NULL = they have no weights */
    void (*put)(void *self, void *peer);                         /* peer: of an event, or NULL; see weir_peer_put() */
    /* opt: as of weir_send(); of TCP NULL */
    int (*send)(void *self, void *peer, const struct iovec *data, uint64_t user_data, const struct weir_sendopt *opt);
    int (*call)(void *self, void *peer, const struct iovec *data, uint64_t user_data);
    int (*reply)(void *self, uint64_t rpc, const struct iovec *data, uint64_t user_data);
    int (*cancel)(void *self, uint64_t user_data);
    int (*poll)(void *self, struct weir_event *events, int max, int64_t timeout_ns);
    void (*release)(void *self, void *lease);
    int (*address)(void *self, struct sockaddr *addr, socklen_t *len);
    void (*stats)(void *self, struct weir_stats *stats);
    void (*limits)(void *self, struct weir_limits_info *limits);
    void (*shut_down)(void *self); /* accepts nothing new; the caller polls until nothing is pending */
    void (*close)(void *self);
    int (*rekey)(void *self, const char *file,
                 struct weir_err *err);                 /* reads keys again; NULL = there are none. @return
                                                                         0, or a code with err */
    int (*metrics)(void *self, char *out, size_t size); /* weir_metrics_text(); NULL = there is no such thing */
    const char *(*trouble)(void *peer);                 /* weir_peer_error(); NULL = there is no such thing */
};
extern const struct weir_transport weir_live_weir, weir_live_tcp;

struct weir_live { /* an open transport, and the reports about it while it works */
    const struct weir_transport *transport;
    void *self;
    const struct weir_live_args *args;
    struct weir_progress_line line;
    struct weir_outfile series;
    uint64_t start_ns, point_ns; /* real time; point: of the next point of the series, WEIR_NEVER = none */
    uint64_t messages, bytes;    /* completed so far; counted by the command */
    uint64_t line_messages, line_bytes, point_messages, point_bytes; /* messages and bytes at the last progress line,
                                                                        and at the last point */
    uint64_t last_line_ns, last_point_ns;
    char name[32];      /* of the protocol: that of --cc, or tcp */
    char trouble[1400]; /* what the transport said of the peer of the last event that failed; "" = nothing */
};

/* Opens the transport args->transport, and the file of the series if args->series is set. args must stay valid until
 * weir_live_close(). @return 0, or a code with err; then nothing is left open */
int weir_live_open(struct weir_live *live, const struct weir_live_args *args, struct weir_err *err);
/* Draws the progress line and writes a point of the series, each if it is due. @return the time when the next one is
 * due */
uint64_t weir_live_tick(struct weir_live *live, uint64_t now_ns);
/* Polls the transport, and sleeps until until_ns at most. Also does weir_live_tick(). events: room for
 * WEIR_LIVE_EVENTS. @return the number of events, 0 also if a signal came; a negative errno with err */
int weir_live_poll(struct weir_live *live, struct weir_event *events, uint64_t until_ns, struct weir_err *err);
/* Ends the progress line, closes the transport, and completes the file of the series. @return 0, or a code with err */
int weir_live_close(struct weir_live *live, struct weir_err *err);

/* Prints the text of the progress line to out, cut to size. */
void weir_live_text(char *out, size_t size, uint64_t elapsed_ns, uint64_t messages_per_s, uint64_t bps,
                    const struct weir_stats *stats);
/* Returns the rate per second of a change that took ns nanoseconds. ns > 0 */
uint64_t weir_live_per_s(uint64_t change, uint64_t ns);

/* Parses an address, "10.0.0.1:7000", "[::1]:7000" or "server:7000"; the port is required. @return 0, or a code with
 * err */
int weir_live_address(const char *text, struct sockaddr_storage *addr, socklen_t *len, struct weir_err *err);
/* Sets args->bind, if --bind was not given, to the local address from which the kernel reaches a peer. So rate and MTU
 * are those of the device that leads to the peer. To be called for each peer. If local addresses differ, args->bind
 * becomes NULL: any address. A peer without a route changes nothing. */
void weir_live_source(struct weir_live_args *args, const struct sockaddr *peer, socklen_t len);
/* Prints an address as text, "?" for an unknown family. size: 64 suffices */
void weir_live_address_text(const struct sockaddr *addr, socklen_t len, char *out, size_t size);

/* Writes the transport's counters to JSON: totals since the start; null for those that the kernel's TCP does not
 * report. */
void weir_live_json_packets(struct weir_json *json, const struct weir_transport *transport,
                            const struct weir_stats *stats);

/* Prints a line of a table: the packets that were refused because of the keys. Nothing without protection. width: of
 * the line's label */
void weir_live_print_keyed(FILE *out, int width, const struct weir_live *live, const struct weir_stats *stats);

/* Returns what the protocol took for the queueing delay of the path; NULL = it reads none. */
const char *weir_live_signal(const struct weir_live *live, const struct weir_stats *stats);

/* Returns a sentence about a negative errno: as weir_strerror(), but -EPROTO is explained in terms of the options. */
const char *weir_live_why(const struct weir_live *live, int result);

/* Tests whether a sentence of weir_live_why() names the peer itself, so that nothing has to stand before it. */
bool weir_live_names(const char *why, const char *peer);
/* Tests whether the next operation to the same peer would fail with the same result. */
bool weir_live_hopeless(int result);

/* Writes the first WEIR_LIVE_ASK_BYTES bytes of a call, which ask the server for a reply of reply_bytes. A server whose
 * option --reply is set ignores them. Without --reply it echoes a call that does not begin with such bytes and has at
 * most 64 KiB; a longer one gets an empty reply. */
#define WEIR_LIVE_ASK_BYTES 8u
void weir_live_ask(unsigned char *call, uint32_t reply_bytes);
/* Reads the reply length that a call asks for into *reply_bytes. @return false = the call does not ask for a length */
bool weir_live_asks(const void *call, size_t len, uint32_t *reply_bytes);
#endif
