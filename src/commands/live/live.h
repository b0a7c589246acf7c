/* src/commands/live/live.h - the common part of `weir serve`, `weir ping` and `weir load`: options, the statistics
 * line, the series, and one table for the transport. So the same code measures Weir and kernel TCP. doc/live.md is for
 * users. */
#ifndef WEIR_LIVE_LIVE_H
#define WEIR_LIVE_LIVE_H
#include "text/clock.h"
#include "text/json.h"
#include "text/options.h"
#include "text/outfile.h"
#include "text/progress.h"
#include <weir/weir.h>

#define WEIR_LIVE_EVENTS 64                       /* taken at a time */
#define WEIR_LIVE_SLEEP_NS UINT64_C(100000000)    /* longest sleep: a signal just before it is seen this late */
#define WEIR_LIVE_MESSAGE_MAX (UINT64_C(1) << 30) /* bytes of one message of these tools */
#define WEIR_LIVE_OPS_MAX 65536u                  /* messages under way */

enum weir_live_transport { WEIR_LIVE_SIRD, WEIR_LIVE_TCP };

struct weir_live_args { /* options of all three; first member of each command's struct */
    const char *bind, *cc, *tcp_cc, *driver, *device, *series; /* NULL = not given */
    uint64_t rate_bps;                                         /* 0 = what the device says */
    uint64_t rtt_ps, timeout_ps, every_ps;
    uint64_t spin_ps;         /* WEIR_NEVER = without end */
    uint32_t transport;       /* enum weir_live_transport */
    uint32_t mtu;             /* 0 = what the device says */
    uint32_t tcp_connections; /* per peer; 0 = not given: 1 */
    char source[64];          /* what bind is if it was not given: see weir_live_source() */
    bool listens;             /* others may connect: set by the command, not by an option */
    bool json, help;
};
extern const struct weir_option weir_live_options[];
extern const struct weir_param weir_live_params[];

/* Checks what no single option can: that they fit each other. */
int weir_live_args_check(const struct weir_live_args *args, struct weir_err *err);

/* A transport: libweir's own functions and promises (weir/weir.h), or TCP behind the same ones. Memory that is sent
 * stays the caller's until close(), cancelled or not. Events of TCP say no peer. Negative errno as there. */
struct weir_transport {
    const char *name;
    int (*open)(void **self, const struct weir_live_args *args, struct weir_err *err); /* 0, or a code with err */
    int (*peer)(void *self, const struct sockaddr *addr, socklen_t len, void **peer);
    void (*put)(void *self, void *peer); /* the object of an event, or NULL; see weir_peer_put() */
    int (*send)(void *self, void *peer, const struct iovec *data, uint64_t user_data);
    int (*call)(void *self, void *peer, const struct iovec *data, uint64_t user_data);
    int (*reply)(void *self, uint64_t rpc, const struct iovec *data, uint64_t user_data);
    int (*cancel)(void *self, uint64_t user_data);
    int (*poll)(void *self, struct weir_event *events, int max, int64_t timeout_ns);
    void (*release)(void *self, void *lease);
    int (*address)(void *self, struct sockaddr *addr, socklen_t *len);
    void (*stats)(void *self, struct weir_stats *stats);
    void (*limits)(void *self, struct weir_limits_info *limits);
    void (*shut_down)(void *self); /* takes nothing new; poll until nothing is pending */
    void (*close)(void *self);
};
extern const struct weir_transport weir_live_sird, weir_live_tcp;

struct weir_live { /* an open transport and what is reported about it while it works */
    const struct weir_transport *transport;
    void *self;
    const struct weir_live_args *args;
    struct weir_progress_line line;
    struct weir_outfile series;
    uint64_t start_ns, point_ns; /* real time; point: of the next one, WEIR_NEVER = none */
    uint64_t messages, bytes;    /* done so far: counted by the command */
    uint64_t line_messages, line_bytes, point_messages, point_bytes; /* as they were at the last line, the last point */
    uint64_t last_line_ns, last_point_ns;
};

/* Opens the transport and, if one is asked for, the series. @return 0, or a code with err; nothing is left open then */
int weir_live_open(struct weir_live *live, const struct weir_live_args *args, struct weir_err *err);
/* Draws the line and writes the point that are due. @return when to come again */
uint64_t weir_live_tick(struct weir_live *live, uint64_t now_ns);
/* Takes events, sleeping until until_ns at most. @return how many; 0 also when a signal came; -EIO with err */
int weir_live_poll(struct weir_live *live, struct weir_event *events, uint64_t until_ns, struct weir_err *err);
/* Ends line and transport, and puts the series into its place. @return 0, or a code with err */
int weir_live_close(struct weir_live *live, struct weir_err *err);

/* Writes the text of the statistics line. */
void weir_live_text(char *out, size_t size, uint64_t elapsed_ns, uint64_t messages_per_s, uint64_t bps,
                    const struct weir_stats *stats);
/* Returns what changed in a time, per second. ns > 0 */
uint64_t weir_live_per_s(uint64_t change, uint64_t ns);

/* Reads "10.0.0.1:7000", "[::1]:7000", "server:7000"; the port is needed. Returns 0, or a code with err. */
int weir_live_address(const char *text, struct sockaddr_storage *addr, socklen_t *len, struct weir_err *err);
/* Binds to the address from which the kernel reaches a peer, if --bind was not given, so that rate and MTU are those of
 * the device that leads there. Call it for each peer; several ways out = any address. */
void weir_live_source(struct weir_live_args *args, const struct sockaddr *peer, socklen_t len);
/* Writes an address as text. out: 64 bytes do */
void weir_live_address_text(const struct sockaddr *addr, socklen_t len, char *out, size_t size);

/* Puts what the transport counted in the process's life; null where the kernel's TCP does not report it. */
void weir_live_json_packets(struct weir_json *json, const struct weir_transport *transport,
                            const struct weir_stats *stats);

/* Returns weir_strerror(), with options instead of fields. */
const char *weir_live_why(const struct weir_live *live, int result);
/* Tests for a result that the next operation towards that peer would have, too. */
bool weir_live_hopeless(int result);

/* The first bytes of a call, by which the tools ask a server for a reply of a length. A call that does not begin like
 * this is echoed. */
#define WEIR_LIVE_ASK_BYTES 8u
void weir_live_ask(unsigned char *call, uint32_t reply_bytes);
/* Reads the length that a call asks for. Returns false if it asks for none. */
bool weir_live_asks(const void *call, size_t len, uint32_t *reply_bytes);
#endif
