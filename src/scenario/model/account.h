/* src/scenario/model/account.h - what happened to each message: bookkeeping that engine and oracle share, so that they
 * differ in nothing but the network in between. There is one record per unfinished message, at its sender, where its
 * receiver may read it. The receiver's entries are written when the last byte arrives. The sender frees the record
 * in a later window, since its acknowledgement takes two cables. */
#ifndef WEIR_MODEL_ACCOUNT_H
#define WEIR_MODEL_ACCOUNT_H
#include "core/mem.h"
#include "model/model.h"

#define WEIR_ACCOUNT_BLOCKS 27u /* block k holds 64 << k records: more than 32-bit handles can name */

struct weir_account_msg {
    uint64_t id, start_ps, end_ps, bytes; /* end: WEIR_NEVER until delivered; with ends_at_sender its sender's */
    uint32_t dst, tag, retransmissions, marks;
    union {
        uint32_t next_free; /* handle; list of free records */
        uint32_t group;     /* while in use: as in struct weir_message */
    };
    uint16_t item;
    uint8_t in_use;
    bool is_reply;
    uint64_t weight_q20; /* when it started */
};
_Static_assert(sizeof(struct weir_account_msg) == 64, "one cache line");

struct weir_account_flow {     /* what became of a message with a tag */
    uint64_t start_ps, end_ps; /* end, the receiver's: last byte arrived; WEIR_NEVER until then */
    uint64_t bytes;
    uint32_t src, handle;
    uint8_t state; /* the sender's: as in struct weir_snapshot_flow. 0: nothing of the above is set */
};

struct weir_account_row { /* a delivered message, until it is reported */
    uint64_t finish_ps;   /* when the sender knew; rows are sorted by (finish, id) */
    struct weir_delivery d;
};

struct weir_account_shard { /* one per thread; hosts of one thread share it */
    struct weir_recorder recorder;
    uint64_t started, started_bytes, started_measured_bytes; /* bytes: of payload, lists of groups included */
    uint64_t delivered, delivered_bytes;                     /* likewise */
    uint64_t finished;
    uint64_t last_delivery_ps;
    uint64_t digest;              /* of finished messages */
    struct weir_account_row *row; /* finished since the last report; NULL = off */
    size_t row_count, row_capacity;
    struct weir_mem mem; /* the thread's arena */
    bool out_of_memory;
};

struct weir_account_host { /* one per host; ctx of its sink */
    struct weir_account *account;
    struct weir_account_shard *shard;
    struct weir_account_msg *block[WEIR_ACCOUNT_BLOCKS];
    uint32_t self, free_head, used; /* handles ever used */
    bool offers;                    /* it has started a message that is no reply */
};

struct weir_account { /* whole run */
    const struct weir_model *model;
    struct weir_routes ideal_routes; /* all cables up: denominators do not change with failures */
    struct weir_account_host *host;
    struct weir_account_shard *shard;
    uint32_t shard_count;
    bool want_rows;
    struct weir_account_flow *flow; /* of tag i + 1, workload->tag_count of them; NULL = not needed */
    /* NULL, or called when all of a message with a tag has arrived at host, by that host's thread */
    void (*arrived)(void *ctx, uint32_t host, uint32_t tag, uint64_t now_ps);
    void *arrived_ctx;
    /* NULL, or called when all of a message of an item with replies has arrived at host, by that host's thread: to whom
     * the reply goes */
    void (*asks)(void *ctx, uint32_t host, uint32_t to, uint32_t item, uint64_t now_ps);
    void *asks_ctx;
};

/* Begins the bookkeeping of a run. options: which of rows and detail are needed. mem: shard_count arenas where records
 * grow; lent until weir_account_free().
 * @return 0, or a code with err */
int weir_account_init(struct weir_account *acc, const struct weir_model *model, const struct weir_sim_options *options,
                      uint32_t shard_count, const struct weir_mem *mem, struct weir_err *err);
void weir_account_free(struct weir_account *acc);

/* Assigns a host to a shard; before the run. */
void weir_account_place(struct weir_account *acc, uint32_t host, uint32_t shard);
struct weir_host_sink weir_account_sink(struct weir_account *acc, uint32_t host);

/* Makes a record for a message about to start; *handle is what weir_host_send() gets. @return 0 or WEIR_E_MEMORY */
int weir_account_start(struct weir_account_host *ah, const struct weir_message *m, uint32_t *handle);

static inline struct weir_account_msg *weir_account_msg(const struct weir_account_host *ah, uint32_t handle)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(handle / 64 + 1);
    return &ah->block[k][handle - 64 * ((1u << k) - 1)];
}

/* Asks whether a message counts in results by message. */
static inline bool weir_account_measures(const struct weir_account *acc, const struct weir_account_msg *m)
{
    return (acc->model->measured_items >> m->item & 1) != 0 && !m->is_reply;
}

/* Writes the state of a flow to *out; h: its sender. Between windows only. */
void weir_account_snapshot(const struct weir_account_flow *flow, const struct weir_host *h,
                           struct weir_snapshot_flow *out);

/* Computes the least latency of a message, and SIRD's payload form of it: propagation and the payload at the rate of
 * the slowest link. */
void weir_account_ideal(const struct weir_account *acc, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t *ideal_ps,
                        uint64_t *payload_ps);

/* Returns the bytes of messages started and not yet delivered, over all shards. */
uint64_t weir_account_unfinished_bytes(const struct weir_account *acc);

/* Settles what was delivered but not yet known to its sender, unless messages end there: rows and digest. Once, when
 * the run is over and before the last rows. */
void weir_account_close(struct weir_account *acc, uint64_t end_ps);

/* Passes to options->rows what finished since the last call, sorted by (finish, id); not called if that is
 * nothing. Between windows only. @return 0, or what rows returned */
int weir_account_rows(struct weir_account *acc, const struct weir_sim_options *options);

struct weir_port_count {                        /* one link, of the run or a part of it */
    uint64_t bytes, drops, losses, marks, pkts; /* pkts: only where they are counted */
    uint64_t area_lo, area_hi;                  /* doc/model.md [counting.area]: A, b(end)^2 already taken off */
};

/* Computes the mean queue of one port in thousandths of a byte, of a part of the run that took duration: A / (2 T) is
 * its mean unsent work. */
uint64_t weir_account_mean_millibytes(const struct weir_port_count *part, uint64_t duration_ps, uint64_t rate_bps);

struct weir_account_credit { /* sums over hosts at one instant, or over many of them */
    int64_t outstanding_bytes;
    uint64_t held_bytes, free_bytes; /* free: of each receiver's bucket, what is not outstanding */
};

/* Adds what this host has. */
void weir_account_credit_add(struct weir_account_credit *sum, const struct weir_host *h);
/* Returns the credit in flight, as CREDIT or as DATA: granted by receivers, not back, and not held by senders. */
uint64_t weir_account_credit_in_flight(const struct weir_account_credit *sum);

/* Credit is sampled with every tenth queue sample: it costs a line of memory per host. */
#define WEIR_CREDIT_SAMPLES 10u

struct weir_account_samples {                        /* of the measured part; one per thread; zeroed at first */
    struct weir_histogram tor, port;                 /* bytes at an instant */
    struct weir_histogram tor_average, port_average; /* mean since the sample before, to the nearest byte */
    uint64_t tor_average_bytes, port_average_bytes;  /* sums of those */
    struct weir_account_credit credit;               /* sums */
    uint64_t credit_count;
};

/* Adds one value of a switch port, or of a first-hop switch. */
void weir_account_average(struct weir_histogram *h, uint64_t *sum_bytes, uint64_t millibytes);
/* Adds the samples of another thread, but not its credit_count: threads sample together. */
void weir_account_samples_merge(struct weir_account_samples *s, const struct weir_account_samples *from);

struct weir_account_totals {             /* what only the engine knows, for the result */
    const struct weir_port_count *port;  /* link_count: counters of the whole run, areas of the measured part */
    const uint64_t *acked_measured;      /* host_count: payload acknowledged to each sender in the measured part */
    const uint64_t *arrived_measured;    /* host_count: new payload that arrived at each receiver */
    const struct weir_host_stats *hosts; /* sums over hosts, whole run */
    const struct weir_account_samples *samples;
    uint64_t tor_max_bytes, port_max_bytes;
    uint64_t end_ps; /* of the run; measured part is [warmup, end) */
    /* started and not delivered, at both ends of the measured part */
    uint64_t unfinished_start_bytes, unfinished_end_bytes;
};

/* Sums up what has not ended, into result->unfinished; after its slowdown and sim_ps are set. */
void weir_account_unfinished(const struct weir_account *acc, struct weir_result *result);

/* Fills everything in result but wall time, memory, threads, hops and peaks; after weir_account_close(). Merges the
 * shards' recorders into the first, and gives the detail away. */
void weir_account_result(struct weir_account *acc, const struct weir_account_totals *totals,
                         struct weir_result *result);
#endif
