/* src/base/core/extension.h - extensions: parts of struct weir_pkt that one feature or protocol uses alone, in packets
 * of some kinds. Two features or protocols whose extensions share a part of the same kind of packet exclude each other.
 * A feature writes no part that its extension does not declare. */
#ifndef WEIR_CORE_EXTENSION_H
#define WEIR_CORE_EXTENSION_H
#include "core/pkt.h"

enum weir_pkt_part {                             /* bits of weir_extension.parts */
                     WEIR_PART_BYTE = 1u << 0,   /* weir_pkt.hops, .weight or .rtt */
                     WEIR_PART_DELAY = 1u << 1,  /* weir_pkt.qdelay, the high 16 bits of the 64-bit union */
                     WEIR_PART_VALUE = 1u << 2,  /* the low 48 bits of the same union: weir_pkt.value, .msg_bytes,
                                                    .sent48_ps */
                     WEIR_PART_TOKENS = 1u << 3, /* weir_pkt.tokens */
                     WEIR_PART_CLASS = 1u << 4,  /* weir_pkt.class_id, in DATA its virtual lane, and .stays */
                     WEIR_PART_HASH = 1u << 5,   /* weir_pkt.hash */
};

#define WEIR_PKT_KIND_BIT(kind) (1u << (kind))

struct weir_extension {
    const char *name; /* in messages; a plural, "weights" */
    uint32_t parts;   /* enum weir_pkt_part */
    uint32_t kinds;   /* WEIR_PKT_KIND_BIT() of enum weir_pkt_kind */
};

/* Tests whether two extensions exclude each other in one run. NULL = no extension, which excludes none */
static inline bool weir_extensions_meet(const struct weir_extension *a, const struct weir_extension *b)
{
    return a != NULL && b != NULL && (a->parts & b->parts) != 0 && (a->kinds & b->kinds) != 0;
}

/* Returns the parts (enum weir_pkt_part) of a packet of this kind that an extension may write; 0 for NULL. */
static inline uint32_t weir_extension_parts(const struct weir_extension *extension, uint32_t kind)
{
    return extension != NULL && (extension->kinds & WEIR_PKT_KIND_BIT(kind)) != 0 ? extension->parts : 0;
}

/* Returns a copy of the packet with some parts set to 0, so that the rest can be compared. parts: enum weir_pkt_part */
static inline struct weir_pkt weir_pkt_without(const struct weir_pkt *pkt, uint32_t parts)
{
    struct weir_pkt rest = *pkt;
    if ((parts & WEIR_PART_BYTE) != 0)
        rest.hops = 0;
    if ((parts & WEIR_PART_VALUE) != 0)
        rest.sent48_ps = 0;
    if ((parts & WEIR_PART_DELAY) != 0)
        rest.qdelay = 0;
    if ((parts & WEIR_PART_TOKENS) != 0)
        rest.tokens = 0;
    if ((parts & WEIR_PART_CLASS) != 0)
        rest.class_id = rest.stays = 0;
    if ((parts & WEIR_PART_HASH) != 0)
        rest.hash = 0;
    return rest;
}
#endif
