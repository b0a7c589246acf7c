/* src/results/output/packet_digest.c - see packet_digest.h. */
#include "output/packet_digest.h"
#include "core/assert.h"
#include "core/rng.h"
#include "measure/causes.h"
#include "text/json.h"
#include "text/version.h"
#include "topology/topology.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_TEXT = 512, FLAGS_TEXT = 64, PARTS = sizeof(struct weir_pkt) / sizeof(uint64_t) };
_Static_assert(sizeof(struct weir_pkt) % sizeof(uint64_t) == 0, "a packet is hashed in parts of 64 bits");

static const char *const kinds[] = {
    [WEIR_PKT_DATA] = "data",       [WEIR_PKT_ACK] = "ack",         [WEIR_PKT_REPLY] = "reply",
    [WEIR_PKT_REQUEST] = "request", [WEIR_PKT_CREDIT] = "credit",   [WEIR_PKT_DONE] = "done",
    [WEIR_PKT_CONTROL] = "control", [WEIR_PKT_ABORT] = "abort",     [WEIR_PKT_NOTICE] = "notice",
    [WEIR_PKT_SYN] = "syn",         [WEIR_PKT_SYN_ACK] = "syn-ack",
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const char *const events[] = {
    [WEIR_PACKET_DROPPED] = "dropped",   [WEIR_PACKET_SENT] = "sent",       [WEIR_PACKET_LOST] = "lost",
    [WEIR_PACKET_RECEIVED] = "received", [WEIR_PACKET_REFUSED] = "refused",
};

int weir_packet_digest_init(struct weir_packet_digest *d, struct weir_err *err)
{
    WEIR_ASSERT(d->topo != NULL);
    d->kept = malloc(WEIR_DIGEST_EVENTS_MAX * sizeof(*d->kept));
    d->tap = malloc(d->topo->link_count);
    if (d->kept == NULL || d->tap == NULL) {
        weir_packet_digest_free(d);
        return weir_fail_memory(err);
    }
    memset(d->tap, WEIR_TAP_SENT | WEIR_TAP_ARRIVED, d->topo->link_count);
    return 0;
}

void weir_packet_digest_options(struct weir_packet_digest *d, struct weir_sim_options *options)
{
    WEIR_ASSERT(d->tap != NULL);
    options->packets = weir_packet_digest_rows;
    options->packets_ctx = d;
    options->tap = d->tap;
}

void weir_packet_digest_free(struct weir_packet_digest *d)
{
    free(d->kept);
    free(d->tap);
    *d = (struct weir_packet_digest){ 0 };
}

void weir_packet_id(const struct weir_packet_row *row, char out[WEIR_PACKET_ID])
{
    const struct weir_pkt *pkt = &row->pkt;
    if (row->is_control)
        (void)snprintf(out, WEIR_PACKET_ID, "frame:%u:%u:%u:0", (unsigned)row->link, (unsigned)pkt->flags,
                       (unsigned)pkt->class_id);
    else
        (void)snprintf(out, WEIR_PACKET_ID, "%s:%u:%u:%" PRIu32 ":%" PRIu32, kinds[pkt->kind < KINDS ? pkt->kind : 0],
                       (unsigned)pkt->src, (unsigned)pkt->dst, pkt->conn, pkt->seq);
}

bool weir_packet_is_id(const char *text)
{
    size_t name = strcspn(text, ":");
    bool known = strncmp(text, "frame:", 6) == 0;
    for (size_t i = 0; i < KINDS; i++)
        known |= strlen(kinds[i]) == name && strncmp(text, kinds[i], name) == 0;
    text += name;
    for (int i = 0; i < 4; i++) {
        size_t digits = text[0] == ':' ? strspn(text + 1, "0123456789") : 0;
        if (digits == 0 || digits > 10)
            return false;
        text += 1 + digits;
    }
    return known && *text == '\0';
}

static uint64_t mix_in(uint64_t hash, uint64_t part)
{
    return weir_mix_u64(hash ^ part) + part;
}

static uint64_t hash_row(uint64_t hash, const struct weir_packet_row *row)
{
    uint64_t part[PARTS];
    memcpy(part, &row->pkt, sizeof(part));
    hash = mix_in(hash, row->at_ps);
    hash = mix_in(hash, (uint64_t)row->link << 32 | row->cause);
    hash = mix_in(hash, row->waited_ps << 8 | row->event | (row->is_control ? 128u : 0u));
    for (int i = 0; i < PARTS; i++)
        hash = mix_in(hash, part[i]);
    return hash;
}

static bool is_kept(const struct weir_packet_digest *d, const struct weir_packet_row *row)
{
    char id[WEIR_PACKET_ID];
    if (d->packet == NULL)
        return row->at_ps == d->until_ps;
    weir_packet_id(row, id);
    return strcmp(id, d->packet) == 0;
}

int weir_packet_digest_rows(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct weir_packet_digest *d = ctx;
    for (size_t i = 0; i < count; i++) {
        WEIR_ASSERT(row[i].at_ps >= d->last_ps);
        d->is_over |= row[i].at_ps > d->until_ps;
        if (d->is_over)
            return WEIR_E_ENOUGH;
        d->hash = hash_row(d->hash, &row[i]);
        d->events++;
        d->last_ps = row[i].at_ps;
        if (!is_kept(d, &row[i]))
            continue;
        if (d->kept_count < WEIR_DIGEST_EVENTS_MAX)
            d->kept[d->kept_count++] = row[i];
        else
            d->left_out++;
    }
    return 0;
}

/* Writes the names of the flags that are set, each with a blank before it. */
static void flags_text(uint32_t flags, char out[FLAGS_TEXT])
{
    static const struct {
        uint32_t bit;
        const char *name;
    } rows[] = { { WEIR_PKT_ECT, "ECT" },         { WEIR_PKT_CE, "CE" },     { WEIR_PKT_ECE, "ECE" },
                 { WEIR_PKT_END, "END" },         { WEIR_PKT_RETX, "RETX" }, { WEIR_PKT_OWN, "OWN" },
                 { WEIR_PKT_UNSCHED, "UNSCHED" }, { WEIR_PKT_CWR, "CWR" } };
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if ((flags & rows[i].bit) != 0)
            at += (size_t)snprintf(out + at, FLAGS_TEXT - at, " %s", rows[i].name);
}

static void where_text(const struct weir_packet_digest *d, const struct weir_packet_row *row, char out[EVENT_TEXT])
{
    char link[WEIR_LINK_NAME];
    weir_topology_link_name(d->topo, row->link, link, sizeof(link));
    (void)snprintf(out, EVENT_TEXT, "%s on %s", events[row->event], link);
}

static void state_text(const struct weir_packet_digest *d, const struct weir_packet_row *row, char out[EVENT_TEXT])
{
    const struct weir_pkt *pkt = &row->pkt;
    char flags[FLAGS_TEXT];
    int at;
    flags_text(pkt->flags, flags);
    at = snprintf(out, EVENT_TEXT,
                  "msg %" PRIu32 " ack %" PRIu32 " hash %08" PRIx32 " value %" PRIu64
                  " class %u hops %u tokens %u wire %u B payload %u B waited %" PRIu64 " ps flags%s",
                  pkt->msg, pkt->ack, pkt->hash, pkt->value, (unsigned)pkt->class_id, (unsigned)pkt->hops,
                  (unsigned)pkt->tokens, (unsigned)pkt->wire_bytes, (unsigned)pkt->payload_bytes, row->waited_ps,
                  flags[0] != '\0' ? flags : " none");
    if (row->cause != WEIR_CAUSE_NONE && at > 0 && at < EVENT_TEXT) {
        struct weir_cause cause = weir_cause_of(d->features, row->cause);
        (void)snprintf(out + at, EVENT_TEXT - (size_t)at, " cause %s.%s", cause.feature, cause.rule->name);
    }
}

void weir_packet_digest_print(FILE *out, const struct weir_packet_digest *d)
{
    (void)fprintf(out, "packet digest  %016" PRIx64 "\nevents         %" PRIu64 "\nlast event     %" PRIu64 " ps\n",
                  d->hash, d->events, d->last_ps);
    for (uint32_t i = 0; i < d->kept_count; i++) {
        char id[WEIR_PACKET_ID], where[EVENT_TEXT], state[EVENT_TEXT];
        weir_packet_id(&d->kept[i], id);
        where_text(d, &d->kept[i], where);
        state_text(d, &d->kept[i], state);
        (void)fprintf(out, "%s  %" PRIu64 " ps  %s  %s\n", id, d->kept[i].at_ps, where, state);
    }
    if (d->left_out > 0)
        (void)fprintf(out, "and %" PRIu32 " more\n", d->left_out);
}

void weir_packet_digest_json(FILE *out, const struct weir_packet_digest *d)
{
    struct weir_json json = { .out = out };
    char text[EVENT_TEXT], hash[17];
    (void)snprintf(hash, sizeof(hash), "%016" PRIx64, d->hash);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_decimal(&json, "until_s", d->until_ps, 12);
    weir_json_string(&json, "packet_digest", hash);
    weir_json_u64(&json, "events", d->events);
    weir_json_decimal(&json, "last_s", d->last_ps, 12);
    weir_json_open_list(&json, "event");
    for (uint32_t i = 0; i < d->kept_count; i++) {
        weir_json_open(&json, NULL);
        weir_packet_id(&d->kept[i], text);
        weir_json_string(&json, "packet", text);
        weir_json_decimal(&json, "at_s", d->kept[i].at_ps, 12);
        where_text(d, &d->kept[i], text);
        weir_json_string(&json, "place", text);
        state_text(d, &d->kept[i], text);
        weir_json_string(&json, "state", text);
        weir_json_close(&json);
    }
    weir_json_close_list(&json);
    weir_json_u64(&json, "left_out", d->left_out);
    weir_json_close(&json);
}
