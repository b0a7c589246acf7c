/* test/net/world.h - endpoints with applications on a network of memory, and a ledger of all they said to each other: every operation
 * accepted ends in one event, every message arrives once and unchanged or is reported failed.
 *
 * A message is 8 bytes, its number in the ledger, and a piece of a pool of noise; the ledger keeps the hash of its content, the
 * receiver hashes what came. Shorter messages have no number and are counted by sender, receiver and length. What an operation
 * borrows is spoilt as soon as its event is there: whoever sends from it later is found out by the receiver. */
#ifndef WEIR_TEST_NET_WORLD_H
#define WEIR_TEST_NET_WORLD_H
#include "driver/fault.h"
#include "test/net/mem.h"
#include "weir/weir.h"

enum {
    WORLD_EPS_MAX = 8,
    WORLD_PORT = 4000,
    WORLD_POOL_BYTES = 1 << 23, /* of noise; no message is longer than half of it */
    WORLD_ANONYMOUS = 8,        /* messages shorter than this have no number */
    WORLD_LEASES_MAX = 16,
    WORLD_OFFERS = 2, /* recv_into() buffers per endpoint */
    WORLD_OFFER_BYTES = 20000,
    WORLD_RESULTS = 160, /* errno values counted */
};

struct world_traffic {   /* of each application; chances in millionths per operation */
    uint32_t operations; /* started in the whole world; replies come on top */
    uint32_t under_way;  /* most not ended per endpoint */
    uint32_t call_ppm, cancel_ppm, deadline_ppm, copy_ppm, local_ppm;
    uint64_t deadline_ns; /* 1 .. this, uniform */
    uint64_t answer_ns;   /* a quarter of the calls is answered so much later, the rest at once */
    uint64_t bytes_max;   /* longest message */
    bool offers;          /* applications offer memory by weir_recv_into() */
    bool keep_leases;     /* what arrived is kept while there is room, and given back in another order */
};

struct world_config {
    struct mem_config mem;
    struct weir_opts opts; /* of every endpoint; bind is not used */
    struct weir_fault_config fault;
    struct world_traffic traffic;
    uint32_t endpoints;
    uint64_t seed;
};

extern const char *world_cc; /* opts.cc of world_defaults(); NULL = the default */

enum world_kind { WORLD_SEND, WORLD_CALL, WORLD_REPLY };

struct world_op {       /* an operation accepted */
    uint64_t head;      /* the first 8 bytes of the message, borrowed: its number, spoilt by its event */
    uint64_t hash, len; /* of the content */
    uint64_t begun_ns, deadline_ns;
    unsigned char *own; /* content in memory of its own, freed by its event; NULL = in the pool */
    uint32_t call;      /* REPLY: the call's number */
    uint32_t offset;    /* of the content in the pool */
    uint8_t kind, from, to;
    uint8_t events, delivered;     /* how often */
    bool cancelled, local, closed; /* closed: its endpoint is gone, no event comes */
    bool excused;                  /* something was allowed to happen to it while it was under way */
    int32_t result;
};

struct world_answer { /* a call to be answered */
    uint64_t rpc, due_ns;
    uint32_t call;
};

struct world_ep {
    struct weir_ep *ep;          /* NULL = gone */
    struct weir_net *net, *port; /* the shim, and below it the port */
    struct weir_peer *peer[WORLD_EPS_MAX];
    int64_t jump_ns;
    bool jumped; /* ever: its deadlines may have been early */
    uint32_t under_way, incarnation;
    bool blocked;      /* -EAGAIN: until WRITABLE */
    bool asleep;       /* does not poll */
    bool hoards;       /* gives no lease back */
    bool idle;         /* starts nothing */
    uint64_t again_ns; /* when it looks again without a reason of the endpoint's */
    struct world_answer *answer;
    uint32_t answers, answers_max;
    void **lease;
    uint32_t leases, leases_max;
    unsigned char *offer[WORLD_OFFERS];
    bool offered[WORLD_OFFERS];
    uint64_t spins;          /* polls without a step of time, after which the world made one */
    uint64_t held_max_bytes; /* rx_bytes_held seen */
};

struct world {
    struct world_config cfg;
    struct mem *mem;
    struct world_ep end[WORLD_EPS_MAX];
    struct world_op *op;
    uint32_t ops, ops_max, started;                                       /* started: without replies */
    uint32_t ended, closed;                                               /* of ops */
    uint32_t anonymous[WORLD_EPS_MAX][WORLD_EPS_MAX][WORLD_ANONYMOUS][3]; /* accepted, delivered, ended well */
    uint64_t results[3][WORLD_RESULTS];                                   /* by kind and -result */
    uint64_t delivered, delivered_bytes, cancels, answered, offers_used;
    uint64_t allow[WORLD_EPS_MAX]; /* enum world_allow: how else operations from it and to it may end */
    struct weir_rng *rng;
    unsigned char *pool;
    uint64_t stop_ns;
};

enum world_allow {                   /* bits of allow */
                   WORLD_RESET = 1,  /* -ECONNRESET */
                   WORLD_SILENT = 2, /* -ETIMEDOUT without a deadline */
                   WORLD_UNREACHABLE = 4,
                   WORLD_OTHER = 8, /* -EPROTO: another MTU */
                   WORLD_SIZE = 16, /* -EMSGSIZE */
};

/* All endpoints open, none with anything to do yet. */
struct world *world_new(const struct world_config *cfg);
/* What every test begins with: four endpoints at 10 Gb/s with 5 us one way, no fault, mixed traffic. */
struct world_config world_defaults(uint32_t operations, uint64_t seed);
/* Starts an operation now. @return its number, UINT32_MAX = not accepted now (-EAGAIN) */
uint32_t world_start(struct world *w, uint32_t from, uint32_t to, enum world_kind kind, uint64_t len,
                     uint64_t deadline_ns);
/* Goes on until this time; until all traffic is started and has ended. Fails if nothing moves any more or it takes limit_ns. */
void world_run_until(struct world *w, uint64_t at_ns);
void world_run_all(struct world *w, uint64_t limit_ns);
/* Its process dies at this instant, having seen what its transport had told it; a new one begins at the same address. */
void world_kill(struct world *w, uint32_t i);
/* It closes: its last words are heard. */
void world_close(struct world *w, uint32_t i);
void world_release(struct world *w, uint32_t i); /* all leases */
void world_restart(struct world *w, uint32_t i);
void world_jump(struct world *w, uint32_t i, int64_t by_ns);
void world_hole(struct world *w, uint32_t i, uint64_t from_ns, uint64_t until_ns);
uint64_t world_now_ns(const struct world *w);
struct weir_stats world_stats(const struct world *w, uint32_t i);
/* Sum of what all endpoints asked of the heap. */
uint64_t world_allocations(const struct world *w);
/* Whether endpoints have memory in reserve. Without, under a sanitizer, they ask the heap whenever more is in use than before. */
bool world_reserves(const struct world *w);
/* Sum of the shims' counters. */
struct weir_fault_stats world_faults(const struct world *w);
/* Lets the world settle, then checks the whole ledger and that no endpoint holds anything any more. */
void world_check(struct world *w);
void world_print(const struct world *w, const char *what);
void world_free(struct world *w);
#endif
