/* test/oracle/generate.h - the pieces that random scenarios are put together from. */
#ifndef WEIR_TEST_GENERATE_H
#define WEIR_TEST_GENERATE_H
#include "core/rng.h"
#include "test/oracle/twin.h"

#define GEN_GRAPH_SWITCHES_MAX 8u
#define GEN_GRAPH_CABLES_MAX (3u * (2u * GEN_GRAPH_SWITCHES_MAX - 1u)) /* between switches, parallel ones included */

enum gen_rates {                  /* which rates links may have */
                 GEN_RATES_ANY,   /* 7 Gb/s to 800, with whole picoseconds per byte and without */
                 GEN_RATES_ROCC,  /* of those, 10 Gb/s and more */
                 GEN_RATES_CODED, /* those that a quantised record has a code for */
};

enum gen_nic {
    GEN_NIC_ANY,
    GEN_NIC_PULL,
    GEN_NIC_UNLIMITED,
};

struct gen {
    struct weir_rng rng;
    uint64_t seed;
    char *text;
    size_t used;
    /* set before the sections are written */
    enum gen_rates rates;
    enum gen_nic nic; /* any, or this nic_queue alone */
    bool tenants;     /* traffic may be of some */
    bool replies;     /* most messages are replied to */
    bool data_last;   /* DATA is in the last class, ACKs are in another */
    bool slow_timers; /* the preset has timers of TCP: others are written out */
    bool acks;        /* the protocol acknowledges */
    bool paced;      /* receivers send credit for every open flow, most of which ports drop: the more flows, the more */
    bool noticed;    /* ports send notices to their flows as long as data waits */
    bool to_the_end; /* measure: all */
    bool one_rate;   /* the protocol needs hosts of one rate */
    /* topology */
    bool shapes;          /* a dragonfly, a torus, planes or rails, not any kind */
    uint32_t kind, hosts; /* kind: enum weir_topology_kind */
    bool has_nics;        /* hosts have several NICs */
    uint32_t ports_max;   /* no switch has more cables */
    bool one_path;        /* of kinds that may have several: this one has not */
    uint32_t core_hops;   /* links between switches on the longest path */
    uint64_t host_gbps, core_gbps;
    uint32_t host_ns, core_ns; /* delays of links */
    /* host, traffic */
    uint32_t data_class;    /* as written; 1 if not */
    uint32_t payload_bytes; /* of a full packet, or about that */
    uint32_t load_percent;  /* of the poisson traffic */
    const char *sizes;
    uint64_t measure_us;
};

/* dice: which of the generators, so that one seed gives each its own draws */
struct gen gen_begin(uint32_t dice, uint64_t seed, char *text);
uint32_t gen_below(struct gen *g, uint32_t n);
bool gen_one_in(struct gen *g, uint32_t n);
__attribute__((format(printf, 2, 3))) void gen_put(struct gen *g, const char *format, ...);

/* Whole sections. */
void gen_put_topology(struct gen *g); /* of a kind; likewise in parts: rates, then the keys of all kinds and the end */
void gen_draw_rates(struct gen *g);
void gen_put_links(struct gen *g);
void gen_put_hosts(struct gen *g); /* the section hosts */
void gen_put_framing(struct gen *g);
void gen_put_control_rtt(struct gen *g, uint64_t path_ns); /* that, and the time of eight of the longest packets */
void gen_put_run(struct gen *g, const char *stall, const char *more); /* more: further keys */

/* Keys, and the sections host and ecn without their closing brace. */
void gen_put_sird(struct gen *g, bool with_preset);
void gen_put_levels(struct gen *g, uint32_t priorities); /* Homa's, of at least two */
void gen_put_host(struct gen *g, uint32_t priorities);
void gen_put_buffer(struct gen *g);
void gen_put_port_buffer(struct gen *g);
void gen_put_loss(struct gen *g);
void gen_put_ecn(struct gen *g);
/* Ends an event of a cable that goes down: what waits is dropped, or waits. */
void gen_put_queue(struct gen *g, const char *place);
void gen_put_restart(struct gen *g, uint64_t at_us, const char *host);
void gen_put_lossy(struct gen *g, const char *place, uint64_t at_us);
/* A cable that becomes slow, and every second time faster again. max_mbps: no cable was built for less. */
void gen_put_slow(struct gen *g, const char *place, uint64_t at_us, uint64_t max_mbps);
void gen_put_events(struct gen *g);

/* A random graph as a topology file, whose text is the file's alone; obeys g->rates. alike: hosts receive at the rate they send at. */
void gen_put_graph(struct gen *file, uint32_t hosts, uint64_t rate_bps, bool alike);

/* Makes the text a file that only this process sees. fd: of the file, made once and written anew; -1 = not yet. path: its name */
void gen_write_file(const struct gen *file, int *fd, char *path, size_t path_bytes);

/* Traffic. The span is what the poisson traffic takes for about 200,000 packet-hops. */
void gen_choose_traffic(struct gen *g);
uint64_t gen_span_us(const struct gen *g);
void gen_bound_load(struct gen *g); /* lowers the load where a span at its least has far more messages than meant */
void gen_put_permutation(struct gen *g);
void gen_put_incast(struct gen *g);
void gen_put_reply(struct gen *g); /* behind the keys of an item that it has already */
void gen_put_poisson(struct gen *g);
#endif
