/* src/base/core/param.h - parameters: one row describes one key of a scenario section.
 * The same row feeds the parser, the range check, the error message, `weir help` and doc/scenario.md. Values are
 * converted from human units once, when the scenario is read. */
#ifndef WEIR_CORE_PARAM_H
#define WEIR_CORE_PARAM_H
#include <stddef.h>
#include <stdint.h>

enum weir_param_kind {
    WEIR_KIND_U32,  /* whole number -> uint32_t */
    WEIR_KIND_U64,  /* whole number -> uint64_t */
    WEIR_KIND_PPM,  /* fraction "0.0625" or "6.25%" -> uint32_t millionths */
    WEIR_KIND_PPB,  /* fraction -> uint32_t billionths (loss probabilities) */
    WEIR_KIND_TIME, /* "12 us" -> uint64_t ps */
    WEIR_KIND_RATE, /* "100 Gbps" -> uint64_t bit/s */
    WEIR_KIND_SIZE, /* "500 KB" -> uint64_t bytes; KB = 1000, KiB = 1024 */
    WEIR_KIND_BDP,  /* "500 KB" or "1.5 BDP" -> struct weir_size; its bytes are computed once the BDP is known */
    /* "12 us" or "3 RTT" -> struct weir_time_or_rtt; its ps are computed once the base round trip is known */
    WEIR_KIND_RTT,
    WEIR_KIND_CHOICE, /* one of choices[] -> uint32_t index */
    WEIR_KIND_FLAG,   /* true | false | yes | no | on | off -> uint32_t 0 or 1 */
    /* text -> char[WEIR_TEXT_MAX]; for a shorter field max = its size without the NUL */
    WEIR_KIND_TEXT,
    WEIR_KIND_SIZE32, /* as WEIR_KIND_SIZE -> uint32_t bytes (parts of a frame) */
    /* sizes, as a list or separated by commas -> struct weir_size_list; the row's keyword stands for the empty list */
    WEIR_KIND_SIZES,
    /* whole numbers, likewise -> struct weir_number_list; text_fallback is the default */
    WEIR_KIND_NUMBERS,
    /* "1%" or "25 Gbps" -> struct weir_share_or_rate; min and max are those of the rate */
    WEIR_KIND_SHARE_OR_RATE,
};

#define WEIR_TEXT_MAX 256

/* These three have no padding, since configurations are compared byte by byte, and a compiler need not copy padding. */

/* A size that may be given in multiples of the BDP. The run uses `bytes`. */
struct weir_size {
    uint64_t bytes;
    uint32_t bdp_milli; /* thousandths of a BDP; 0 = given in bytes */
    uint32_t zero;
};

/* A time that may be given in multiples of the base round trip. The run uses `ps`. Laid out as weir_size. */
struct weir_time_or_rtt {
    uint64_t ps;
    uint32_t rtt_milli; /* thousandths of a base round trip; 0 = given as a time */
    uint32_t zero;
};
_Static_assert(sizeof(struct weir_time_or_rtt) == sizeof(struct weir_size) &&
                   offsetof(struct weir_time_or_rtt, rtt_milli) == offsetof(struct weir_size, bdp_milli),
               "both are read and written by the same code");

/* A probability or a rate, as the unit says. Without a value both fields say so. */
struct weir_share_or_rate {
    uint64_t bps; /* 0 = no rate was given */
    uint32_t ppb; /* billionths, up to 1e9; WEIR_NO_SHARE = no probability was given */
    uint32_t zero;
};

#define WEIR_NO_SHARE UINT32_MAX

#define WEIR_SIZES_MAX 15u

struct weir_size_list {
    uint64_t bytes[WEIR_SIZES_MAX]; /* in the order given; entries from index count on are 0 */
    uint64_t count;
};

struct weir_number_list { /* laid out as weir_size_list */
    uint64_t value[WEIR_SIZES_MAX];
    uint64_t count;
};

/* A keyword that a key accepts instead of a number. If the scenario has the keyword, `value` is stored as the
 * number. */
struct weir_keyword {
    const char *text; /* "auto", "unlimited", "never" */
    uint64_t value;
};

struct weir_param {
    const char *key; /* as in a scenario file; NULL ends the table */
    enum weir_param_kind kind;
    uint32_t offset;            /* of the field in the section's struct */
    uint64_t min, max;          /* allowed range, inclusive, in the field's unit (BDP kind: bytes) */
    uint64_t fallback;          /* default, in the field's unit (BDP and RTT kind: bytes and ps; unused if
                                   milli_default is set) */
    const char *hint;           /* meaning of the key, with unit and source: one sentence */
    const char *const *choices; /* CHOICE: NULL-terminated */
    /* numbers: a keyword that is accepted too, and a second one; NULL = none */
    const struct weir_keyword *keyword, *keyword_too;
    const char *text_fallback; /* TEXT, NUMBERS: default */
    /* BDP and RTT kind: default in thousandths of a BDP or a round trip; 0 = the default is `fallback` */
    uint32_t milli_default;
    /* In a section whose key `kind` is a choice: bit i = the key is used if kind is choice i; 0 = with every kind */
    uint32_t kinds;
};

/* Returns the keyword after `k` of a row, the first one after NULL; NULL = there is no further one. */
static inline const struct weir_keyword *weir_param_keyword(const struct weir_param *row, const struct weir_keyword *k)
{
    return k == NULL ? row->keyword : k == row->keyword ? row->keyword_too : NULL;
}

/* Initialisers of rows, for example WEIR_PARAM_U32(struct x, field, min, max, default, "hint"). WEIR_PARAM_ROW and
 * WEIR_PARAM_U32 use the field's name as the key; the others take the key as `name`. Further fields may follow the
 * hint: WEIR_PARAM_U32(.., "hint", .kinds = 3). */
#define WEIR_PARAM_ROW(type, field, k, ...)                                                                            \
    {                                                                                                                  \
        .key = #field, .kind = (k), .offset = (uint32_t)offsetof(type, field), __VA_ARGS__                             \
    }
#define WEIR_PARAM_U32(type, field, lo, hi, def, ...)                                                                  \
    WEIR_PARAM_ROW(type, field, WEIR_KIND_U32, .min = (lo), .max = (hi), .fallback = (def), .hint = __VA_ARGS__)
#define WEIR_PARAM_NAMED(name, type, field, k, lo, hi, def, ...)                                                       \
    {                                                                                                                  \
        .key = (name), .kind = (k), .offset = (uint32_t)offsetof(type, field), .min = (lo), .max = (hi),               \
        .fallback = (def), .hint = __VA_ARGS__                                                                         \
    }
#define WEIR_PARAM_CHOICE(name, type, field, list, def, ...)                                                           \
    {                                                                                                                  \
        .key = (name), .kind = WEIR_KIND_CHOICE, .offset = (uint32_t)offsetof(type, field), .choices = (list),         \
        .fallback = (def), .hint = __VA_ARGS__                                                                         \
    }
#define WEIR_PARAM_KEYWORD(name, type, field, k, lo, hi, def, special, ...)                                            \
    {                                                                                                                  \
        .key = (name), .kind = (k), .offset = (uint32_t)offsetof(type, field), .min = (lo), .max = (hi),               \
        .fallback = (def), .keyword = (special), .hint = __VA_ARGS__                                                   \
    }
#define WEIR_PARAM_TEXT(name, type, field, least, def, ...)                                                            \
    {                                                                                                                  \
        .key = (name), .kind = WEIR_KIND_TEXT, .offset = (uint32_t)offsetof(type, field), .min = (least),              \
        .max = sizeof(((type *)NULL)->field) - 1, .text_fallback = (def), .hint = __VA_ARGS__                          \
    }

/* A preset: a named set of values, chosen by `preset: ns2`. Each value is a text "key: value", parsed by the section's
 * rows. The first preset of a table applies if a scenario names none. */
struct weir_preset {
    const char *name;          /* NULL ends the table */
    const char *hint;          /* purpose of the preset, one sentence */
    const char *const *values; /* "key: value" strings in the syntax of a scenario, NULL-terminated */
};
#endif
