/* test/oracle/generate_whole.h - between the files that write whole random scenarios: generate_whole.c, whole_fabric.c, whole_traffic.c. */
#ifndef WEIR_TEST_GENERATE_WHOLE_H
#define WEIR_TEST_GENERATE_WHOLE_H
#include "registry.h"
#include "test/oracle/generate.h"

struct whole {
    struct gen g;
    FILE *show; /* where files are printed; NULL = nowhere */
    const struct weir_protocol *protocol;
    const struct weir_preset *preset; /* the one that applies; NULL = it has none */
    uint32_t needs;                   /* enum weir_need of the protocol */
    bool *on;                         /* of each row of weir_features[]: does the scenario turn it on? */
    uint32_t classes;                 /* priority classes of ports */
    uint32_t tokens, lanes;           /* of deflection; virtual lanes, 0 = none */
    bool escapes;                     /* a packet of the upper of two lanes may leave in the lower one */
    bool quantised, into_acks;        /* telemetry */
    bool phantom, phantom_acks;       /* delays of virtual queues; they are in ACKs */
    uint32_t p_rtts;                  /* p of the protocol in tenths of base round trips; 0 = as a time */
    bool weights;                     /* flows may have weights */
    bool allocation;                  /* run.start */
    uint64_t rtt_ns;                  /* no path's base round trip is longer */
};

/* Is the feature of that name in the registry, and on? */
bool whole_has(const struct whole *w, const char *feature);

/* Does the preset that applies say something of keys that begin so? */
bool whole_preset_says(const struct whole *w, const char *key);

/* As gen_write_file(), and shows it where that is asked for. */
void whole_write_file(const struct whole *w, const struct gen *file, int *fd, char *path, size_t path_bytes);

/* Which features the scenario turns on: what the protocol needs, and others that go with it and with each other. */
void whole_plan_features(struct whole *w);

/* The section fabric without its closing brace. */
void whole_put_fabric(struct whole *w);

/* The section traffic. */
void whole_put_traffic(struct whole *w);
#endif
