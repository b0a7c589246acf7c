/* test/unit/host/test_credit_contract.c - what core/credit.h promises and neither SIRD nor NDP asks for: clocks of the sender half, control
 * packets about messages, grants of many packets, announcements, and a protocol's say in what is lost. */
#include "proto/ndp/ndp.h"
#include "test/unit/host/swarm_log.h"

enum { QUEUE = 8 };

static struct toy_config {
    uint32_t unsched_pkts, grant_pkts;
    bool tx_lost, rx_lost; /* the answers to silence */
    uint64_t loss_ps;
} cfg;

struct toy_host { /* sends what was granted, and grants what it is told to */
    struct weir_credit_host head;
    struct weir_own_pkt queue[QUEUE]; /* to leave */
    struct weir_own_pkt heard[QUEUE];
    struct weir_credit credit[QUEUE];
    struct weir_grant granted[QUEUE];
    void *peer, *tx, *rx; /* of the latest messages */
    uint32_t may_pkts, heard_count, credit_count, granted_count, tx_silences, rx_silences, ticks, idle_grants, done,
        again;
    uint64_t tick_ps, grant_ps; /* clocks; WEIR_NEVER = none */
    bool idle;                  /* the next instant of the receiver half grants nothing .. */
    bool declares_lost;         /* .. and what is due counts as lost */
    uint64_t tick_at_done_ps;   /* rx_done() of a reply sets the clock of the sender half to this */
};

static struct swarm *s;
static struct weir_pkt out[64];

static struct toy_host *toy(uint32_t host)
{
    return (void *)host_credit_of(s->host[host])->state;
}

static void toy_init(const void *config, void *host, const struct weir_limits *limits)
{
    struct toy_host *h = host;
    (void)config, (void)limits;
    h->tick_ps = h->grant_ps = WEIR_NEVER;
}

static void toy_queue(struct toy_host *h, struct weir_own_pkt pkt)
{
    h->queue[h->head.controls++] = pkt;
}

static void toy_control(const void *config, void *host, const struct weir_own_pkt *pkt)
{
    struct toy_host *h = host;
    (void)config;
    h->heard[h->heard_count++] = *pkt;
}

static void toy_control_next(const void *config, void *host, struct weir_own_pkt *pkt)
{
    struct toy_host *h = host;
    (void)config;
    *pkt = h->queue[0];
    memmove(h->queue, h->queue + 1, --h->head.controls * sizeof(h->queue[0]));
}

static void toy_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps)
{
    const struct toy_config *c = config;
    struct toy_host *h = host;
    struct weir_tx_msg *m = tx;
    (void)now_ps;
    h->peer = peer;
    h->tx = tx;
    m->unsched_pkts = m->pkts < c->unsched_pkts ? m->pkts : c->unsched_pkts;
    h->may_pkts += m->unsched_pkts;
}

static void toy_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit)
{
    struct toy_host *h = host;
    (void)config, (void)peer, (void)tx;
    h->credit[h->credit_count++ % QUEUE] = *credit;
    h->may_pkts += credit->pkts;
}

static bool toy_tx_ready(const void *host)
{
    const struct toy_host *h = host;
    return h->may_pkts > 0 && h->tx != NULL && ((const struct weir_tx_msg *)h->tx)->next_wire_bytes > 0;
}

static bool toy_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *send)
{
    struct toy_host *h = host;
    (void)config, (void)now_ps;
    if (!toy_tx_ready(h))
        return false;
    h->may_pkts--;
    *send = (struct weir_send){ .peer = h->peer, .tx = h->tx, .sequence = 77, .class_id = 1, .own = true };
    return true;
}

static void toy_message_event(const void *config, void *host, void *peer, void *msg)
{
    (void)config, (void)host, (void)peer, (void)msg;
}

static void toy_tx_done(const void *config, void *host, void *peer, void *tx)
{
    (void)config, (void)peer;
    if (((struct toy_host *)host)->tx == tx)
        ((struct toy_host *)host)->tx = NULL;
}

static uint64_t toy_tx_next_ps(const void *config, const void *host)
{
    (void)config;
    return ((const struct toy_host *)host)->tick_ps;
}

/* Each tick allows a packet, and reports itself. */
static void toy_tx_time(const void *config, void *host, uint64_t now_ps)
{
    struct toy_host *h = host;
    (void)config;
    assert_true(now_ps >= h->tick_ps);
    h->tick_ps = WEIR_NEVER;
    h->ticks++;
    h->may_pkts++;
    toy_queue(h, (struct weir_own_pkt){ .peer = h->peer, .tx = h->tx, .kind = 3, .class_id = 2, .value = now_ps });
}

static bool toy_tx_silent(const void *config, void *host, void *peer, void *tx, uint64_t now_ps)
{
    (void)peer, (void)tx, (void)now_ps;
    ((struct toy_host *)host)->tx_silences++;
    return ((const struct toy_config *)config)->tx_lost;
}

static void toy_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    struct toy_host *h = host;
    (void)config, (void)now_ps;
    h->peer = peer;
    h->rx = rx;
}

static bool toy_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data)
{
    (void)config, (void)host, (void)peer, (void)rx;
    assert_true(!(data->flags & WEIR_DATA_PAYLOAD) || (data->sequence == 77 && data->flags & WEIR_DATA_OWN));
    return true;
}

static uint64_t toy_rx_next_ps(const void *config, const void *host, uint64_t now_ps)
{
    const struct toy_host *h = host;
    (void)config;
    return h->grant_ps == WEIR_NEVER ? WEIR_NEVER : weir_max_u64(h->grant_ps, now_ps);
}

static bool toy_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *grant)
{
    struct toy_host *h = host;
    (void)now_ps;
    h->grant_ps = WEIR_NEVER;
    if (h->idle) {
        h->idle_grants++;
        toy_queue(h,
                  (struct weir_own_pkt){ .peer = h->peer, .rx = h->rx, .kind = 15, .wire_bytes = 90, .sequence = 5 });
        if (h->declares_lost)
            *grant = (struct weir_grant){ .peer = h->peer, .rx = h->rx };
        return false;
    }
    *grant = (struct weir_grant){ .peer = h->peer,
                                  .rx = h->rx,
                                  .pkts = ((const struct toy_config *)config)->grant_pkts,
                                  .sequence = 1000 + h->granted_count,
                                  .class_id = 6 };
    return true;
}

static void toy_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps)
{
    struct toy_host *h = host;
    (void)config, (void)now_ps;
    h->granted[h->granted_count++ % QUEUE] = *grant;
}

static bool toy_rx_silent(const void *config, void *host, void *peer, void *rx, uint64_t now_ps)
{
    (void)peer, (void)rx, (void)now_ps;
    ((struct toy_host *)host)->rx_silences++;
    return ((const struct toy_config *)config)->rx_lost;
}

static void toy_rx_again(const void *config, void *host, void *peer, void *rx)
{
    (void)config, (void)peer, (void)rx;
    ((struct toy_host *)host)->again++;
}

static void toy_rx_done(const void *config, void *host, void *peer, void *rx)
{
    struct toy_host *h = host;
    (void)config, (void)peer;
    h->done++;
    if (h->tick_at_done_ps != 0)
        h->tick_ps = h->tick_at_done_ps;
    if (h->rx == rx)
        h->rx = NULL;
}

static uint8_t toy_class(const void *config)
{
    (void)config;
    return 1;
}

static uint64_t toy_loss_ps(const void *config)
{
    return ((const struct toy_config *)config)->loss_ps;
}

static struct weir_credit_ops ops;

static int setup(void **state)
{
    (void)state;
    s = swarm_reset(2);
    cfg = (struct toy_config){ .unsched_pkts = 1, .grant_pkts = 3 };
    ops = (struct weir_credit_ops){
        .name = "toy",
        .host_bytes = sizeof(struct toy_host),
        .tx_bytes = sizeof(struct weir_tx_msg),
        .rx_bytes = sizeof(struct weir_rx_msg),
        .init = toy_init,
        .control = toy_control,
        .control_next = toy_control_next,
        .tx_message = toy_tx_message,
        .tx_again = toy_message_event,
        .tx_credit = toy_tx_credit,
        .tx_next = toy_tx_next,
        .tx_sent = toy_message_event,
        .tx_ready = toy_tx_ready,
        .tx_next_ps = toy_tx_next_ps,
        .tx_time = toy_tx_time,
        .tx_silent = toy_tx_silent,
        .tx_done = toy_tx_done,
        .rx_message = toy_rx_message,
        .rx_packet = toy_rx_packet,
        .rx_again = toy_rx_again,
        .rx_next_ps = toy_rx_next_ps,
        .rx_next = toy_rx_next,
        .rx_granted = toy_rx_granted,
        .rx_silent = toy_rx_silent,
        .rx_done = toy_rx_done,
        .control_class = toy_class,
        .data_class = toy_class,
        .loss_ps = toy_loss_ps,
    };
    s->cfg.credit = &ops;
    s->cfg.cc_config = &cfg;
    return 0;
}

/* All that leaves a host now arrives at the other. @return how many packets those were; they are in out */
static uint32_t cross(uint32_t from, uint64_t now_ps)
{
    uint32_t n = weir_host_tx(s->host[from], now_ps, out, 64);
    for (uint32_t i = 0; i < n; i++)
        log_rx(s, now_ps, out[i]);
    return n;
}

/* Host 1 grants at an instant, by a message that wakes it. */
static void grant_at(uint64_t at_ps)
{
    toy(1)->grant_ps = at_ps;
    weir_host_rx(s->host[1], at_ps, NULL, 0);
    host_credit_grants(s->host[1], at_ps);
}

static void a_grant_is_for_many_packets_and_has_a_class(void **state)
{
    (void)state;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 7 * LOG_MSS + 100), 0);
    assert_int_equal(cross(0, 0), 1);
    grant_at(100);
    assert_int_equal(cross(1, 100), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_CREDIT);
    assert_int_equal(out[0].class_id, 1); /* control_class() */
    const struct weir_grant *g = &toy(1)->granted[0];
    assert_int_equal(g->first_pkt, 1);
    assert_int_equal(g->pkts, 3);
    assert_int_equal(g->wire_bytes, 3 * LOG_FULL);
    assert_false(g->again);
    const struct weir_credit *c = &toy(0)->credit[0];
    assert_int_equal(c->first_pkt, 1);
    assert_int_equal(c->pkts, 3);
    assert_int_equal(c->sequence, 1000);
    assert_int_equal(c->class_id, 6);
    assert_true(c->now_ps == 100);
    assert_int_equal(cross(0, 200), 3);
    cfg.grant_pkts = 100; /* no more than there are */
    grant_at(300);
    assert_int_equal(cross(1, 300), 1);
    assert_int_equal(toy(1)->granted[1].first_pkt, 4);
    assert_int_equal(toy(1)->granted[1].pkts, 4);
    assert_int_equal(toy(1)->granted[1].wire_bytes, 3 * LOG_FULL + 180);
    assert_int_equal(cross(0, 400), 4);
    assert_int_equal(s->delivered, 1);
    assert_int_equal(toy(1)->done, 1);
    assert_int_equal(cross(1, 400), 1);
    assert_int_equal(s->finished, 1);
}

/* Packets 1 and 2 of a grant are lost, and 5: two grants name them, a run each. */
static void lost_packets_are_granted_in_runs(void **state)
{
    (void)state;
    cfg.loss_ps = WEIR_PS_PER_MS;
    cfg.rx_lost = true;
    cfg.grant_pkts = 100;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 7 * LOG_MSS), 0);
    assert_int_equal(cross(0, 0), 1);
    grant_at(100);
    assert_int_equal(cross(1, 100), 1);
    assert_int_equal(weir_host_tx(s->host[0], 200, out, 64), 6);
    log_rx(s, 200, out[2]);
    log_rx(s, 200, out[3]);
    log_rx(s, 200, out[5]);
    assert_int_equal(weir_host_tx(s->host[1], WEIR_PS_PER_MS, out, 64), 0); /* not silent for long enough */
    assert_int_equal(weir_host_tx(s->host[1], 2 * WEIR_PS_PER_MS, out, 64), 0);
    assert_int_equal(toy(1)->rx_silences, 1);
    grant_at(2 * WEIR_PS_PER_MS);
    grant_at(2 * WEIR_PS_PER_MS);
    assert_int_equal(toy(1)->granted[1].first_pkt, 1);
    assert_int_equal(toy(1)->granted[1].pkts, 2);
    assert_int_equal(toy(1)->granted[1].wire_bytes, 2 * LOG_FULL);
    assert_true(toy(1)->granted[1].again);
    assert_int_equal(toy(1)->granted[2].first_pkt, 5);
    assert_int_equal(toy(1)->granted[2].pkts, 1);
    assert_int_equal(cross(1, 2 * WEIR_PS_PER_MS), 2);
    assert_int_equal(cross(0, 2 * WEIR_PS_PER_MS), 3);
    assert_int_equal(out[0].seq, 1);
    assert_int_equal(out[1].seq, 2);
    assert_int_equal(out[2].seq, 5);
    assert_int_equal(s->delivered, 1);
}

/* The protocol thinks that they may still come. */
static void silence_is_reported_and_not_healed(void **state)
{
    (void)state;
    cfg.loss_ps = WEIR_PS_PER_MS;
    ops.request = WEIR_REQUEST_ALWAYS;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 3 * LOG_MSS), 0);
    assert_int_equal(weir_host_tx(s->host[0], 0, out, 64), 2); /* announced though a packet goes unscheduled */
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_int_equal(out[1].kind, WEIR_PKT_DATA);
    log_rx(s, 0, out[0]);
    for (uint64_t ms = 1; ms <= 3; ms++) {
        assert_int_equal(weir_host_tx(s->host[0], ms * WEIR_PS_PER_MS, out, 64), 0);
        assert_int_equal(weir_host_tx(s->host[1], ms * WEIR_PS_PER_MS, out, 64), 0);
    }
    assert_int_equal(toy(0)->tx_silences, 1); /* at 2 ms; then at 6 */
    assert_int_equal(toy(1)->rx_silences, 3);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 0);
    cfg.tx_lost = cfg.rx_lost = true;
    assert_int_equal(weir_host_tx(s->host[0], 6 * WEIR_PS_PER_MS, out, 64), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_int_equal(weir_host_tx(s->host[1], 6 * WEIR_PS_PER_MS, out, 64), 0);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 1);
}

static void an_announcement_may_wait_for_the_protocol(void **state)
{
    (void)state;
    cfg.unsched_pkts = 0;
    ops.request = WEIR_REQUEST_LATER;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 1000), 0);
    assert_false(weir_host_ready(s->host[0]));
    toy_queue(toy(0), (struct weir_own_pkt){ .peer = toy(0)->peer, .tx = toy(0)->tx, .kind = WEIR_CONTROL_REQUEST });
    host_credit_controls(s->host[0]);
    assert_int_equal(weir_host_tx(s->host[0], 0, out, 64), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_true(out[0].msg_bytes == 1000);
}

/* At its instant, and not before: a packet and a control packet, which finds its message at the other end. */
static void the_sender_half_has_a_clock(void **state)
{
    (void)state;
    cfg.unsched_pkts = 0;
    swarm_start(s);
    toy(0)->tick_ps = 5000;
    assert_int_equal(log_send(s, 0, 0, 1, 2 * LOG_MSS), 0);
    assert_int_equal(cross(0, 0), 1);
    assert_true(weir_host_next_ps(s->host[0]) == 5000);
    assert_int_equal(cross(0, 4999), 0);
    assert_int_equal(cross(0, 5000), 2);
    assert_int_equal(out[0].kind, WEIR_PKT_CONTROL);
    assert_int_equal(out[0].class_id, 2);
    assert_int_equal(out[0].wire_bytes, LOG_CONTROL);
    assert_int_equal(out[1].kind, WEIR_PKT_DATA);
    assert_int_equal(toy(0)->ticks, 1);
    assert_true(weir_host_next_ps(s->host[0]) == WEIR_NEVER);
    const struct weir_own_pkt *heard = &toy(1)->heard[0];
    assert_int_equal(toy(1)->heard_count, 1);
    assert_int_equal(heard->kind, 3);
    assert_int_equal(heard->class_id, 2);
    assert_true(heard->value == 5000 && heard->now_ps == 5000);
    assert_ptr_equal(heard->rx, toy(1)->rx);
    assert_null(heard->tx);
}

/* The second packet leaves on the sender's own account. Whether the message is over then the row decides. */
static void a_message_ends_when_it_is_here_or_granted_as_well(void **state)
{
    (void)state;
    for (uint32_t grants_all = 0; grants_all < 2; grants_all++) {
        (void)setup(state);
        ops.grants_all = grants_all;
        swarm_start(s);
        assert_int_equal(log_send(s, 0, 0, 1, 2 * LOG_MSS), 0);
        toy(0)->may_pkts++;
        assert_int_equal(cross(0, 10), 2);
        assert_int_equal(s->delivered, 1);
        assert_int_equal(toy(1)->done, 1 - grants_all);
        if (grants_all)
            grant_at(20);
        assert_int_equal(toy(1)->done, 1);
    }
}

/* An instant at which no credit goes: a control packet about the message goes instead, and finds it at its sender. */
static void the_receiver_half_may_let_an_instant_pass(void **state)
{
    (void)state;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 2 * LOG_MSS), 0);
    assert_int_equal(cross(0, 0), 1);
    toy(1)->idle = true;
    grant_at(100);
    assert_int_equal(toy(1)->idle_grants, 1);
    assert_int_equal(toy(1)->granted_count, 0);
    assert_int_equal(cross(1, 100), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_CONTROL);
    assert_int_equal(out[0].wire_bytes, 90);
    assert_int_equal(toy(0)->heard[0].kind, 15);
    assert_int_equal(toy(0)->heard[0].sequence, 5);
    assert_ptr_equal(toy(0)->heard[0].tx, toy(0)->tx);
    assert_null(toy(0)->heard[0].rx);
    out[0].conn++; /* of a message that is over, or never was */
    log_rx(s, 200, out[0]);
    assert_null(toy(0)->heard[1].tx);
    out[0].seq = WEIR_CONTROL_KINDS; /* no kind of anybody's */
    log_rx(s, 300, out[0]);
    assert_int_equal(toy(0)->heard_count, 2);
    assert_int_equal(weir_host_stats(s->host[0])->refused_pkts, 1);
}

/* It may also declare a message's packets lost at an instant of its own. The first of three is here. */
static void the_receiver_half_may_declare_packets_lost(void **state)
{
    (void)state;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 3 * LOG_MSS), 0);
    assert_int_equal(cross(0, 0), 1);
    grant_at(10);
    assert_int_equal(toy(1)->granted[0].first_pkt, 1);
    assert_int_equal(toy(1)->granted[0].pkts, 2);
    toy(1)->idle = toy(1)->declares_lost = true;
    grant_at(100);
    assert_int_equal(toy(1)->granted_count, 1);
    assert_int_equal(toy(1)->again, 1);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 1);
    toy(1)->idle = false;
    grant_at(110);
    assert_int_equal(toy(1)->granted_count, 2);
    assert_true(toy(1)->granted[1].again);
    assert_int_equal(toy(1)->granted[1].first_pkt, 1);
    assert_int_equal(toy(1)->granted[1].pkts, 2);
    toy(1)->idle = true;
    grant_at(120); /* they are due again, so they may be lost again; and then nothing is due */
    assert_int_equal(toy(1)->again, 2);
    grant_at(130);
    assert_int_equal(toy(1)->again, 2);
}

static void credit_for_more_than_a_window_is_refused(void **state)
{
    struct weir_pkt credit = log_control(WEIR_PKT_CREDIT, 1, 0);
    (void)state;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 2 * LOG_MSS), 0);
    credit.value = WEIR_PKT_GRANT(WEIR_CREDIT_WINDOW_PKTS, 7);
    log_rx(s, 10, credit);
    assert_int_equal(toy(0)->credit_count, 1);
    assert_int_equal(toy(0)->credit[0].pkts, WEIR_CREDIT_WINDOW_PKTS);
    credit.value = WEIR_PKT_GRANT(WEIR_CREDIT_WINDOW_PKTS + 1, 7);
    log_rx(s, 20, credit);
    assert_int_equal(toy(0)->credit_count, 1);
    assert_int_equal(weir_host_stats(s->host[0])->refused_pkts, 1);
}

/* Its one class of DATA is paused: the host does not ask for any. */
static void a_protocol_of_one_class_leaves_pauses_to_the_host(void **state)
{
    (void)state;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 2 * LOG_MSS), 0);
    weir_host_pause(s->host[0], 1u << 1);
    assert_false(weir_host_ready(s->host[0]));
    assert_int_equal(weir_host_tx(s->host[0], 10, out, 64), 0);
    weir_host_pause(s->host[0], 1u << 0);
    assert_int_equal(weir_host_tx(s->host[0], 20, out, 64), 1);
}

static enum weir_reply sent[2], arrived[2]; /* what the protocol was passed, by call */
static void *sent_tx[2];
static uint32_t sent_count, arrived_count;

static void toy_tx_reply(const void *config, void *tx, enum weir_reply reply)
{
    (void)config;
    assert_int_equal(((struct weir_tx_msg *)tx)->pkts, 1); /* the host's part is there */
    sent_tx[sent_count] = tx;
    sent[sent_count++] = reply;
}

static void toy_rx_reply(const void *config, void *rx, enum weir_reply reply)
{
    (void)config;
    assert_int_equal(((struct weir_rx_msg *)rx)->pkts, 1);
    arrived[arrived_count++] = reply;
}

/* Message 0 of host 0 expects a reply, message 1 of host 1 is one. */
static struct weir_head head_of(void *ctx, uint32_t src, uint32_t msg)
{
    (void)ctx;
    assert_int_equal(src, msg);
    return (struct weir_head){ .reply = msg == 0 ? WEIR_REPLY_EXPECTED : WEIR_REPLY_IS };
}

static void replies_are_reported_before_a_message_begins(void **state)
{
    (void)state;
    sent_count = arrived_count = 0;
    ops.tx_reply = toy_tx_reply;
    ops.rx_reply = toy_rx_reply;
    s->head = head_of;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 100), 0);
    assert_ptr_equal(sent_tx[0], toy(0)->tx);
    assert_int_equal(cross(0, 0), 1);
    toy(0)->tick_at_done_ps = 500;
    assert_int_equal(log_send(s, 10, 1, 0, 100), 0);
    assert_int_equal(cross(1, 10), 2); /* DONE and the reply */
    assert_int_equal(sent[0], WEIR_REPLY_EXPECTED);
    assert_int_equal(arrived[0], WEIR_REPLY_EXPECTED);
    assert_int_equal(sent[1], WEIR_REPLY_IS);
    assert_int_equal(arrived[1], WEIR_REPLY_IS);
    assert_int_equal(sent_count, 2);
    assert_int_equal(arrived_count, 2);
    assert_int_equal(weir_host_next_ps(s->host[0]), 500); /* rx_done() may change what the sender half does next */
}

/* NDP has no control packets of its own: they are refused. */
static void control_packets_of_others_are_refused(void **state)
{
    const struct weir_ndp_config ndp = { .window = { .bytes = 2 * LOG_MSS } };
    (void)state;
    s->cfg.credit = &weir_ndp_ops;
    s->cfg.cc_config = &ndp;
    swarm_start(s);
    log_rx(s, 10, log_control(WEIR_PKT_CONTROL, 1, 0));
    assert_int_equal(weir_host_stats(s->host[0])->refused_pkts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_grant_is_for_many_packets_and_has_a_class, setup),
        cmocka_unit_test_setup(lost_packets_are_granted_in_runs, setup),
        cmocka_unit_test_setup(silence_is_reported_and_not_healed, setup),
        cmocka_unit_test_setup(an_announcement_may_wait_for_the_protocol, setup),
        cmocka_unit_test_setup(the_sender_half_has_a_clock, setup),
        cmocka_unit_test_setup(a_message_ends_when_it_is_here_or_granted_as_well, setup),
        cmocka_unit_test_setup(the_receiver_half_may_let_an_instant_pass, setup),
        cmocka_unit_test_setup(the_receiver_half_may_declare_packets_lost, setup),
        cmocka_unit_test_setup(credit_for_more_than_a_window_is_refused, setup),
        cmocka_unit_test_setup(a_protocol_of_one_class_leaves_pauses_to_the_host, setup),
        cmocka_unit_test_setup(replies_are_reported_before_a_message_begins, setup),
        cmocka_unit_test_setup(control_packets_of_others_are_refused, setup),
    };
    return cmocka_run_group_tests_name("host/credit_contract", tests, NULL, NULL);
}
