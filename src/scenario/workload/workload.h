/* src/scenario/workload/workload.h - who sends how many bytes to whom, and when. But for flows of jobs and replies, the
 * workload is open loop: nothing in it depends on the network. So each host's stream of messages is a function of
 * (scenario, seed, host) alone, and the thread of the host draws its messages when they are needed. */
#ifndef WEIR_WORKLOAD_WORKLOAD_H
#define WEIR_WORKLOAD_WORKLOAD_H
#include "core/head.h"
#include "core/err.h"
#include "core/heap.h"
#include "core/param.h"
#include "core/rng.h"
#include "workload/cdf.h"
#include "workload/inbox.h"

struct weir_allotment;
struct weir_jobs; /* workload/jobs.h */

#define WEIR_TRAFFIC_CLASS_AUTO UINT32_MAX
#define WEIR_TRAFFIC_MAX 16u /* most items in a scenario's `traffic` list */

enum weir_traffic_kind {
    WEIR_TRAFFIC_POISSON,     /* each host: exponential gaps, uniform destination among the others */
    WEIR_TRAFFIC_INCAST,      /* at each event fan_in random hosts send `size` bytes each to a random target */
    WEIR_TRAFFIC_PERMUTATION, /* host i sends one message to p(i), p a random permutation without fixed point */
    WEIR_TRAFFIC_FLOWS,       /* a list of flows from a file */
    WEIR_TRAFFIC_JOBS,        /* flows that wait for others, from a file: workload/jobs.h */
    WEIR_TRAFFIC_PAIRS,       /* flows between random hosts with random weights: workload/pairs.h */
    WEIR_TRAFFIC_CBR,         /* each host: messages of one size at a constant rate, perhaps on and off by turns */
    WEIR_TRAFFIC_SESSION,     /* messages that a program gives while the run goes on: workload/inbox.h */
    WEIR_TRAFFIC_COLLECTIVE,  /* operations of groups of ranks, whose messages wait for others: program/collective.h */
    WEIR_TRAFFIC_GOAL,        /* traces of distributed programs, from files: trace/trace.h */
    WEIR_TRAFFIC_CHAKRA,
    WEIR_TRAFFIC_SIMAI,
};
extern const char *const weir_traffic_kinds[]; /* "poisson", "incast", .., "simai"; NULL-terminated */

/* Tests whether an item of this kind names a trace of a distributed program. */
static inline bool weir_traffic_is_trace(uint32_t kind)
{
    return kind == WEIR_TRAFFIC_GOAL || kind == WEIR_TRAFFIC_CHAKRA || kind == WEIR_TRAFFIC_SIMAI;
}

enum weir_collective_op {
    WEIR_ALL_REDUCE,
    WEIR_ALL_GATHER,
    WEIR_REDUCE_SCATTER,
    WEIR_ALL_TO_ALL,
    WEIR_BROADCAST,
};
extern const char *const weir_collective_ops[]; /* NULL-terminated, as the next two */

enum weir_collective_algorithm { /* the algorithm of an operation */
                                 WEIR_ALGORITHM_RING,
                                 WEIR_ALGORITHM_TREE,
                                 WEIR_ALGORITHM_HALVING_DOUBLING,
                                 WEIR_ALGORITHM_DIRECT,
                                 WEIR_ALGORITHM_PIPELINE,
};
extern const char *const weir_collective_algorithms[];

enum weir_collective_over { /* the dimension of a parallel program whose groups do an operation */
                            WEIR_OVER_ALL,
                            WEIR_OVER_TP,
                            WEIR_OVER_EP,
                            WEIR_OVER_DP,
                            WEIR_OVER_PP,
};
extern const char *const weir_collective_overs[];

enum weir_placement { /* which rank is at which host */
                      WEIR_PLACEMENT_PACKED,
                      WEIR_PLACEMENT_SPREAD,
                      WEIR_PLACEMENT_RAIL_ALIGNED,
                      WEIR_PLACEMENT_RANDOM,
                      WEIR_PLACEMENT_FILE,
};

enum weir_traffic_connections {
    WEIR_CONNECTIONS_ONE, /* a flow is one message */
    /* a flow of weight w is sent as max(1, round(w)) messages at once, of nearly equal sizes and of weight 1 */
    WEIR_CONNECTIONS_WEIGHT,
};

/* Format of the file of a flow list: doc/files.md. */
enum weir_flow_format {
    WEIR_FLOWS_AUTO, /* found from the first rows */
    WEIR_FLOWS_CSV,  /* Weir's own */
    WEIR_FLOWS_HTSIM,
    WEIR_FLOWS_HPCC,
    WEIR_FLOWS_CONWEAVE,
    WEIR_FLOWS_HOMA,
    WEIR_FLOWS_YAPS,
    WEIR_FLOWS_PARSIMON,
};

/* Unit of the start times in htsim's connection matrix; NONE = not given, so that all starts must be 0. */
enum weir_start_unit { WEIR_START_UNIT_NONE, WEIR_START_UNIT_US, WEIR_START_UNIT_NS, WEIR_START_UNIT_PS };

/* Meaning of a rank of a GOAL schedule: a node whose GPUs have NICs of their own, or a GPU. NONE = not given, so that
 * all operations must be of NIC 0. */
enum weir_goal_layout { WEIR_GOAL_LAYOUT_NONE, WEIR_GOAL_LAYOUT_NODE, WEIR_GOAL_LAYOUT_GPU };

/* Dependencies of a Chakra trace that count: those by data, as Chakra's own reader has it, or also those by control. */
enum weir_dependencies { WEIR_DEPENDENCIES_DATA, WEIR_DEPENDENCIES_ALL };

enum weir_traffic_arrivals { WEIR_ARRIVALS_PERIODIC, WEIR_ARRIVALS_POISSON }; /* arrivals of incast events */

enum weir_traffic_measured { WEIR_MEASURED_AUTO, WEIR_MEASURED_TRUE, WEIR_MEASURED_FALSE };

enum weir_traffic_draw { WEIR_DRAW_UNIFORM, WEIR_DRAW_LOG_UNIFORM };

struct weir_traffic_config { /* one item of the scenario's `traffic` list */
    uint32_t kind;
    /* poisson, session: name of a distribution, a path ending in .csv, or a size ("1460 B") */
    char sizes[WEIR_TEXT_MAX];
    char from[24], to[24]; /* poisson, incast: hosts, "0..9" or "7"; "" = all */
    uint32_t interpolate;  /* poisson, files only: 0 auto, 1 linear, 2 log-linear */
    /* Poisson, incast: payload as a part of the host link's rate; with share, the total of all items */
    uint32_t load_ppm;
    uint32_t share_ppm; /* incast: its part of the total load; poisson items are scaled down to the rest */
    uint32_t load_mean; /* poisson: mean size from which load gives a rate; 0 true mean, 1 that of the published runs */
    uint32_t fan_in;    /* incast: senders per event */
    struct weir_size size;      /* incast, permutation, pairs: bytes per message */
    uint64_t period_ps;         /* incast: time between events; 0 = computed from share and load */
    uint32_t arrivals;          /* incast: enum weir_traffic_arrivals */
    uint32_t measured;          /* enum weir_traffic_measured: whether results by message include its messages */
    uint64_t start_ps, stop_ps; /* messages start in [start, stop); stop WEIR_NEVER = end of the run */
    /* path of a file. flows: CSV with the columns `src,dst,bytes,start[,weight[,group]]`, or another format
     * (doc/files.md); jobs: YAML (doc/jobs.md) or htsim's connection matrix; goal, chakra, simai: doc/traces.md */
    char file[WEIR_TEXT_MAX];
    char groups
        [WEIR_TEXT_MAX];    /* chakra: path of a JSON file with groups of ranks; "" = only that of all ranks. session:
                                   groups of senders, "0..7, 8..15" */
    uint32_t dependencies;  /* chakra: enum weir_dependencies */
    uint32_t goal_layout;   /* goal: enum weir_goal_layout */
    uint32_t format;        /* flows: enum weir_flow_format */
    uint32_t start_unit;    /* flows, jobs: enum weir_start_unit, of starts in a connection matrix */
    uint32_t strict;        /* flows, jobs: 1 = refuse what the file's own reader takes in a way not in the file */
    uint64_t origin_ps;     /* flows: the time in the file at which the run begins */
    char name[64];          /* name in results */
    uint64_t reply_bytes;   /* not jobs, not pairs: bytes that the receiver of each message sends back; 0 = no reply */
    uint32_t tenant;        /* tenant to which its messages belong; below WEIR_TENANTS_MAX */
    uint32_t class_id;      /* priority class of its DATA; WEIR_TRAFFIC_CLASS_AUTO = host.data_class */
    uint32_t connections;   /* flows: enum weir_traffic_connections */
    uint64_t jitter_ps;     /* flows, incast: each message starts later by a random time below this */
    char policy[24];        /* jobs: policy of all jobs, instead of that in the file; "" = as in the file */
    uint64_t apart_ps;      /* jobs: time that each job of the file starts after the one before */
    uint32_t count;         /* pairs: number of flows; 0 = not given */
    uint32_t draw;          /* pairs: enum weir_traffic_draw, how weights are drawn */
    char weights[40];       /* pairs, session: range of weights, "1..10"; "" = all are 1 */
    uint32_t changes_ppm;   /* pairs: part of the flows whose weights are drawn again */
    uint64_t change_at_ps;  /* pairs: time at which these weights change; 0 = never */
    uint64_t rate_bps;      /* cbr: payload of each sender while it is on; 0 = not given */
    uint64_t packet_bytes;  /* cbr: bytes per message; 0 = not given */
    uint64_t on_ps, off_ps; /* cbr: from start on senders are on and off by turns; off 0 = always on */
    /* collective */
    uint32_t op, algorithm; /* enum weir_collective_op, enum weir_collective_algorithm */
    char ranks[24];         /* a number of ranks, or their hosts as in "0..63"; "" = all hosts */
    uint64_t bytes;         /* S of the operation; 0 = not given */
    uint32_t chunks;        /* parts of S that go their ways independently of each other */
    uint32_t steps;         /* how often the operation is done */
    uint64_t compute_ps;    /* how long each rank computes before each step */
    uint32_t straggler_ppm; /* by how much one rank of each group computes longer, as a part of compute */
    uint32_t placement;     /* enum weir_placement */
    char placement_file[WEIR_TEXT_MAX];
    uint32_t tp, pp, dp, ep; /* degrees of parallelism; 0 = not given */
    uint32_t over;           /* enum weir_collective_over */
};
extern const struct weir_param weir_traffic_params[];

/* Tests whether messages of an item follow from others, as a program says (program/program.h). */
static inline bool weir_item_has_program(const struct weir_traffic_config *item)
{
    return item->kind == WEIR_TRAFFIC_COLLECTIVE || weir_traffic_is_trace(item->kind);
}

struct weir_message { /* one message, as drawn */
    uint64_t id;      /* src << 40 | messages that src started before: unique, independent of engine */
    uint64_t start_ps;
    uint64_t bytes;      /* 1 .. WEIR_CDF_SIZE_MAX */
    uint32_t src, dst;   /* two different hosts */
    uint32_t item;       /* index of the entry of `traffic` */
    uint32_t tag;        /* number from 1 among the messages of flow lists and jobs; else 0 */
    uint32_t group;      /* the message belongs to weir_workload.group[group - 1]; 0 = to no group */
    uint64_t weight_q20; /* WEIR_WEIGHT_ONE unless a file or a draw sets another */
    uint64_t number;     /* for draws of the message, whatever else happens: its own among those of its item and host; 0
                            of replies */
    bool is_reply;       /* the message is a reply to a message of the item from dst to src */
};

struct weir_list_note { /* counts of a file that its own program reads otherwise than it says; for a warning */
    uint64_t kept;      /* rows that were read */
    uint64_t left_out;  /* rows beyond the number in the first line */
    uint64_t endless;   /* flows of size 0: each sends WEIR_CDF_SIZE_MAX bytes */
    uint64_t empty;     /* messages of 0 bytes in a trace: each sends 1 byte */
    /* dependencies on nodes that the trace does not have; and the first: of node `later` of a rank on `earlier` */
    uint64_t dangling, later, earlier;
    uint32_t rank;
};

struct weir_workload_limits { /* what weir_workload_build() must know besides the items */
    uint32_t hosts;
    uint64_t host_rate_bps;   /* of the fastest host's link */
    const uint64_t *host_bps; /* of each host's link; NULL = all have host_rate_bps. It must outlive the workload */
    uint64_t end_ps; /* no message starts at or after this time; WEIR_NEVER is allowed if every item is finite */
    uint64_t seed;
    const char *base_dir;         /* folder from which relative file names start; NULL = the working directory */
    const struct weir_jobs *jobs; /* of all items of kinds jobs and pairs; NULL = there is no such item. Not owned */
    const uint32_t *host_id;      /* ids of the hosts in the topology's file, ascending; NULL = their numbers */
    struct weir_list_note *note;  /* an entry for each item, all 0, which readers of files fill; NULL = not wanted */
    bool groups;                  /* messages have groups: incast events, or flows with a column group */
    uint64_t program_messages;    /* messages of collectives and traces */
};

struct weir_listed { /* a planned message (incast, permutation, flows); sorted by (src, start, item, order) */
    uint64_t start_ps, bytes;
    uint32_t dst, item;
    uint32_t tag, group; /* as in struct weir_message */
    uint64_t weight_q20;
};

struct weir_host_range { /* hosts first, first + step, .. first + (count - 1) step; step is 1 but for receivers and
                          groups */
    uint32_t first, count, step;
};

/* Returns the index of `host` among the hosts of the range; UINT32_MAX = the range does not have the host. */
static inline uint32_t weir_host_range_index(const struct weir_host_range *range, uint32_t host)
{
    uint32_t off = host - range->first; /* 2^32 - something if host is below */
    return host >= range->first && off % range->step == 0 && off / range->step < range->count ? off / range->step
                                                                                              : UINT32_MAX;
}

struct weir_session_group { /* senders that an item of kind session announces: a program's messages name it */
    struct weir_host_range senders;
    uint32_t group; /* as in struct weir_message; 0 = no protocol reads groups */
};

struct weir_workload { /* the workload of a run: read-only while the run is on, and shared by all threads */
    uint32_t hosts, item_count;
    uint64_t end_ps, seed;
    const struct weir_traffic_config *item;
    struct weir_cdf cdf[WEIR_TRAFFIC_MAX];  /* poisson, cbr and session items; of session perhaps empty */
    uint64_t gap_mean_fs[WEIR_TRAFFIC_MAX]; /* poisson, cbr: mean gap, of poisson of the fastest host; 0 = other kind */
    uint64_t gap_fs[WEIR_TRAFFIC_MAX];      /* cbr items: gap while they are on */
    uint64_t host_rate_bps;                 /* as in the limits */
    const uint64_t *host_bps;
    uint64_t reply_bytes[WEIR_TRAFFIC_MAX]; /* of the reply to each message; 0 = no replies */
    bool replies;                           /* some item has replies */
    struct weir_host_range from[WEIR_TRAFFIC_MAX], to[WEIR_TRAFFIC_MAX]; /* poisson, incast, cbr: senders, receivers */
    struct weir_listed *listed;                                          /* planned messages of all hosts */
    uint64_t *listed_first;          /* hosts + 1 indices into listed: where each host begins */
    struct weir_sender_group *group; /* group_count groups; NULL = none, or limits->groups is off */
    uint32_t *group_sender;          /* memory of the lists of all groups */
    uint32_t group_count;
    const struct weir_jobs *jobs;       /* of all items of kinds jobs and pairs; NULL = none. Not owned */
    uint32_t tag_count;                 /* tags are 1 .. tag_count: rows of flow lists, then flows of jobs */
    const struct weir_allotment *start; /* initial rates of flows, by tag - 1; NULL = the law's. Not owned */
    bool weighted;                      /* some flow has a weight other than 1, or may get one */
    uint64_t
        finite_messages; /* messages that will start; if endless: only those in listed, jobs, programs, with replies */
    uint64_t finite_replies;                  /* of these messages: replies */
    bool session;                             /* an item of kind session: more messages may come at any time */
    uint64_t program_messages;                /* of the finite messages: those of collectives and traces */
    struct weir_session_group *session_group; /* session_groups of them, those of an item follow each other */
    uint32_t session_groups, session_first[WEIR_TRAFFIC_MAX], session_count[WEIR_TRAFFIC_MAX]; /* of all; by item */
    uint64_t session_least_q20;    /* the least weight that its messages may have */
    bool endless;                  /* some poisson, incast or cbr item goes on until end_ps */
    uint32_t endless_items;        /* bit i: item i does */
    uint64_t offered_bps_per_host; /* sum of the loads of the items that go on until end_ps */
};

/**
 * Builds the workload from the items of a scenario: reads distributions and flow lists, computes rates, and plans
 * messages. The items and limits->jobs must live as long as *wl, which weir_workload_free() frees.
 * @param where  item_count positions for messages; may be NULL
 * @return 0, or a code with err, and then wl needs no free. Refused are a load or a total load >= 100 %, unknown
 * distributions, wrong hosts or sizes in a flow list, fan_in >= hosts, no items, fewer than 2 hosts, and others.
 */
int weir_workload_build(struct weir_workload *wl, const struct weir_traffic_config *item, uint32_t item_count,
                        const struct weir_workload_limits *limits, const struct weir_tok *where, struct weir_err *err);
void weir_workload_free(struct weir_workload *wl);

struct weir_source { /* the stream of messages of one host; only that host's thread uses it */
    const struct weir_workload *wl;
    uint32_t host;
    uint64_t started;                 /* messages taken so far */
    uint64_t next_listed, end_listed; /* the next planned message, and the end of the host's: indices into wl->listed */
    uint64_t next_ps[WEIR_TRAFFIC_MAX]; /* poisson and cbr items: next arrival; WEIR_NEVER otherwise */
    uint64_t frac_fs[WEIR_TRAFFIC_MAX]; /* carried to the next gap, so that rounding does not bias the rate */
    uint64_t drawn[WEIR_TRAFFIC_MAX];   /* messages drawn so far: the position in the random streams */
    struct weir_source_keys {           /* keys of the random streams, computed once */
        uint64_t arrival, size, peer;
    } key[WEIR_TRAFFIC_MAX];
    struct weir_inbox *inbox; /* of a host of a session; else NULL. Not owned */
    uint64_t head_ps;         /* start of the next message; WEIR_NEVER = there is none */
};

/* Begins the stream of a host before its first message. wl must live as long as *src. */
void weir_source_init(struct weir_source *src, const struct weir_workload *wl, uint32_t host);

/* Gives a stream the inbox of its host. Called before the run. */
void weir_source_session(struct weir_source *src, struct weir_inbox *inbox);

/* Finds the next message again, after a change of the host's inbox. */
void weir_source_refresh(struct weir_source *src);

/* Returns the start time of the next message; WEIR_NEVER = there is none. */
static inline uint64_t weir_source_next_ps(const struct weir_source *src)
{
    return src->head_ps;
}

/* Returns the bytes that the sender passes to its host: those of the message, and of the list of its group if it has
 * one. */
static inline uint64_t weir_message_bytes(const struct weir_workload *wl, const struct weir_message *m)
{
    return m->bytes + (m->group != 0 ? weir_group_bytes(&wl->group[m->group - 1]) : 0);
}

/* Writes the next message to *out and removes it from the stream. There must be one: weir_source_next_ps() is not
 * WEIR_NEVER. Of messages with the same start, planned ones come first, then those of the inbox, then poisson items in
 * the order of their indices. Of a timer in the inbox dst is WEIR_INBOX_TIMER: no message starts. Of rows of the inbox
 * the tag is their number, plus 1. */
void weir_source_take(struct weir_source *src, struct weir_message *out);

/* Returns the destination of the message that weir_source_take() would return; of a timer the host itself. There must
 * be one. */
uint32_t weir_source_next_dst(const struct weir_source *src);
#endif
