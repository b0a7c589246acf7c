/* src/scenario/workload/workload.h - who sends how many bytes to whom, when. Open loop: nothing here depends on what
 * the network does. So each host's stream of messages is a function of (scenario, seed, host) alone and is drawn
 * lazily by its owner. */
#ifndef WEIR_WORKLOAD_WORKLOAD_H
#define WEIR_WORKLOAD_WORKLOAD_H
#include "core/head.h"
#include "core/err.h"
#include "core/heap.h"
#include "core/param.h"
#include "core/rng.h"
#include "workload/cdf.h"

struct weir_allotment;
struct weir_jobs; /* workload/jobs.h */

#define WEIR_TRAFFIC_MAX 16u /* items in a scenario's `traffic` list */

enum weir_traffic_kind {
    WEIR_TRAFFIC_POISSON,     /* each host: exponential gaps, uniform destination among the others */
    WEIR_TRAFFIC_INCAST,      /* every so often fan_in random hosts send `size` to a random target, at once or nearly */
    WEIR_TRAFFIC_PERMUTATION, /* host i sends one message to p(i), p a random permutation without fixed point */
    WEIR_TRAFFIC_FLOWS,       /* from a CSV file */
    WEIR_TRAFFIC_JOBS,        /* flows that wait for others, from a YAML file: workload/jobs.h */
    WEIR_TRAFFIC_PAIRS,       /* flows between random hosts with random weights: workload/pairs.h */
};
extern const char *const weir_traffic_kinds[]; /* "poisson", "incast", .., "pairs"; NULL-terminated */

enum weir_traffic_connections {
    WEIR_CONNECTIONS_ONE,    /* a flow is one message */
    WEIR_CONNECTIONS_WEIGHT, /* a flow of weight w is round(w) messages at once, of equal shares and weight 1 */
};

enum weir_flow_format {                  /* of the file of a list: doc/files.md */
                        WEIR_FLOWS_AUTO, /* by its first rows */
                        WEIR_FLOWS_CSV,  /* Weir's own */
                        WEIR_FLOWS_HTSIM,
                        WEIR_FLOWS_HPCC,
                        WEIR_FLOWS_CONWEAVE,
                        WEIR_FLOWS_HOMA,
                        WEIR_FLOWS_YAPS,
                        WEIR_FLOWS_PARSIMON,
};

enum weir_start_unit { WEIR_START_UNIT_NONE, WEIR_START_UNIT_US, WEIR_START_UNIT_NS, WEIR_START_UNIT_PS };

enum weir_traffic_arrivals { WEIR_ARRIVALS_PERIODIC, WEIR_ARRIVALS_POISSON }; /* of incast events */

enum weir_traffic_measured { WEIR_MEASURED_AUTO, WEIR_MEASURED_TRUE, WEIR_MEASURED_FALSE };

enum weir_traffic_draw { WEIR_DRAW_UNIFORM, WEIR_DRAW_LOG_UNIFORM };

struct weir_traffic_config { /* one item of the scenario's `traffic` list */
    uint32_t kind;
    char sizes[WEIR_TEXT_MAX]; /* poisson: name of a distribution, a path ending in .csv, or a size ("1460 B") */
    char from[24], to[24];     /* poisson, incast: hosts, "0..9" or "7"; "" = all */
    uint32_t interpolate;      /* poisson, files only: 0 auto, 1 linear, 2 log-linear */
    uint32_t load_ppm; /* poisson, incast: of the host link, payload bits; the whole scenario's for incast with share */
    uint32_t share_ppm;         /* incast: this part of the total load; poisson items are scaled to the rest */
    uint32_t load_mean;         /* poisson: 0 true (mean of the sampled sizes), 1 nominal (mean its generator used) */
    uint32_t fan_in;            /* incast: senders per event */
    struct weir_size size;      /* incast, permutation, pairs: bytes per message */
    uint64_t period_ps;         /* incast: between events; 0 = from share and load */
    uint32_t arrivals;          /* incast: enum weir_traffic_arrivals */
    uint32_t measured;          /* enum weir_traffic_measured: do its messages count in results by message? */
    uint64_t start_ps, stop_ps; /* messages start in [start, stop); stop WEIR_NEVER = end of the run */
    /* flows: path of the CSV `src,dst,bytes,start[,weight[,group]]`, or of another form (doc/files.md); jobs: of a YAML
     * file (doc/jobs.md) */
    char file[WEIR_TEXT_MAX];
    uint32_t format;       /* flows: enum weir_flow_format */
    uint32_t start_unit;   /* flows, jobs: enum weir_start_unit, of a connection matrix */
    uint64_t origin_ps;    /* flows: the time in the file at which the run begins */
    char name[64];         /* how results call it */
    uint64_t reply_bytes;  /* not jobs, not pairs: what the receiver of each message sends back; 0 = nothing */
    uint32_t tenant;       /* whose its messages are; below WEIR_TENANTS_MAX */
    uint32_t connections;  /* flows: enum weir_traffic_connections */
    uint64_t jitter_ps;    /* flows, incast: each message starts later, by less than this */
    char policy[24];       /* jobs: instead of the file's; "" = as in the file */
    uint64_t apart_ps;     /* jobs: from the start of one job of the file to that of the next */
    uint32_t count;        /* pairs: flows; 0 = not given */
    uint32_t draw;         /* pairs: enum weir_traffic_draw, of weights */
    char weights[40];      /* pairs: "1..10"; "" = all 1 */
    uint32_t changes_ppm;  /* pairs: this part of the weights is drawn anew .. */
    uint64_t change_at_ps; /* .. then; 0 = never */
};
extern const struct weir_param weir_traffic_params[];

struct weir_message { /* one message, as drawn */
    uint64_t id;      /* src << 40 | how many this host had started before: unique, independent of engine and threads */
    uint64_t start_ps;
    uint64_t bytes;      /* 1 .. WEIR_CDF_SIZE_MAX */
    uint32_t src, dst;   /* hosts, different */
    uint32_t item;       /* which entry of `traffic` */
    uint32_t tag;        /* flows, jobs: 1 + its number in order of the files, lists before jobs; else 0 */
    uint32_t group;      /* weir_workload.group[group - 1]; 0 = of none */
    uint64_t weight_q20; /* WEIR_WEIGHT_ONE unless its file sets another */
    bool is_reply;       /* to one of the item, which was from dst to src */
};

struct weir_workload_limits { /* what the items are resolved against */
    uint32_t hosts;
    uint64_t host_rate_bps;
    uint64_t end_ps; /* nothing starts at or after it; WEIR_NEVER is allowed if every item is finite */
    uint64_t seed;
    const char *base_dir;         /* relative file names start here; NULL = the working directory */
    const struct weir_jobs *jobs; /* of all items of kind jobs, in their order; not NULL if there is one. Lent */
    const uint32_t *host_id;      /* hosts: their ids in the topology's file, ascending; NULL = their numbers. Lent */
    bool groups;                  /* messages have groups: incast events, and flows with a column group */
};

struct weir_listed { /* incast, permutation, flows: computed before the run, sorted by (src, start, item, order) */
    uint64_t start_ps, bytes;
    uint32_t dst, item;
    uint32_t tag, group; /* as in struct weir_message */
    uint64_t weight_q20;
};

struct weir_host_range {
    uint32_t first, count;
};

struct weir_workload { /* read-only while the run is on; shared by all threads */
    uint32_t hosts, item_count;
    uint64_t end_ps, seed;
    const struct weir_traffic_config *item;
    struct weir_cdf cdf[WEIR_TRAFFIC_MAX]; /* poisson items only */
    uint64_t gap_mean_fs
        [WEIR_TRAFFIC_MAX]; /* poisson items: mean inter-arrival time per host, femtoseconds; 0 = other kind */
    uint64_t reply_bytes[WEIR_TRAFFIC_MAX];                              /* of each message; 0 = none */
    bool replies;                                                        /* some item has them */
    struct weir_host_range from[WEIR_TRAFFIC_MAX], to[WEIR_TRAFFIC_MAX]; /* poisson, incast: who sends, and to whom */
    struct weir_listed *listed;
    uint64_t *listed_first;          /* hosts + 1 entries into listed */
    struct weir_sender_group *group; /* group_count of them; NULL = none, or limits->groups is off */
    uint32_t *group_sender;          /* theirs */
    uint32_t group_count;
    const struct weir_jobs *jobs;       /* of all items of kind jobs, made by config/; NULL = none. Not owned */
    uint32_t tag_count;                 /* tags are 1 .. tag_count: rows of flow lists, then flows of jobs */
    const struct weir_allotment *start; /* by tag - 1: the initial rate of each flow's law; NULL = none. Not owned */
    bool weighted;                      /* some flow's weight is not 1, or will not stay so */
    uint64_t
        finite_messages; /* all that will start, unless endless; then those in listed and jobs, and replies to these */
    uint64_t finite_replies;       /* of these */
    bool endless;                  /* some item goes on until end_ps */
    uint64_t offered_bps_per_host; /* sum of the items' loads; 0 if none is open-ended */
};

/**
 * Resolves the items: loads distributions and flow lists, computes rates and schedules.
 * @param where  item_count positions for messages, may be NULL
 * @return 0, or a code with err: load >= 100 %, total load >= 100 %, unknown distribution, flow list naming a host that
 *         does not exist or a size of 0, fan_in >= hosts, fewer than 2 hosts, ..
 */
int weir_workload_build(struct weir_workload *wl, const struct weir_traffic_config *item, uint32_t item_count,
                        const struct weir_workload_limits *limits, const struct weir_tok *where, struct weir_err *err);
void weir_workload_free(struct weir_workload *wl);

/* Returns -ln(u) * mean with u = bits / 2^64: exponential if bits are uniform. mean_fs at most 2^58 (288 s) */
uint64_t weir_exponential_fs(uint64_t mean_fs, uint64_t bits);

struct weir_source { /* one host's stream; owned by that host's thread */
    const struct weir_workload *wl;
    uint32_t host;
    uint64_t started; /* messages taken so far */
    uint64_t next_listed, end_listed;
    uint64_t next_ps[WEIR_TRAFFIC_MAX]; /* poisson items: next arrival; WEIR_NEVER otherwise */
    uint64_t frac_fs[WEIR_TRAFFIC_MAX]; /* femtoseconds carried, so that rounding never biases the rate */
    uint64_t drawn[WEIR_TRAFFIC_MAX];   /* counter of the random streams */
    struct weir_source_keys {           /* of those streams: computed once */
        uint64_t arrival, size, peer;
    } key[WEIR_TRAFFIC_MAX];
    uint64_t head_ps; /* the earliest of all; WEIR_NEVER = no more */
};

void weir_source_init(struct weir_source *src, const struct weir_workload *wl, uint32_t host);

/* Returns when the next message starts; WEIR_NEVER = none. */
static inline uint64_t weir_source_next_ps(const struct weir_source *src)
{
    return src->head_ps;
}

/* Returns the bytes that the sender passes to its host: the message, and the list of its group if it is of one. */
static inline uint64_t weir_message_bytes(const struct weir_workload *wl, const struct weir_message *m)
{
    return m->bytes + (m->group != 0 ? weir_group_bytes(&wl->group[m->group - 1]) : 0);
}

/* Takes the next message; only while weir_source_next_ps() is not WEIR_NEVER. Ties: listed first, then by item. */
void weir_source_take(struct weir_source *src, struct weir_message *out);

/* Returns where the message goes that weir_source_take() would give, which there must be. */
uint32_t weir_source_next_dst(const struct weir_source *src);
#endif
