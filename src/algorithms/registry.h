/* src/algorithms/registry.h - the one list that names every protocol, feature and scenario section. A new protocol is
 * one line here. */
#ifndef WEIR_REGISTRY_H
#define WEIR_REGISTRY_H
#include <stddef.h>
#include <stdint.h>

struct weir_cc_ops;
struct weir_credit_ops;
struct weir_err;
struct weir_feature;
struct weir_fit;
struct weir_param;
struct weir_path;
struct weir_preset;
struct weir_telemetry_read;

struct weir_protocol {
    const char *name;                     /* "dctcp"; NULL ends the list */
    const char *hint;                     /* one sentence */
    const char *source;                   /* paper or RFC */
    const struct weir_cc_ops *cc;         /* sender-driven; or .. */
    const struct weir_credit_ops *credit; /* .. receiver-driven */
    const struct weir_param *params;      /* keys of section `protocol` */
    const struct weir_preset *presets;    /* may be NULL; the first one applies unless another is named; keys may reach
                                         into other sections: "framing: ns2" */
    /* "key: value" of fabric, framing and host that weir compare gives it (core/recommend.h); may name the preset,
     * too */
    const char *const *recommends;
    uint32_t config_bytes; /* of the struct the rows fill */
    /* NULL, or: sets keys that were left to the run, by its path, its frames and the sizes of its messages; before
     * check() */
    void (*fit)(void *config, const struct weir_fit *fit);
    /* NULL, or: do the keys fit each other and the path? @return 0, or WEIR_E_CONFLICT and why not; where is the
     * caller's to say */
    int (*check)(const void *config, const struct weir_path *path, struct weir_err *err);
    /* NULL = any, or: which telemetry records does it read? */
    struct weir_telemetry_read (*telemetry)(const void *config);
};
extern const struct weir_protocol weir_protocols[];

/* Returns which telemetry records the protocol reads. */
struct weir_telemetry_read weir_protocol_telemetry(const struct weir_protocol *protocol, const void *config);

/* Returns what the protocol needs, bits of enum weir_need. */
uint32_t weir_protocol_needs(const struct weir_protocol *protocol);

/* All features of switches; hooks are called in this order. NULL ends the list. */
extern const struct weir_feature *const weir_features[];

/* Counts the rows of weir_features[]. */
static inline uint32_t weir_features_rows(void)
{
    uint32_t rows = 0;
    while (weir_features[rows] != NULL)
        rows++;
    return rows;
}
#endif
