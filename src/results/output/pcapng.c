/* src/results/output/pcapng.c - see pcapng.h. Blocks and options are those of the IETF draft "PCAP Now Generic". They
 * are in this machine's byte order, which the section header shows to the reader. */
#include "output/pcapng.h"
#include "output/frame.h"
#include "text/format.h"
#include "text/pcapng_format.h"
#include "text/version.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_MAX = 512, /* most bytes of a block: the longest name or comment fits */
    COMMENT_MAX = 200,
    SENT = 0, /* the two interfaces of a link, by its ends */
    RECEIVED = 1,
    ENDS = 2,
};

struct block { /* a block under construction */
    unsigned char bytes[BLOCK_MAX];
    uint32_t length;
};

static void put(struct block *b, const void *from, uint32_t bytes)
{
    uint32_t padded = (bytes + 3) & ~3u;
    WEIR_ASSERT(b->length + padded <= BLOCK_MAX);
    memset(b->bytes + b->length, 0, padded);
    memcpy(b->bytes + b->length, from, bytes);
    b->length += padded;
}

static void put16(struct block *b, uint32_t first, uint32_t second)
{
    put(b, (uint16_t[2]){ (uint16_t)first, (uint16_t)second }, 4);
}

static void put32(struct block *b, uint32_t value)
{
    put(b, &value, 4);
}

static void block_begin(struct block *b, uint32_t type)
{
    b->length = 0;
    put32(b, type);
    put32(b, 0); /* the length, in block_end() */
}

static void put_option(struct block *b, uint32_t code, const void *value, uint32_t bytes)
{
    put16(b, code, bytes);
    put(b, value, bytes);
}

static void block_end(struct block *b)
{
    uint32_t length = b->length + 8;
    put16(b, WEIR_PCAPNG_OPT_END, 0);
    memcpy(b->bytes + 4, &length, 4);
    put32(b, length);
}

static void make_section(struct block *b)
{
    static const char program[] = "weir " WEIR_VERSION;
    const int64_t unknown = -1;
    block_begin(b, WEIR_PCAPNG_SECTION);
    put32(b, WEIR_PCAPNG_MAGIC);
    put16(b, 1, 0);
    put(b, &unknown, sizeof(unknown));
    put_option(b, WEIR_PCAPNG_OPT_PROGRAM, program, sizeof(program) - 1);
    block_end(b);
}

static void make_interface(struct block *b, const struct weir_topology *topo, uint32_t link, int end)
{
    static const char suffix[] = ", received";
    char name[WEIR_LINK_NAME + sizeof(suffix)];
    const unsigned char resolution = WEIR_PCAPNG_PICOSECONDS;
    weir_topology_link_name(topo, link, name, WEIR_LINK_NAME);
    if (end == RECEIVED)
        memcpy(name + strlen(name), suffix, sizeof(suffix));
    block_begin(b, WEIR_PCAPNG_INTERFACE);
    put16(b, WEIR_PCAPNG_ETHERNET, 0);
    put32(b, WEIR_FRAME_MAX);
    put_option(b, WEIR_PCAPNG_OPT_NAME, name, (uint32_t)strlen(name));
    put_option(b, WEIR_PCAPNG_OPT_SPEED, &topo->link[link].rate_bps, 8);
    put_option(b, WEIR_PCAPNG_OPT_RESOLUTION, &resolution, 1);
    block_end(b);
}

static void add_text(char *text, const char *more)
{
    size_t used = strlen(text);
    (void)snprintf(text + used, COMMENT_MAX - used, "%s", more);
}

/* Appends the cause of a drop or loss, such as ", dropped: shared-buffer.alpha". */
static void add_cause(char *text, const struct weir_packet_row *row, const struct weir_features *features)
{
    const struct weir_cause cause = weir_cause_of(features, row->cause);
    add_text(text, row->event == WEIR_PACKET_LOST ? ", lost on the wire: " : ", dropped: ");
    add_text(text, cause.feature);
    add_text(text, ".");
    add_text(text, cause.rule->name);
}

/* Makes the comment of a packet: its wire bytes, its time in the queue if it waited, and the cause if it was dropped or
 * lost. */
static void make_comment(char text[COMMENT_MAX], const struct weir_packet_row *row,
                         const struct weir_features *features)
{
    (void)snprintf(text, COMMENT_MAX, "%u B on the wire", (unsigned)row->pkt.wire_bytes);
    if (row->waited_ps > 0) {
        add_text(text, ", queued ");
        add_text(text, weir_format_ps(row->waited_ps).text);
    }
    if (row->cause != WEIR_CAUSE_NONE)
        add_cause(text, row, features);
}

static void make_packet(struct block *b, struct weir_pcapng *p, const struct weir_packet_row *row)
{
    struct weir_frame frame;
    char comment[COMMENT_MAX];
    int end = row->event == WEIR_PACKET_RECEIVED || row->event == WEIR_PACKET_REFUSED ? RECEIVED : SENT;
    uint32_t direction = end == RECEIVED ? WEIR_PCAPNG_INBOUND : WEIR_PCAPNG_OUTBOUND;
    weir_frame_make(row, (p->stream_laws >> weir_pkt_law(&row->pkt) & 1) != 0, ++p->frames, &frame);
    make_comment(comment, row, p->features);
    block_begin(b, WEIR_PCAPNG_PACKET);
    put32(b, p->interface[ENDS * row->link + (uint32_t)end]);
    put32(b, (uint32_t)(row->at_ps >> 32));
    put32(b, (uint32_t)row->at_ps);
    put32(b, frame.stored_bytes);
    put32(b, frame.length_bytes);
    put(b, frame.bytes, frame.stored_bytes);
    put_option(b, WEIR_PCAPNG_OPT_COMMENT, comment, (uint32_t)strlen(comment));
    put_option(b, WEIR_PCAPNG_OPT_FLAGS, &direction, 4);
    block_end(b);
}

static int pcapng_write(struct weir_pcapng *p, const struct block *b)
{
    p->bytes += b->length;
    return fwrite(b->bytes, 1, b->length, p->file) == b->length ? 0 : WEIR_E_FILE;
}

/* Sets *i to the first tapped end of a link at or after *i, in the order of the file: ENDS * link + end. Returns false
 * if there is none. */
static bool next_interface(const struct weir_pcapng *p, uint32_t *i)
{
    for (; *i < ENDS * p->topo->link_count; ++*i)
        if ((p->tap[*i / ENDS] & (*i % ENDS == SENT ? WEIR_TAP_SENT : WEIR_TAP_ARRIVED)) != 0)
            return true;
    return false;
}

/* Numbers the interfaces. Returns the length of the file without packets, in bytes. */
static uint64_t number_interfaces(struct weir_pcapng *p)
{
    struct block b;
    uint32_t number = 0;
    uint64_t bytes;
    make_section(&b);
    bytes = b.length;
    for (uint32_t i = 0; next_interface(p, &i); i++) {
        p->interface[i] = number++;
        make_interface(&b, p->topo, i / ENDS, (int)(i % ENDS));
        bytes += b.length;
    }
    return bytes;
}

int weir_pcapng_init(struct weir_pcapng *p, const struct weir_topology *topo, const struct weir_features *features,
                     const uint8_t *tap, uint64_t cap_bytes, struct weir_err *err)
{
    uint64_t least;
    *p = (struct weir_pcapng){
        .topo = topo, .features = features, .tap = tap, .cap_bytes = cap_bytes, .ended_ps = WEIR_NEVER
    };
    p->interface = calloc(ENDS * (size_t)topo->link_count, sizeof(*p->interface));
    if (p->interface == NULL)
        return weir_fail_memory(err);
    least = number_interfaces(p) + BLOCK_MAX;
    if (least <= cap_bytes)
        return 0;
    weir_pcapng_free(p);
    return weir_fail(err, WEIR_E_RANGE, NULL, "a larger cap, or fewer places (--pcap-at)",
                     "--cap %s: the capture takes %s with its first packet", weir_format_bytes(cap_bytes).text,
                     weir_format_bytes(least).text);
}

int weir_pcapng_begin(struct weir_pcapng *p)
{
    struct block b;
    int code;
    make_section(&b);
    code = pcapng_write(p, &b);
    for (uint32_t i = 0; code == 0 && next_interface(p, &i); i++) {
        make_interface(&b, p->topo, i / ENDS, (int)(i % ENDS));
        code = pcapng_write(p, &b);
    }
    return code;
}

/* Tests whether the next row is of the same packet. A packet that a switch drops for lack of a route has a row RECEIVED
 * and then a row REFUSED; only the second one is written. left: number of rows from `row` on */
static bool is_refused_next(const struct weir_packet_row *row, size_t left)
{
    return row->event == WEIR_PACKET_RECEIVED && left > 1 && row[1].event == WEIR_PACKET_REFUSED &&
           row[1].link == row->link && row[1].at_ps == row->at_ps;
}

int weir_pcapng_rows(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct weir_pcapng *p = ctx;
    struct block b;
    for (size_t i = 0; i < count; i++) {
        int code;
        if (is_refused_next(&row[i], count - i))
            continue;
        if (p->ended_ps == WEIR_NEVER) {
            make_packet(&b, p, &row[i]);
            if (p->bytes + b.length > p->cap_bytes)
                p->ended_ps = row[i].at_ps;
        }
        if (p->ended_ps != WEIR_NEVER) {
            p->left_out += count - i;
            return 0;
        }
        code = pcapng_write(p, &b);
        if (code != 0)
            return code;
    }
    return 0;
}

void weir_pcapng_free(struct weir_pcapng *p)
{
    free(p->interface);
    p->interface = NULL;
}
