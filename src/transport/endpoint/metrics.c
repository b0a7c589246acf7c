/* src/transport/endpoint/metrics.c - weir_metrics_text(): the counters of weir_stats() as OpenMetrics text.
 * Source: OpenMetrics 1.0.0, "Text Format". */
#include "endpoint/endpoint.h"
#include "endpoint/keys.h"
#include "endpoint/version.h"
#include <errno.h>
#include <string.h>

struct family { /* a metric of one sample */
    const char *name, *help;
    uint32_t offset; /* of its uint64_t in struct weir_stats */
    bool gauge;      /* a value at the time of the call; else a counter */
};

#define ROW(name, field, gauge, help)                                                                                  \
    {                                                                                                                  \
        name, help, (uint32_t)offsetof(struct weir_stats, field), gauge                                                \
    }
#define GAUGE(field, help) ROW(#field, field, true, help)
#define COUNTER(field, help) ROW(#field, field, false, help)

/* Has the order of the struct. A name that ends in _bytes says the unit, which the format wants at the end. */
static const struct family families[] = {
    GAUGE(ops_pending, "Operations accepted whose event has not been made."),
    GAUGE(events_pending, "Events that weir_poll() has not returned yet."),
    ROW("rx_held_bytes", rx_bytes_held, true, "Memory of messages that arrive or are lent."),
    ROW("tx_held_bytes", tx_bytes_held, true, "Memory of copies of payload and of lists of segments."),
    COUNTER(messages_sent, "Messages that have arrived at their peers."),
    COUNTER(messages_received, "Messages of which all has arrived."),
    ROW("sent_bytes", bytes_sent, false, "Payload of messages_sent."),
    ROW("received_bytes", bytes_received, false, "Payload of messages_received."),
    COUNTER(packets_sent, "Packets sent."),
    COUNTER(packets_received, "Packets received, also those that are refused."),
    COUNTER(retransmissions, "Packets sent again."),
    COUNTER(duplicates, "Packets received that had come before."),
    COUNTER(marked, "Packets received with an ECN mark."),
    COUNTER(refused_packets, "Packets dropped because they are malformed, of no peer, or not acceptable."),
    COUNTER(checksum_errors, "Packets dropped for a wrong checksum."),
    COUNTER(no_memory, "Packets dropped because there was no memory for their message."),
    COUNTER(send_blocked, "Sends for which the kernel or the device had no room."),
    COUNTER(handshakes, "Connections made."),
    COUNTER(resets, "Connections that ended."),
    COUNTER(timeouts, "Times that missing packets of a silent message were counted as lost."),
    GAUGE(credit_held_bytes, "Credit received from peers and not used yet."),
    GAUGE(credit_outstanding_bytes, "Credit given to peers for data that has not arrived yet."),
    COUNTER(allocations, "Memory allocations."),
    COUNTER(syscalls, "System calls."),
    GAUGE(messages_arriving, "Messages of which a part has arrived."),
    COUNTER(unchecked_packets, "Refused packets without the checksum that the endpoint demands."),
    COUNTER(stranger_packets, "Packets received through the queue for strangers."),
    COUNTER(unanswered_packets, "Packets that got no answer because answers are rationed."),
    COUNTER(send_syscalls, "System calls that send packets."),
    COUNTER(peers_refused, "Attempts to connect that failed because as many peers as may be are in use."),
    COUNTER(other_version_packets, "Refused packets of another version of the packet format."),
    COUNTER(spurious_retransmissions, "Duplicates that this endpoint had asked for itself."),
    COUNTER(raised_delays, "Acknowledgements with a queueing delay that a switch raised."),
    COUNTER(forged_packets, "Refused packets with a wrong tag, or handshakes without our key."),
    COUNTER(repeated_packets, "Refused packets that had come before."),
    COUNTER(late_packets, "Refused packets that are too old to know whether they came before."),
};
_Static_assert(sizeof(families) / sizeof(families[0]) ==
                   (sizeof(struct weir_stats) - offsetof(struct weir_stats, ops_pending)) / sizeof(uint64_t),
               "each counter of struct weir_stats has a row");

struct text { /* as much of a text as there is room for */
    char *out;
    size_t size, at; /* at: length of the whole text */
};

/* Adds to a text, which stays terminated. Copying takes a third of the instructions of printing. */
static void add(struct text *t, const char *more)
{
    size_t length = strlen(more);
    if (t->at < t->size) {
        size_t room = t->size - 1 - t->at, copied = length < room ? length : room;
        memcpy(t->out + t->at, more, copied);
        t->out[t->at + copied] = '\0';
    }
    t->at += length;
}

static void add_number(struct text *t, uint64_t value)
{
    char digits[24];
    char *first = digits + sizeof(digits) - 1;
    *first = '\0';
    do
        *--first = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    WEIR_ASSERT(first > digits); /* 2^64 has 20 digits */
    add(t, first);
}

static void add_all(struct text *t, const char *const *parts)
{
    for (; *parts != NULL; parts++)
        add(t, *parts);
}

/* Adds texts, one after the other. */
#define ADD(t, ...) add_all(t, (const char *const[]){ __VA_ARGS__, NULL })

/* Adds what precedes the sample of a family. */
static void describe(struct text *t, const char *name, const char *type, const char *help)
{
    size_t length = strlen(name);
    bool bytes = length > 6 && strcmp(name + length - 6, "_bytes") == 0;
    ADD(t, "# TYPE weir_", name, " ", type, "\n");
    if (bytes)
        ADD(t, "# UNIT weir_", name, " bytes\n");
    ADD(t, "# HELP weir_", name, " ", help, "\n");
}

static void add_value(struct text *t, const char *name, const char *suffix, uint64_t value)
{
    ADD(t, "weir_", name, suffix, " ");
    add_number(t, value);
    add(t, "\n");
}

/* Adds a value of a label, within quotes, as the format has it. */
static void add_quoted(struct text *t, const char *value)
{
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '\n')
            add(t, "\\n");
        else
            ADD(t, *c == '"' || *c == '\\' ? "\\" : "", ((char[]){ *c, '\0' }));
    }
}

/* Adds what the endpoint is: a sample of value 1 whose labels do not change, but for the release. */
static void add_info(struct text *t, const struct weir_ep *ep)
{
    char address[64];
    weir_net_addr_print(&ep->net->local, address, sizeof(address));
    describe(t, "endpoint", "info",
             "The endpoint: its address, its protocol with the keys that were set, its release, and as which shard of "
             "a steered port.");
    ADD(t, "weir_endpoint_info{address=\"", address, "\",protocol=\"");
    add_quoted(t, ep->law);
    ADD(t, "\",protection=\"", ep_protection_name(ep->protection), "\",version=\"", WEIR_EP_VERSION, "\"");
    if (ep->net->steered) {
        add(t, ",shard=\"");
        add_number(t, ep->net->shard);
        add(t, "\"");
    }
    add(t, "} 1\n");
}

int weir_metrics_text(const struct weir_ep *ep, char *out, size_t size)
{
    struct text t = { .size = size };
    struct weir_stats stats = { .size = sizeof(stats) };
    int code = weir_stats(ep, &stats);
    if (out == NULL && size > 0)
        return -EINVAL;
    t.out = out;
    WEIR_ASSERT(code == 0);
    add_info(&t, ep);
    describe(&t, "peers", "gauge", "Peers that are connected.");
    add_value(&t, "peers", "", stats.peers);
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        const struct family *f = &families[i];
        uint64_t value;
        memcpy(&value, (const unsigned char *)&stats + f->offset, sizeof(value));
        describe(&t, f->name, f->gauge ? "gauge" : "counter", f->help);
        add_value(&t, f->name, f->gauge ? "" : "_total", value);
    }
    add(&t, "# EOF\n");
    return (int)t.at;
}
