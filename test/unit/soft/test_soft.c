/* test/unit/soft/test_soft.c - a switch of real frames in virtual time: 100 Mb/s, 80000 ps per byte, so that a frame of
 * 1476 B, 1500 on the wire, takes 120 us. Cables have a delay of 1 us. Every time is computed by hand. */
#include "test/unit/weir_test.h"
#include "core/feature_counter.h"
#include "hooks/chain.h"
#include "soft/soft.h"
#include <string.h>

#define US WEIR_PS_PER_US
#define STAR "protocol: {name: none}\n" NETWORK
#define NETWORK                                                                                                        \
    "traffic: [{kind: permutation, size: 1 KB}]\n"                                                                     \
    "topology: {kind: star, hosts: 3, host_link: 100 Mbps, host_delay: 1 us}\n"
enum { HOSTS = 3, FRAMES_MAX = 64, LENGTH = 1476, ROOM = 2048 };

struct frame {
    unsigned char bytes[ROOM];
    uint32_t length;
};

struct cable { /* a host's port: what it sends, and what it got */
    struct frame sends[FRAMES_MAX], got[FRAMES_MAX];
    uint32_t waiting, gots;
    bool full;
};

static struct weir_scenario scn;
static struct weir_setup su;
static struct weir_err err;
static struct cable cable[HOSTS];
static struct weir_soft_port port[HOSTS];
static struct weir_soft *soft;
static uint32_t captured[WEIR_SOFT_DROPPED + 1];
static uint64_t captured_ps[WEIR_SOFT_DROPPED + 1]; /* time of the last frame */
static const char *captured_cause;
static bool with_pauses; /* the next switch sends and obeys PFC frames */

/* ---- ports ---- */

static uint32_t rx(void *ctx, struct weir_soft_frame *frame, uint32_t most)
{
    struct cable *c = ctx;
    uint32_t count = c->waiting < most ? c->waiting : most;
    for (uint32_t i = 0; i < count; i++)
        frame[i] = (struct weir_soft_frame){ c->sends[i].bytes, c->sends[i].length };
    c->waiting = 0;
    return count;
}

static bool tx(void *ctx, const unsigned char *bytes, uint32_t length)
{
    struct cable *c = ctx;
    if (c->full)
        return false;
    assert_true(c->gots < FRAMES_MAX && length <= ROOM);
    memcpy(c->got[c->gots].bytes, bytes, length);
    c->got[c->gots++].length = length;
    return true;
}

static void capture(void *ctx, const struct weir_soft_captured *frame)
{
    (void)ctx;
    captured[frame->event]++;
    captured_ps[frame->event] = frame->at_ps;
    captured_cause = frame->cause;
}

/* ---- a switch ---- */

static int make_of(const char *text, uint32_t frames, uint32_t nic_frames)
{
    memset(cable, 0, sizeof(cable));
    memset(captured, 0, sizeof(captured));
    if (weir_scenario_parse(&scn, "test.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_fabric(&su, &scn, &err) != 0)
        fail_msg("%s", err.text);
    for (uint32_t h = 0; h < HOSTS; h++)
        port[h] = (struct weir_soft_port){ .rx = rx, .tx = tx, .ctx = &cable[h] };
    return weir_soft_init(&soft,
                          &(struct weir_soft_config){ .setup = &su,
                                                      .port = port,
                                                      .mtu_bytes = 1500,
                                                      .frames = frames,
                                                      .nic_frames = nic_frames,
                                                      .pfc_frames = with_pauses,
                                                      .capture = capture },
                          &err);
}

static void make(const char *text)
{
    if (make_of(text, 1000, 100) != 0)
        fail_msg("%s", err.text);
    for (uint8_t h = 0; h < HOSTS; h++) {
        struct weir_mapping_address address = { .bytes = { 10, 0, 0, (uint8_t)(h + 1) }, .version = 4 };
        assert_int_equal(weir_soft_address(soft, &address, h, &err), 0);
    }
}

static int end(void **state)
{
    (void)state;
    if (soft != NULL)
        assert_null(weir_soft_broken(soft));
    weir_soft_free(soft);
    soft = NULL;
    weir_setup_free(&su);
    weir_scenario_free(&scn);
    return 0;
}

/* ---- frames: UDP from a host to another, which is no endpoint's ---- */

static uint16_t sum_of(const unsigned char *bytes, uint32_t length)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i += 2)
        sum += (uint32_t)bytes[i] << 8 | (i + 1 < length ? bytes[i + 1] : 0);
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static void send(uint32_t from, uint32_t to, unsigned char number)
{
    struct frame *f = &cable[from].sends[cable[from].waiting++];
    unsigned char *ip = f->bytes + 14;
    uint32_t bytes = LENGTH - 14;
    memset(f, 0, sizeof(*f));
    f->length = LENGTH;
    f->bytes[12] = 8;
    ip[0] = 0x45;
    ip[1] = 2; /* ECT(0) */
    ip[2] = (unsigned char)(bytes >> 8);
    ip[3] = (unsigned char)bytes;
    ip[8] = 64;
    ip[9] = 17;
    ip[12] = ip[16] = 10;
    ip[15] = (unsigned char)(from + 1);
    ip[19] = (unsigned char)(to + 1);
    ip[10] = (unsigned char)(sum_of(ip, 20) >> 8);
    ip[11] = (unsigned char)sum_of(ip, 20);
    ip[21] = 1;
    ip[23] = 2;
    ip[24] = (unsigned char)((bytes - 20) >> 8);
    ip[25] = (unsigned char)(bytes - 20);
    ip[28] = number;
}

/* Gives the frame that a host sent last the DSCP CS5, which is class 0. */
static void make_urgent(uint32_t from)
{
    unsigned char *ip = cable[from].sends[cable[from].waiting - 1].bytes + 14;
    ip[1] |= 0xa0;
    ip[10] = ip[11] = 0;
    uint16_t sum = sum_of(ip, 20);
    ip[10] = (unsigned char)(sum >> 8);
    ip[11] = (unsigned char)sum;
}

static void send_arp(uint32_t from)
{
    struct frame *f = &cable[from].sends[cable[from].waiting++];
    memset(f, 0, sizeof(*f));
    memset(f->bytes, 0xff, 6);
    f->length = 60;
    f->bytes[12] = 8;
    f->bytes[13] = 6;
}

/* ---- PFC frames ---- */

#define PFC(xoff) STAR "fabric: {buffer: 1 MB, pfc: {kind: static, xoff: " xoff "}}\n"
#define QUANTUM_PS UINT64_C(5120000) /* 512 bits at 100 Mb/s */

static void send_pause(uint32_t from, unsigned opcode, unsigned classes, unsigned quanta)
{
    static const unsigned char to[6] = { 0x01, 0x80, 0xc2, 0, 0, 1 };
    struct frame *f = &cable[from].sends[cable[from].waiting++];
    memset(f, 0, sizeof(*f));
    memcpy(f->bytes, to, sizeof(to));
    f->length = 60;
    f->bytes[12] = 0x88, f->bytes[13] = 0x08;
    f->bytes[14] = (unsigned char)(opcode >> 8), f->bytes[15] = (unsigned char)opcode;
    f->bytes[17] = (unsigned char)classes;
    for (uint32_t c = 0; c < 8; c++)
        f->bytes[18 + 2 * c] = (unsigned char)(quanta >> 8), f->bytes[19 + 2 * c] = (unsigned char)quanta;
}

static void make_pauses(const char *text)
{
    with_pauses = true;
    make(text);
    with_pauses = false;
}

/* Read at 10 us, a pause of 50 quanta ends at 266. What arrives at the switch at 131 begins then, and is there at 387. */
static void a_pause_of_a_real_nic_is_obeyed(void **state)
{
    (void)state;
    make_pauses(PFC("100 KB"));
    send_pause(1, 0x101, 1, 50);
    send(0, 1, 7);
    assert_int_equal(weir_soft_step(soft, 10 * US), 130 * US);
    assert_int_equal(weir_soft_step(soft, 265 * US), 266 * US);
    assert_int_equal(weir_soft_step(soft, 266 * US), 386 * US);
    (void)weir_soft_step(soft, 387 * US - 1);
    assert_int_equal(cable[1].gots, 0);
    assert_true(weir_soft_step(soft, 387 * US) == WEIR_NEVER);
    assert_int_equal(cable[1].gots, 1);
    assert_int_equal(weir_soft_host(soft, 1)->pauses_received, 1);
    assert_int_equal(weir_soft_host(soft, 1)->pauses_sent, 0);
}

/* It ends with a frame of no quanta, at 200: 321. Another pause before the first one's end counts from its own time. */
static void a_pause_ends_by_a_frame_or_is_renewed(void **state)
{
    (void)state;
    make_pauses(PFC("100 KB"));
    send_pause(1, 0x101, 1, 50);
    send(0, 1, 7);
    (void)weir_soft_step(soft, 10 * US);
    send_pause(1, 0x101, 1, 0);
    (void)weir_soft_step(soft, 200 * US);
    (void)weir_soft_step(soft, 321 * US - 1);
    assert_int_equal(cable[1].gots, 0);
    (void)weir_soft_step(soft, 321 * US);
    assert_int_equal(cable[1].gots, 1);
    send_pause(1, 0x101, 1, 50);
    (void)weir_soft_step(soft, 1000 * US);
    send_pause(1, 0x101, 1, 50);
    (void)weir_soft_step(soft, 1100 * US);
    assert_int_equal(weir_soft_step(soft, 1101 * US), 1100 * US + 50 * QUANTUM_PS);
    send_pause(1, 0x001, 1, 50); /* not of PFC: dropped as others to this address */
    send_pause(1, 0x101, 0, 50); /* of no class */
    assert_int_equal(weir_soft_step(soft, 1200 * US), 1100 * US + 50 * QUANTUM_PS);
    assert_int_equal(weir_soft_host(soft, 1)->pauses_received, 5);
    (void)weir_soft_step(soft, 2000 * US);
    assert_true(weir_soft_step(soft, 2001 * US) == WEIR_NEVER);
}

static unsigned time_of(const struct frame *f)
{
    return (unsigned)f->bytes[18] << 8 | f->bytes[19];
}

/* A host whose frames fill the switch gets pauses, which are repeated after half of their time, and then their end. */
static void a_host_is_paused_and_told_again(void **state)
{
    uint64_t again_ps;
    (void)state;
    make_pauses(PFC("4 KB"));
    send_pause(1, 0x101, 1, 65535); /* nothing leaves to host 1 for 335 ms */
    for (uint32_t i = 0; i < 6; i++)
        send(0, 1, 1);
    (void)weir_soft_step(soft, 10 * US);
    (void)weir_soft_step(soft, 1000 * US);
    assert_int_equal(cable[0].gots, 1);
    assert_int_equal(cable[0].got[0].length, 60);
    assert_int_equal(cable[0].got[0].bytes[17], 1);
    assert_int_equal(time_of(&cable[0].got[0]), 0xffff);
    assert_int_equal(weir_soft_host(soft, 0)->pauses_sent, 1);
    again_ps = 1000 * US + 32767 * QUANTUM_PS;
    assert_int_equal(weir_soft_step(soft, again_ps - 1), again_ps);
    assert_int_equal(cable[0].gots, 1);
    (void)weir_soft_step(soft, again_ps);
    assert_int_equal(cable[0].gots, 2);
    assert_int_equal(time_of(&cable[0].got[1]), 0xffff);
    send_pause(1, 0x101, 1, 0);
    (void)weir_soft_step(soft, again_ps + US);
    (void)weir_soft_step(soft, again_ps + 2000 * US);
    assert_int_equal(cable[0].gots, 3);
    assert_int_equal(time_of(&cable[0].got[2]), 0);
    assert_int_equal(cable[1].gots, 6);
    assert_int_equal(cable[2].gots, 0);
}

static void pauses_need_pfc(void **state)
{
    (void)state;
    with_pauses = true;
    assert_int_equal(make_of(STAR, 100, 10), WEIR_E_CONFLICT);
    with_pauses = false;
    assert_string_equal(err.text, "switch.pfc_frames: on, and no switch of this fabric has pfc");
    (void)end(NULL);
    make(PFC("100 KB")); /* and without the key nothing is obeyed */
    send_pause(1, 0x101, 1, 50);
    assert_true(weir_soft_step(soft, 10 * US) == WEIR_NEVER);
    assert_int_equal(weir_soft_host(soft, 1)->pauses_received, 0);
}

/* ---- tests ---- */

/* Read at 10 us, it leaves the NIC at 130, arrives at the switch at 131, leaves it at 251, and is there at 252. */
static void a_frame_takes_its_time_on_both_cables(void **state)
{
    (void)state;
    make(STAR);
    send(0, 1, 7);
    assert_int_equal(weir_soft_step(soft, 10 * US), 130 * US);
    assert_int_equal(weir_soft_step(soft, 252 * US - 1), 252 * US);
    assert_int_equal(cable[1].gots, 0);
    assert_int_equal(weir_soft_frames(soft), 1);
    assert_true(weir_soft_step(soft, 252 * US) == WEIR_NEVER);
    assert_int_equal(cable[1].gots, 1);
    assert_int_equal(cable[1].got[0].length, LENGTH);
    assert_int_equal(cable[1].got[0].bytes[14 + 28], 7);
    assert_int_equal(weir_soft_host(soft, 1)->late_max_ps, 0);
    assert_int_equal(weir_soft_frames(soft), 0);
    assert_int_equal(captured[WEIR_SOFT_CAME], 1);
    assert_int_equal(captured[WEIR_SOFT_LEFT], 1);
}

/* Two frames of one host leave 120 us apart, however late the loop comes: at 252 and 372. */
static void how_late_a_frame_leaves_is_measured(void **state)
{
    (void)state;
    make(STAR);
    send(0, 1, 1);
    send(0, 1, 2);
    (void)weir_soft_step(soft, 10 * US);
    (void)weir_soft_step(soft, 400 * US);
    assert_int_equal(cable[1].gots, 2);
    assert_int_equal(captured_ps[WEIR_SOFT_LEFT], 372 * US); /* a capture has the computed time */
    assert_int_equal(weir_soft_host(soft, 1)->late_max_ps, (400 - 252) * US);
    assert_int_equal(weir_soft_host(soft, 1)->late_ps, (400 - 252 + 400 - 372) * US);
    assert_int_equal(weir_soft_host(soft, 0)->rx_frames, 2);
    assert_int_equal(weir_soft_host(soft, 1)->tx_bytes, 2 * LENGTH);
}

/* Hosts 0 and 1 send two frames each, all read at 10 us. At the switch frames of both arrive at 131 and 251 us, and one of
 * each pair waits for the other: 252, 372, 492, 612. */
static void frames_wait_for_a_port(void **state)
{
    const struct weir_soft_link *l;
    (void)state;
    make(STAR);
    for (uint32_t i = 0; i < 2; i++) {
        send(0, 2, 0);
        send(1, 2, 1);
    }
    (void)weir_soft_step(soft, 10 * US);
    (void)weir_soft_step(soft, 251 * US);
    l = weir_soft_link(soft, su.topo.node[HOSTS].first_out + 2);
    assert_int_equal(l->queue_bytes, 3 * 1500);
    (void)weir_soft_step(soft, 612 * US - 1);
    assert_int_equal(cable[2].gots, 3);
    (void)weir_soft_step(soft, 612 * US);
    assert_int_equal(cable[2].gots, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(cable[2].got[i].bytes[14 + 28], i % 2);
    l = weir_soft_link(soft, su.topo.node[HOSTS].first_out + 2);
    assert_int_equal(l->frames, 4);
    assert_int_equal(l->queue_max_bytes, 3 * 1500);
    assert_int_equal(l->waited_ns.max, 240000);
    /* unsent work, which falls by 12.5 B a us: 3000 B from 131 us on, at 251 us it is 1500 and becomes 4500, and 0 at 611 */
    assert_in_range(l->queue_byte_us, (3000 + 1500) / 2 * 120 + 4500 / 2 * 360 - 1,
                    (3000 + 1500) / 2 * 120 + 4500 / 2 * 360);
}

/* The urgent frame leaves its NIC first, and meets one of host 0 at 131 us. It starts then, the other three at 251, 371
 * and 491 us: two have waited for 120 us, the last one for 240. */
static void frames_and_waiting_times_are_counted_by_class(void **state)
{
    const struct weir_soft_link *l;
    (void)state;
    make(STAR "fabric: {priorities: 2}\n");
    send(0, 2, 0);
    send(0, 2, 1);
    send(1, 2, 2);
    send(1, 2, 3);
    make_urgent(1);
    (void)weir_soft_step(soft, 10 * US);
    (void)weir_soft_step(soft, 1000 * US);
    assert_int_equal(cable[2].gots, 4);
    assert_int_equal(cable[2].got[0].bytes[14 + 28], 3);
    l = weir_soft_link(soft, su.topo.node[HOSTS].first_out + 2);
    assert_int_equal(l->of_class[0].frames, 1);
    assert_int_equal(l->of_class[0].waited_ns, 0);
    assert_int_equal(l->of_class[1].frames, 3);
    assert_int_equal(l->of_class[1].waited_ns, (120 + 120 + 240) * 1000);
    assert_int_equal(l->of_class[1].waited_max_ns, 240 * 1000);
}

/* The second frame finds 1500 B in the queue of the port: at the threshold, so it is marked. */
static void marks_are_written_into_frames(void **state)
{
    (void)state;
    make(STAR "fabric: {ecn: {threshold: 1500 B}}\n");
    send(0, 2, 0);
    send(1, 2, 1);
    (void)weir_soft_step(soft, 10 * US);
    (void)weir_soft_step(soft, 1000 * US);
    assert_int_equal(cable[2].gots, 2);
    assert_int_equal(cable[2].got[0].bytes[15], 2);
    assert_int_equal(cable[2].got[1].bytes[15], 3);
    assert_int_equal(sum_of(cable[2].got[1].bytes + 14, 20), 0); /* IP's checksum is right */
    assert_int_equal(weir_soft_link(soft, su.topo.node[HOSTS].first_out + 2)->marks, 1);
    assert_int_equal(weir_causes_times(weir_soft_causes_of(soft), WEIR_FATE_MARKED), 1);
}

/* Makes the last frame of a host one of TCP: DATA, or an ACK without payload. */
static void make_tcp(uint32_t from, uint16_t source, uint16_t to, bool is_ack)
{
    struct frame *f = &cable[from].sends[cable[from].waiting - 1];
    unsigned char *ip = f->bytes + 14;
    f->length = is_ack ? 60 : f->length;
    ip[1] = is_ack ? 0 : 2;
    ip[2] = is_ack ? 0 : ip[2];
    ip[3] = is_ack ? 40 : ip[3];
    ip[9] = 6;
    ip[20] = (unsigned char)(source >> 8);
    ip[21] = (unsigned char)source;
    ip[22] = (unsigned char)(to >> 8);
    ip[23] = (unsigned char)to;
    ip[32] = 5 << 4;
    ip[33] = 0x10;
}

static uint64_t counter_of(const char *name)
{
    struct weir_feature_count count[64];
    uint32_t counts = weir_features_counts(&su.model.features, NULL);
    assert_in_range(counts, 1, 64);
    assert_true(weir_soft_features(soft, count, counts));
    for (uint32_t i = 0; i < counts; i++)
        if (strcmp(count[i].counter->name, name) == 0)
            return count[i].value;
    fail_msg("no counter %s", name);
    return 0;
}

/* An ACK of host 2 opens the cell. The frame of host 1 finds that of host 0, which is an event, and waits. Who asks for
 * counters takes it from nobody: the next ACK has ECE. */
static void counters_are_read_without_a_trace(void **state)
{
    (void)state;
    make("protocol: cubic\nhost: {ecn: rfc3168}\n" NETWORK "fabric: {ecn: {threshold: 1500 B}, rpm: on}\n");
    send(2, 1, 0);
    make_tcp(2, 80, 5000, true);
    (void)weir_soft_step(soft, 10 * US);
    (void)weir_soft_step(soft, 100 * US);
    send(0, 2, 0);
    send(1, 2, 0);
    make_tcp(1, 5000, 80, false);
    (void)weir_soft_step(soft, 110 * US);
    (void)weir_soft_step(soft, 1000 * US);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(counter_of("events"), 1);
        assert_int_equal(counter_of("left"), 1);
    }
    send(2, 1, 0);
    make_tcp(2, 80, 5000, true);
    (void)weir_soft_step(soft, 1010 * US);
    (void)weir_soft_step(soft, 1100 * US);
    assert_int_equal(cable[1].gots, 2);
    assert_int_equal(cable[1].got[0].bytes[14 + 33], 0x10);
    assert_int_equal(cable[1].got[1].bytes[14 + 33], 0x10 | 0x40);
    assert_int_equal(counter_of("marked"), 1);
    assert_int_equal(counter_of("left"), 0);
}

/* A buffer of 3000 B has room for two frames, until the first has left. */
static void drops_have_their_cause(void **state)
{
    (void)state;
    make(STAR "fabric: {port_buffer: 3000 B}\n");
    send(0, 2, 0);
    send(0, 2, 1);
    send(1, 2, 2);
    send(1, 2, 3);
    (void)weir_soft_step(soft, 10 * US);
    (void)weir_soft_step(soft, 2000 * US);
    assert_int_equal(cable[2].gots + weir_soft_link(soft, su.topo.node[HOSTS].first_out + 2)->drops, 4);
    assert_int_equal(cable[2].gots, 3);
    assert_int_equal(weir_causes_times(weir_soft_causes_of(soft), WEIR_FATE_DROPPED), 1);
    assert_int_equal(weir_soft_frames(soft), 0);
}

static void a_host_may_have_so_many_frames_in_its_nic(void **state)
{
    (void)state;
    assert_int_equal(make_of(STAR, 1000, 2), 0);
    for (uint8_t h = 0; h < HOSTS; h++)
        assert_int_equal(
            weir_soft_address(
                soft, &(struct weir_mapping_address){ .bytes = { 10, 0, 0, (uint8_t)(h + 1) }, .version = 4 }, h, &err),
            0);
    for (unsigned char i = 0; i < 4; i++)
        send(0, 1, i);
    (void)weir_soft_step(soft, 10 * US); /* the first starts at once, but after all were taken */
    assert_int_equal(weir_soft_host(soft, 0)->dropped[WEIR_SOFT_NIC], 2);
    send(0, 1, 9);
    send(0, 1, 10);
    (void)weir_soft_step(soft, 20 * US); /* one waits, so there is room for one */
    assert_int_equal(weir_soft_host(soft, 0)->dropped[WEIR_SOFT_NIC], 3);
    assert_int_equal(captured[WEIR_SOFT_DROPPED], 3);
    assert_string_equal(captured_cause, "switch.nic");
    (void)weir_soft_step(soft, 2000 * US);
    assert_int_equal(cable[1].gots, 3);
    assert_int_equal(cable[1].got[2].bytes[14 + 28], 9);
}

/* The gate of a host's NIC takes a frame of class 0 for a credit, and its queue has no room for one of 1500 B. Each is
 * dropped there, and none of them stays in the NIC. */
static void a_nic_holds_credit_back(void **state)
{
    uint64_t at_ps = 10 * US;
    (void)state;
    assert_int_equal(make_of("protocol: {name: expresspass}\ntraffic: [{kind: permutation, size: 1 KB}]\n"
                             "topology: {kind: star, hosts: 3, host_link: 100 Mbps, host_delay: 1 us}\n",
                             1000, 2),
                     0);
    for (uint8_t h = 0; h < HOSTS; h++)
        assert_int_equal(
            weir_soft_address(
                soft, &(struct weir_mapping_address){ .bytes = { 10, 0, 0, (uint8_t)(h + 1) }, .version = 4 }, h, &err),
            0);
    for (uint32_t i = 0; i < 3; i++, at_ps += 1000 * US) {
        send(0, 2, 0);
        make_urgent(0);
        (void)weir_soft_step(soft, at_ps);
    }
    send(0, 2, 1);
    (void)weir_soft_step(soft, at_ps);
    (void)weir_soft_step(soft, at_ps + 1000 * US);
    assert_int_equal(weir_soft_link(soft, su.topo.node[0].first_out)->drops, 3);
    assert_int_equal(weir_soft_host(soft, 0)->dropped[WEIR_SOFT_NIC], 0);
    assert_int_equal(cable[2].gots, 1);
    assert_int_equal(weir_soft_frames(soft), 0);
}

static void frames_may_run_out(void **state)
{
    (void)state;
    assert_int_equal(make_of(STAR, 3, 100), 0);
    for (uint8_t h = 0; h < HOSTS; h++)
        assert_int_equal(
            weir_soft_address(
                soft, &(struct weir_mapping_address){ .bytes = { 10, 0, 0, (uint8_t)(h + 1) }, .version = 4 }, h, &err),
            0);
    for (unsigned char i = 0; i < 5; i++)
        send(0, 1, i);
    (void)weir_soft_step(soft, 10 * US);
    assert_int_equal(weir_soft_host(soft, 0)->dropped[WEIR_SOFT_FRAMES], 2);
    assert_int_equal(captured[WEIR_SOFT_DROPPED], 2);
    assert_string_equal(captured_cause, "switch.frames");
    (void)weir_soft_step(soft, 2000 * US);
    assert_int_equal(cable[1].gots, 3);
    send(0, 1, 5);
    (void)weir_soft_step(soft, 2010 * US);
    (void)weir_soft_step(soft, 4000 * US);
    assert_int_equal(cable[1].gots, 4);
}

static void a_full_ring_is_counted(void **state)
{
    (void)state;
    make(STAR);
    cable[1].full = true;
    send(0, 1, 0);
    (void)weir_soft_step(soft, 10 * US);
    (void)weir_soft_step(soft, 1000 * US);
    assert_int_equal(weir_soft_host(soft, 1)->dropped[WEIR_SOFT_RING], 1);
    assert_int_equal(captured_ps[WEIR_SOFT_DROPPED], 252 * US);
    assert_string_equal(captured_cause, "switch.ring");
    assert_int_equal(weir_soft_host(soft, 1)->tx_frames, 0);
    weir_soft_lost(soft, 1, 5);
    assert_int_equal(weir_soft_host(soft, 1)->dropped[WEIR_SOFT_RING], 6);
    assert_int_equal(weir_soft_frames(soft), 0);
}

static void what_is_for_all_goes_to_all_others_at_once(void **state)
{
    (void)state;
    make(STAR);
    send_arp(1);
    assert_true(weir_soft_step(soft, 10 * US) == WEIR_NEVER);
    assert_int_equal(cable[0].gots, 1);
    assert_int_equal(cable[1].gots, 0);
    assert_int_equal(cable[2].gots, 1);
    assert_int_equal(weir_soft_host(soft, 1)->flooded, 1);
}

/* Host 2 sends a frame with a VLAN tag, and host 1 one from the address of host 0. */
static void who_sent_what_no_switch_takes_is_known(void **state)
{
    (void)state;
    make(STAR);
    assert_int_equal(weir_soft_moved(soft, &err), 0);
    send(2, 0, 0);
    cable[2].sends[0].bytes[12] = 0x81;
    cable[2].sends[0].bytes[13] = 0;
    send(0, 2, 0);
    cable[1] = cable[0];
    cable[0].waiting = 0;
    (void)weir_soft_step(soft, 10 * US);
    assert_int_equal(weir_soft_dropped_from(soft, WEIR_MAPPING_TAGGED), 2);
    assert_int_equal(weir_soft_dropped_from(soft, WEIR_MAPPING_MOVED), 1);
    assert_int_equal(weir_soft_moved(soft, &err), WEIR_E_CONFLICT);
    assert_string_equal(err.text, "host 1 sends from 10.0.0.1, which is the address of host 0");
}

/* Flooded frames leave in the step that reads them, and have no computed time: the mean is that of the two others. */
static void flooded_frames_do_not_count_as_on_time(void **state)
{
    (void)state;
    make(STAR);
    assert_int_equal(weir_soft_late_mean_ns(weir_soft_host(soft, 1)), 0);
    send_arp(2);
    send(0, 1, 1);
    send(0, 1, 2);
    (void)weir_soft_step(soft, 10 * US);
    assert_int_equal(weir_soft_late_mean_ns(weir_soft_host(soft, 1)), 0);
    (void)weir_soft_step(soft, 400 * US);
    assert_int_equal(weir_soft_host(soft, 1)->tx_frames, 3);
    assert_int_equal(weir_soft_late_mean_ns(weir_soft_host(soft, 1)), (400 - 252 + 400 - 372) * 1000 / 2);
}

static void cables_that_fail_are_refused(void **state)
{
    (void)state;
    assert_int_equal(make_of(STAR "fabric: {events: [{at: 1 ms, link: host 0 - switch 0, action: down}]}\n", 10, 10),
                     WEIR_E_CONFLICT);
    assert_non_null(strstr(err.text, "cables do not fail"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_frame_takes_its_time_on_both_cables, end),
        cmocka_unit_test_teardown(a_pause_of_a_real_nic_is_obeyed, end),
        cmocka_unit_test_teardown(a_pause_ends_by_a_frame_or_is_renewed, end),
        cmocka_unit_test_teardown(a_host_is_paused_and_told_again, end),
        cmocka_unit_test_teardown(pauses_need_pfc, end),
        cmocka_unit_test_teardown(how_late_a_frame_leaves_is_measured, end),
        cmocka_unit_test_teardown(who_sent_what_no_switch_takes_is_known, end),
        cmocka_unit_test_teardown(flooded_frames_do_not_count_as_on_time, end),
        cmocka_unit_test_teardown(frames_wait_for_a_port, end),
        cmocka_unit_test_teardown(frames_and_waiting_times_are_counted_by_class, end),
        cmocka_unit_test_teardown(marks_are_written_into_frames, end),
        cmocka_unit_test_teardown(counters_are_read_without_a_trace, end),
        cmocka_unit_test_teardown(drops_have_their_cause, end),
        cmocka_unit_test_teardown(a_host_may_have_so_many_frames_in_its_nic, end),
        cmocka_unit_test_teardown(a_nic_holds_credit_back, end),
        cmocka_unit_test_teardown(frames_may_run_out, end),
        cmocka_unit_test_teardown(a_full_ring_is_counted, end),
        cmocka_unit_test_teardown(what_is_for_all_goes_to_all_others_at_once, end),
        cmocka_unit_test_teardown(cables_that_fail_are_refused, end),
    };
    return cmocka_run_group_tests_name("soft/soft", tests, NULL, NULL);
}
