/* src/transport/endpoint/protocol_text.h - reads a protocol and its keys from one text, "sird B=120KB", as options of
 * libweir and commands for the kernel have them. */
#ifndef WEIR_ENDPOINT_PROTOCOL_TEXT_H
#define WEIR_ENDPOINT_PROTOCOL_TEXT_H
#include "registry.h"
#include <stdbool.h>
#include <stddef.h>

struct weir_framing;

struct weir_protocol_section {     /* keys "NAME.KEY" of a text, besides those of the protocol */
    const char *name;              /* NULL ends a list */
    const struct weir_param *rows; /* of these .. */
    const char *const *keys;       /* .. the keys that a text may set, NULL-terminated */
    void *config;                  /* that the rows set */
};

struct weir_protocol_reader {           /* how a text is read */
    const char *label;                  /* what messages call the text: "cc" */
    const char *example;                /* hint for a text that cannot be read: for example "sird" */
    const char *preset;                 /* preset to take unless the text names one; if there is none, the first */
    const char *path_hint;              /* hint for keys that do not fit the path */
    const struct weir_path *path;       /* that the keys must fit */
    bool rtt_unknown;                   /* path->base_rtt_ps is a guess: no key may be in round trips */
    const struct weir_framing *framing; /* NULL = keys are not fitted to the framing */
    /* Tests whether the protocol can run here. @return 0, or -ENOTSUP with the reason in err */
    int (*check)(const struct weir_protocol_reader *how, const struct weir_protocol *protocol, struct weir_err *err);
    /* Changes keys after the preset and before those of the text; NULL = nothing to change */
    void (*settle)(const struct weir_protocol_reader *how, const struct weir_protocol *protocol, void *config);
    void *(*allocate)(void *context, size_t bytes); /* returns zeroed memory, or NULL */
    void *context;
    /* Room for the protocol's name and the keys that the preset or the text has set, in the order of the protocol's
     * table: "sird B=120 KB". NULL = not wanted */
    char *said;
    size_t said_bytes;
    const struct weir_protocol_section *sections; /* for sender-driven protocols; NULL = none */
};

/* Returns the protocol that a text begins with, whether it can run or not; NULL = there is none of that name. */
const struct weir_protocol *weir_protocol_named(const char *text);

/**
 * Reads "PROTOCOL key=value ..".
 * @param config  NULL before; gets memory of how->allocate() with the protocol's keys, which the caller frees, also
 * after an error
 * @return 0, -EINVAL, -ENOTSUP or -ENOMEM; err is filled but for -ENOMEM
 */
int weir_protocol_read(const struct weir_protocol_reader *how, const char *text, const struct weir_protocol **found,
                       void **config, struct weir_err *err);
#endif
