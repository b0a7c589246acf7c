/* bench/net_peers/peer.h - one end of a conversation over one library. Each program of this folder is peer.c and one file that defines
 * `peer_ops`; bench/net_peers/run starts them, two or more at a time, and compares. */
#ifndef WEIR_BENCH_PEER_H
#define WEIR_BENCH_PEER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PEER_CALL_BYTES = 64,
    PEER_DEPTH_MAX = 64,  /* calls in progress */
    PEER_OUTSTANDING = 4, /* one-way messages in progress, where the library has no queue that blocks */
    PEER_MESSAGE_MAX = 1 << 24,
    PEER_NAP_MS = 10, /* a step sleeps at most so long */
};
#define PEER_UNKNOWN UINT64_MAX

enum peer_role { PEER_SERVE, PEER_SEND, PEER_CALL, PEER_BURN };

struct peer_opts {
    enum peer_role role;
    const char *address;               /* where the server listens */
    uint16_t port;                     /* and the next one, where a library needs two */
    uint32_t bytes;                    /* of a one-way message */
    uint32_t depth;                    /* calls in progress */
    uint64_t rate_bps;                 /* as libweir is opened; 0 = its default */
    const char *protection, *key_file; /* the same; NULL = none */
};

struct peer_counters { /* of this end since it was opened; PEER_UNKNOWN = the library does not count them */
    uint64_t packets_sent, packets_received, retransmissions, duplicates, syscalls;
};

struct peer_ops {
    const char *name;
    void (*open)(const struct peer_opts *opts); /* listens, or connects; ends the program if it cannot */
    void (*serve)(void);                    /* takes what has come and answers calls; sleeps for PEER_NAP_MS at most */
    void (*send)(void);                     /* NULL = the library has no reliable messages */
    void (*call)(void);                     /* keeps opts.depth calls in progress */
    void (*count)(struct peer_counters *c); /* NULL = nothing is known */
    const char *(*version)(void);
};
extern const struct peer_ops peer_ops;

/* Counts a message that was taken by the library (send) or has arrived whole (serve). Any thread may call it. */
void peer_moved(uint64_t bytes);
void peer_call_begins(uint32_t slot);
/* Counts a call whose reply is there, and its round trip. */
void peer_call_ends(uint32_t slot);
void peer_lost(uint64_t messages);

/* Ends the program with a sentence: "NAME: WHAT: WHY". */
_Noreturn void peer_die(const char *what, const char *why);
/* The same with the text of errno. */
_Noreturn void peer_fail(const char *what);
uint64_t peer_now_ns(void);
/* Memory of opts.bytes that is written once and never changed: what is sent. */
void *peer_message(void);
#endif
