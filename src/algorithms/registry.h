/* src/algorithms/registry.h - the tables of all protocols and all switch features. A new protocol needs one more row in
 * weir_protocols[]. */
#ifndef WEIR_REGISTRY_H
#define WEIR_REGISTRY_H
#include <stddef.h>
#include <stdint.h>

struct weir_cc_ops;
struct weir_credit_ops;
struct weir_delay_read;
struct weir_err;
struct weir_feature;
struct weir_fit;
struct weir_param;
struct weir_path;
struct weir_preset;
struct weir_telemetry_read;

/* Style of a protocol in figures, the same on every page. A row may leave it out, then it follows from the name. */
struct weir_protocol_style {
    uint8_t hue, dash, mark; /* 1 .. 8 each: colour, dashes and marks of a curve (report/line_style.h) */
};

struct weir_protocol {                    /* row of a protocol; exactly one of cc and credit is not NULL */
    const char *name;                     /* name in scenario files, "dctcp"; NULL ends the list */
    const char *hint;                     /* one sentence */
    const char *source;                   /* paper or RFC */
    const struct weir_cc_ops *cc;         /* functions of a sender-driven protocol; NULL = receiver-driven */
    const struct weir_credit_ops *credit; /* functions of a receiver-driven protocol; NULL = sender-driven */
    const struct weir_param *params;      /* keys of section `protocol` */
    const struct weir_preset *presets;    /* may be NULL; the first one applies unless the scenario names another; may
                                          set keys of other sections: "framing: ns2" */
    /* Recommendation: "key: value" lines for fabric, framing and host, NULL-terminated, which weir compare sets
     * (core/recommend.h). May also name the preset. */
    const char *const *recommends;
    uint32_t config_bytes;            /* size of the struct that params fill */
    struct weir_protocol_style style; /* in figures; may be left out */
    /* Sets the keys that the scenario leaves open, from the path, the framing and the message sizes of the run; called
     * before check(). NULL = there are no such keys */
    void (*fit)(void *config, const struct weir_fit *fit);
    /* Checks that the keys fit each other and the path. NULL = nothing to check. @return 0, or WEIR_E_CONFLICT with the
     * reason in *err; the caller adds the position in the scenario file */
    int (*check)(const void *config, const struct weir_path *path, struct weir_err *err);
    /* Returns the kind of telemetry records that the protocol reads. NULL = it reads any */
    struct weir_telemetry_read (*telemetry)(const void *config);
    /* Returns which queueing delays a protocol with WEIR_NEED_QDELAY reads. NULL = those of real queues */
    struct weir_delay_read (*delays)(const void *config);
};
extern const struct weir_protocol weir_protocols[];

/* Returns the kind of telemetry records that the protocol reads. config: the protocol's own struct */
struct weir_telemetry_read weir_protocol_telemetry(const struct weir_protocol *protocol, const void *config);

/* Returns which queueing delays the protocol reads, if it needs any. config: the protocol's own struct */
struct weir_delay_read weir_protocol_delays(const struct weir_protocol *protocol, const void *config);

/* Returns the needs of the protocol: bits of enum weir_need. */
uint32_t weir_protocol_needs(const struct weir_protocol *protocol);

/* All features of switches, NULL-terminated. The hooks of a port are called in this order, unless fabric.order sets
 * another one. */
extern const struct weir_feature *const weir_features[];

/* Returns the number of rows of weir_features[]. */
static inline uint32_t weir_features_rows(void)
{
    uint32_t rows = 0;
    while (weir_features[rows] != NULL)
        rows++;
    return rows;
}
#endif
