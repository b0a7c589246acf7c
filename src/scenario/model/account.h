/* src/scenario/model/account.h - the bookkeeping of messages. Engine and oracle share it, so that they differ in
 * nothing but the network between hosts. An unfinished message has one record. The record is in the memory of the
 * message's sender, and the receiver may read it. The receiver writes end_ps and marks when the last byte arrives. The
 * sender frees the record in a later window, since the acknowledgement crosses at least two cables. For a law without
 * acknowledgements (WEIR_NEED_NO_ACKS) the receiver frees the record on delivery, or never if there are several
 * shards. */
#ifndef WEIR_MODEL_ACCOUNT_H
#define WEIR_MODEL_ACCOUNT_H
#include "core/mem.h"
#include "model/model.h"

#define WEIR_ACCOUNT_BLOCKS 27u /* block k holds 64 << k records: all blocks hold more than 2^32 together */

/* The record of an unfinished message, or a free record. */
struct weir_account_msg {
    uint64_t id, start_ps, end_ps, bytes; /* end_ps: WEIR_NEVER until delivered; see ends_at_sender */
    uint32_t dst, tag, retransmissions, marks;
    union {
        uint32_t next_free; /* of a free record: handle of the next one; UINT32_MAX = none */
        uint32_t group;     /* of a record in use: as in struct weir_message */
    };
    uint8_t item, law;
    uint8_t in_use; /* 0 = free, 1 = in use, 2 = of a message that has ended without an acknowledgement */
    bool is_reply : 1, is_deployed : 1; /* is_deployed: weir_model_deploys(), of a reply that of what it answers */
    union {
        uint64_t weight_q20; /* of the message when it started; replies have weight 1 */
        uint64_t call;       /* of a reply: id of the message that it answers */
    };
};
_Static_assert(sizeof(struct weir_account_msg) == 64, "one cache line");

struct weir_account_flow {     /* progress of a message with a tag */
    uint64_t start_ps, end_ps; /* end_ps: when its last byte arrived, written by the receiver; WEIR_NEVER until then */
    uint64_t bytes;
    uint32_t src, handle;
    uint8_t state; /* as in struct weir_snapshot_flow; at 0 no other field is set */
};

struct weir_account_row { /* a finished message, until it is reported */
    /* when the sender knew of the delivery, or the end of the run if that was earlier; without ACKs, the delivery. Rows
     * are sorted by (finish_ps, id) */
    uint64_t finish_ps;
    struct weir_delivery d;
};

struct weir_account_law { /* messages of one law of several; of the only one: bytes alone are read */
    uint64_t started, delivered;
    uint64_t started_bytes;                             /* payload of the started, including lists of senders */
    uint64_t ended_bytes;                               /* the same of those delivered, or lost with a host */
    struct weir_samples slowdown[WEIR_GROUP_COUNT - 1]; /* as struct weir_recorder has it, over the least latency */
};

struct weir_account_shard { /* counts of one thread, shared by all hosts of the thread */
    struct weir_recorder recorder;
    /* Of messages started at its hosts: their number; their payload, including lists of senders; the same payload of
     * messages that started at warmup or later. */
    uint64_t started, started_bytes, started_measured_bytes;
    uint64_t delivered, delivered_bytes; /* the same of messages delivered at its hosts */
    uint64_t lost, lost_bytes;           /* the same of messages of its hosts that were lost with a host's restart */
    uint64_t unasked;                    /* replies to lost messages: they never start */
    uint64_t finished;
    struct weir_account_law law[WEIR_LAWS_MAX];
    uint64_t last_delivery_ps;
    uint64_t digest;              /* of ended messages */
    struct weir_account_row *row; /* rows since the last report; NULL = none yet, or not requested */
    size_t row_count, row_capacity;
    struct weir_mem mem; /* memory for records: the thread's arena */
    bool out_of_memory;
};

struct weir_account_host { /* the messages of one host as their sender; ctx of its sink */
    struct weir_account *account;
    struct weir_account_shard *shard;
    struct weir_account_msg *block[WEIR_ACCOUNT_BLOCKS];
    uint32_t self, free_head, used; /* self: the host; free_head: list of free records; used: handles ever used */
    uint64_t call;                  /* id of the message that the host's next reply answers */
    bool call_is_deployed;          /* of that message: weir_model_deploys() */
    bool offers;                    /* the host has started a message that is not a reply */
    uint8_t laws;                   /* bit k: it has started a message of law k */
};

enum weir_note { /* what happened to a message of an inbox */
                 WEIR_NOTED_DELIVERED,
                 WEIR_NOTED_COMPLETED,
};

struct weir_account_inbox { /* who gets to know of messages and timers of inboxes */
    /* Called about messages by the thread of host `here`. src: the sender. WEIR_NOTED_DELIVERED: all bytes have
     * arrived, at its receiver. WEIR_NOTED_COMPLETED: its sender knows. NULL = there is no such item */
    void (*noted)(void *ctx, uint32_t here, uint32_t src, const struct weir_account_msg *m, enum weir_note what,
                  uint64_t now_ps);
    /* Called when such a message starts, by the thread of its host. handle: as the host knows it. NULL = not called */
    void (*began)(void *ctx, uint32_t host, uint32_t tag, uint32_t handle);
    /* Called when a timer in the inbox of a host is due, in the visit of that host. tag: as in struct weir_message */
    void (*timer)(void *ctx, uint32_t host, uint32_t tag, uint64_t now_ps);
    void *ctx;
};

struct weir_account_left { /* a message of a host of another process that has not ended */
    uint32_t src;
    struct weir_account_msg msg;
};

struct weir_programs_run; /* program/run.h */

struct weir_account { /* bookkeeping of a whole run */
    const struct weir_model *model;
    struct weir_account_host *host;
    struct weir_account_shard *shard;
    uint32_t shard_count;
    bool want_rows;
    struct weir_account_flow *flow; /* flow[i] has tag i + 1; workload->tag_count of them; NULL = not needed */
    /* Called when all bytes of a message with a tag have arrived at host, by the thread of that host; NULL = not
     * called. */
    void (*arrived)(void *ctx, uint32_t host, uint32_t tag, uint64_t now_ps);
    void *arrived_ctx;
    /* Called when all bytes of a message have arrived at host and the item of the message has replies, by the thread of
     * that host. The callee must start a reply from host to host `to`, before another one is asked for. NULL = not
     * called. */
    void (*asks)(void *ctx, uint32_t host, uint32_t to, uint32_t item, uint64_t now_ps);
    void *asks_ctx;
    /* Called when a message of host `from` to dst has started, and when all bytes of one have arrived at host
     * `self`. Each is called by the thread of its host: the other end may be in another process. NULL = all are in
     * this one */
    void (*started)(void *ctx, const struct weir_account_host *from, uint32_t handle, uint32_t dst);
    void (*ended)(void *ctx, const struct weir_account_host *self, uint32_t src, uint32_t handle);
    void *away_ctx;
    struct weir_account_left *left; /* left_count of them, when the run is over; owned */
    size_t left_count, left_room;
    struct weir_account_inbox session, program;  /* of items of kind session; of those with a program */
    struct weir_programs_run *programs;          /* NULL = there are none. Not owned */
    struct weir_batches *batches;                /* of the measured part; NULL = not kept, or given to the result */
    uint64_t batch_tor_bytes, batch_tor_samples; /* when the last batch ended, see weir_account_batch_queue() */
    struct weir_inbox *inbox; /* by host; NULL = neither a session nor a program gives messages. Not owned */
};

/* Sets up the bookkeeping of a run; all hosts are in shard 0. options: rows, detail and snapshot_flows are read. mem:
 * shard_count arenas for records, which must outlive the bookkeeping. @return 0; WEIR_E_MEMORY with err: *acc is then
 * zeros, and need not be freed */
int weir_account_init(struct weir_account *acc, const struct weir_model *model, const struct weir_sim_options *options,
                      uint32_t shard_count, const struct weir_mem *mem, struct weir_err *err);
/* Frees all memory of the bookkeeping but the records, which are in arenas, and sets *acc to zeros. */
void weir_account_free(struct weir_account *acc);

/* Assigns a host to a shard. Called before the run. */
void weir_account_place(struct weir_account *acc, uint32_t host, uint32_t shard);
/* Returns the sink of a host: callbacks that keep the records of its messages. Valid until weir_account_free(). */
struct weir_host_sink weir_account_sink(struct weir_account *acc, uint32_t host);

/* Makes a record for a message that starts now, and counts the message as started. *handle: gets the number of the
 * record, for weir_host_send() and weir_account_msg(). @return 0 or WEIR_E_MEMORY */
int weir_account_start(struct weir_account_host *ah, const struct weir_message *m, uint32_t *handle);

/* Returns the record with a handle, which weir_account_start() gave for a message of host ah. */
static inline struct weir_account_msg *weir_account_msg(const struct weir_account_host *ah, uint32_t handle)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(handle / 64 + 1);
    return &ah->block[k][handle - 64 * ((1u << k) - 1)];
}

/* Tests whether a message counts in results by message: its item does, and it is not a reply. */
static inline bool weir_account_measures(const struct weir_account *acc, const struct weir_account_msg *m)
{
    return (acc->model->measured_items >> m->item & 1) != 0 && !m->is_reply;
}

/* Makes room for the record of a handle of a host, if there is none. @return false = no memory, or no such handle */
bool weir_account_room(struct weir_account_host *ah, uint32_t handle);
/* Appends a row to the rows of a shard. If there is no memory, sets shard->out_of_memory instead. */
void weir_account_row(struct weir_account_shard *shard, uint64_t finish_ps, const struct weir_delivery *d);

/* ---- account_away.c: hosts of other processes ---- */

/* Keeps a copy of the record of a message to a host of this process, under the handle that its sender `ah`, a host of
 * another process, has for it. Called before its first packet arrives. @return false = no memory */
bool weir_account_mirror(struct weir_account_host *ah, uint32_t handle, const struct weir_account_msg *m);
/* Keeps what the receiver, a host of another process, has written into its copy of a record: that all bytes have
 * arrived. Called before the sender knows of it. */
void weir_account_ended(const struct weir_account_host *ah, uint32_t handle, uint64_t end_ps, uint32_t marks,
                        uint8_t in_use);
/* Keeps a message of host `src` of another process that has not ended when the run is over, for the result. @return
 * false = no memory */
bool weir_account_adopt(struct weir_account *acc, uint32_t src, const struct weir_account_msg *m);
/* Writes the progress of a flow to *out. h: the host that sends the flow. Called between windows only. */
void weir_account_snapshot(const struct weir_account_flow *flow, const struct weir_host *h,
                           struct weir_snapshot_flow *out);

/* Computes the least latency of a message of a law on an idle network with all cables up, and SIRD's payload
 * form of it. The latter is propagation plus the payload at the rate of the slowest link of the path. The path is that
 * of hash 0. Both are 0 if there is no route. */
void weir_account_ideal(const struct weir_account *acc, uint32_t law, uint32_t src, uint32_t dst, uint64_t bytes,
                        uint64_t *ideal_ps, uint64_t *payload_ps);

/* Ends all messages from and to a host that restarts at now_ps: those not delivered are lost with their host, of the
 * others the sender is taken to know. Their handles are free. Called between windows only, with weir_host_forget().
 * Messages may not end at the sender, and the workload has no jobs. */
void weir_account_restart(struct weir_account *acc, uint32_t host, uint64_t now_ps);

/* Returns the payload of messages that have started, are not delivered and not lost with a host, over all shards.
 * Called between windows only. */
uint64_t weir_account_unfinished_bytes(const struct weir_account *acc);

/* Returns the same of messages of laws with ACKs. Others are not waited for: nobody sends again what they lost. */
uint64_t weir_account_awaited_bytes(const struct weir_account *acc);

/* Tests whether a run until all is done waits for something: for messages of laws with ACKs, or for programs. */
bool weir_account_waits(const struct weir_account *acc);

/* Adds the messages that were delivered, but whose senders do not know of the delivery yet, to digest and rows. end_ps:
 * end of the run, the finish time of these rows. Does nothing if messages end at the sender (model->ends_at_sender).
 * Called once, when the run is over and before the last weir_account_rows(). */
void weir_account_close(struct weir_account *acc, uint64_t end_ps);

/* Calls options->rows with the rows of the messages that finished since the previous weir_account_rows(), sorted by
 * (finish_ps, id). Does not call it if there are no such rows. To be called between windows only, and only if
 * options->rows is set. @return 0, or the return value of options->rows */
int weir_account_rows(struct weir_account *acc, const struct weir_sim_options *options);

struct weir_port_count {                        /* counts of one link, over the run or a part of it */
    uint64_t bytes, drops, losses, marks, pkts; /* bytes: on the wire; pkts: set by the oracle alone, else 0 */
    uint64_t area_lo, area_hi; /* A of doc/model.md [counting.area], as 128 bits: b(end)^2 is already subtracted */
};

/* Returns the mean queue of a port in thousandths of a byte over a part of the run that lasts duration_ps > 0: the mean
 * unsent work is A / (2 T). */
uint64_t weir_account_mean_millibytes(const struct weir_port_count *part, uint64_t duration_ps, uint64_t rate_bps);

/* Returns the bytes that a link was given over what it can carry in duration_ps, in millionths. It exceeds 1000000 if
 * some wait at the end. 0 = the time is too short for a byte */
uint64_t weir_account_share_ppm(uint64_t bytes, uint64_t rate_bps, uint64_t duration_ps);

struct weir_account_credit { /* credit, summed over hosts, at one instant or over many instants */
    int64_t outstanding_bytes;
    uint64_t held_bytes, free_bytes; /* free: the part of each receiver's bucket that is not outstanding */
};

/* Adds the credit of one host, as it is now, `times` times. The sums fit 64 bits: 10 GB of credit in all hosts, at the
 * samples of five hours. */
void weir_account_credit_add(struct weir_account_credit *sum, const struct weir_host *h, uint64_t times);
/* Returns the bytes of credit in flight, as CREDIT or as DATA: outstanding credit that senders do not hold. 0 if
 * senders hold more. */
uint64_t weir_account_credit_in_flight(const struct weir_account_credit *sum);

/* Credit is sampled with every tenth sample of queues, since a sample of credit touches a cache line per host. */
#define WEIR_CREDIT_SAMPLES 10u

struct weir_account_samples {        /* samples of the measured part, one set per thread; zeros at first */
    struct weir_histogram tor, port; /* queues at an instant, bytes; tor: of all ports of a first-hop switch */
    struct weir_histogram tor_average, port_average; /* mean queues since the sample before, to the nearest byte */
    uint64_t tor_bytes, port_bytes;                  /* sums of the queues at an instant */
    uint64_t tor_average_bytes, port_average_bytes;  /* sums of these means */
    struct weir_account_credit credit;               /* sums over all samples */
    uint64_t credit_count;
};

/* Adds a mean queue, of a switch port or a first-hop switch, `times` times to a histogram and to *sum_bytes, rounded to
 * the nearest byte. millibytes: the mean in thousandths of a byte */
void weir_account_average(struct weir_histogram *h, uint64_t *sum_bytes, uint64_t millibytes, uint64_t times);
/* Adds the samples of another thread. credit_count is not added: all threads take samples of credit at the same
 * instants. */
void weir_account_samples_merge(struct weir_account_samples *s, const struct weir_account_samples *from);

/* Adds the samples of other instants of the same thread, credit_count too, and empties `from`. */
void weir_account_samples_move(struct weir_account_samples *s, struct weir_account_samples *from);

/* Counts of one law of several that the world keeps. hosts: at the end of the run; base_new_bytes: payload that had
 * arrived when the measured part began; drops: packets that were dropped or lost, data_drops: of these DATA. */
struct weir_account_law_totals {
    struct weir_host_stats hosts;
    uint64_t base_new_bytes, drops, data_drops;
};

/* Adds the counters of each law of a host to law[]. Does nothing with one law. */
void weir_account_law_hosts(const struct weir_model *model, const struct weir_host *h,
                            struct weir_account_law_totals law[WEIR_LAWS_MAX]);
/* Adds the payload that has arrived at a host so far to base_new_bytes of each law. Does nothing with one law. */
void weir_account_law_base(const struct weir_model *model, const struct weir_host *h,
                           struct weir_account_law_totals law[WEIR_LAWS_MAX]);

struct weir_account_totals {            /* counts of the world, engine or oracle, from which the result is made */
    const struct weir_port_count *port; /* one per link: counters of the whole run, areas of the measured part */
    /* [q * link_count + link]: at the start of quarter q of the measured part, bytes since the run began and area since
     * the measured part did; NULL = not kept */
    const struct weir_port_count *quarter;
    /* [k]: payload that has arrived at all hosts before weir_account_bin_ps() times k, arrived_count of them; NULL =
     * not kept */
    const uint64_t *arrived;
    uint32_t arrived_count;
    const uint64_t *acked_measured;      /* one per host: payload acknowledged to it as a sender in the measured part */
    const uint64_t *arrived_measured;    /* one per host: new payload that arrived at it in the measured part */
    const struct weir_host_stats *hosts; /* sums over hosts of the whole run */
    const struct weir_account_law_totals *law; /* one per law; read with several laws only */
    const struct weir_account_samples *samples;
    uint64_t tor_max_bytes, port_max_bytes;
    uint64_t port_max_link; /* the port with that queue, of several the first link; read if port_max_bytes is above 0 */
    uint64_t end_ps;        /* end of the run; the measured part is [warmup, end) */
    /* payload of messages started and not delivered, at both ends of the measured part */
    uint64_t unfinished_start_bytes, unfinished_end_bytes;
};

/* Returns when the next batch of the measured part begins or ends; WEIR_NEVER = there is none. */
uint64_t weir_account_batch_ps(const struct weir_account *acc);
/* Returns the mean queue of a first-hop switch over the samples since the last call, in thousandths of a byte; 0 =
 * there was none. Only with model->sampled, once per batch. tor_bytes, samples: sum and number of all samples so far,
 * of all first-hop switches */
uint64_t weir_account_batch_queue(struct weir_account *acc, uint64_t tor_bytes, uint64_t samples);
/* Begins the first batch, or ends one. Called between windows, at the instant of weir_account_batch_ps() before all
 * events. arrived_bytes: payload that has arrived at all hosts so far; queue_millibytes: mean queue of a first-hop
 * switch in the batch that ends; not read at the first call. @return 0, or the return value of options->batch */
int weir_account_batch(struct weir_account *acc, const struct weir_sim_options *options, uint64_t arrived_bytes,
                       uint64_t queue_millibytes);

/* Tests whether a run keeps counters at the starts of the quarters of its measured part: it has an end, messages that
 * may be endless, and exact statistics. */
bool weir_account_has_quarters(const struct weir_model *model);
/* Returns the start of a quarter of the measured part, 0 .. WEIR_QUARTERS: the last is its end. */
uint64_t weir_account_quarter_ps(const struct weir_model *model, uint32_t quarter);
/* Fills result->growth [run.growing]: of the switch ports whose queue grew in every quarter, that with the longest. If
 * there is one, the run is not stable. Does nothing without totals->quarter, without endless flows, or if the run ended
 * early. Called after weir_account_unfinished(). */
void weir_account_growth(const struct weir_account *acc, const struct weir_account_totals *totals,
                         struct weir_result *result);

/* Says that the run is not stable, if result->growth has a queue that grows. */
void weir_account_grew(struct weir_result *result);

/* Bins of time for which a run keeps the payload that has arrived: their number, 0 if nothing fails in the run, and
 * their length. */
#define WEIR_RECOVERY_BINS_MAX 65536u
uint32_t weir_account_bins(const struct weir_model *model);
uint64_t weir_account_bin_ps(const struct weir_model *model);
/* Fills failures, unrecovered and recovery_ps of the result [run.recovery]. Does nothing without totals->arrived. */
void weir_account_recovery(const struct weir_account *acc, const struct weir_account_totals *totals,
                           struct weir_result *result);

/* Fills the results of laws and classes, and laws_jain_ppm, if there are several laws. Uses up the samples of the laws.
 * Sets result->samples_lost if memory for samples ran out, and acc->shard[0].out_of_memory if there is none for the
 * results. Called after weir_result_slowdown(), which sets samples_lost first. */
void weir_account_parts(struct weir_account *acc, const struct weir_account_totals *totals, struct weir_result *result);

/* Returns the rate per host of bytes in a time; 0 if the time is 0, or there are no hosts. */
uint64_t weir_account_rate_bps(uint64_t bytes, uint64_t duration_ps, uint32_t hosts);

/* Fills result->unfinished. Called after result->slowdown and result->sim_ps are set. */
void weir_account_unfinished(const struct weir_account *acc, struct weir_result *result);

/* Fills the numbers of a result, which must be zeros before, from the records of messages and from totals. The caller
 * sets the numbers about the machine and the engine (times, memory, threads, hops, windows), feature_count, link and
 * causes. Called after weir_account_close(). Merges all recorders into that of shard 0, and moves the detail into the
 * result. If there is no memory for results of jobs, sets acc->shard[0].out_of_memory. */
void weir_account_result(struct weir_account *acc, const struct weir_account_totals *totals,
                         struct weir_result *result);
#endif
