/* test/unit/proto/test_dart.c - a receiver's set of senders against a plain list, its state machine by hand, and the sender's rate. */
#include "test/unit/proto/law_bench.h"
#include "proto/dart/dart_core.h"
#include "core/pkt.h"
#include "core/rng.h"

#define US WEIR_PS_PER_US
#define LINE UINT64_C(10000000000)
static struct weir_dart_config cfg;
static struct weir_dart_rx rx;
static struct weir_dart flow;
static uint64_t now_ps;
/* 12.8 us: 16,000 B at 10 Gb/s; less a frame of 1538 B, 95 % of 14,462 B are 13,738 B */
static const struct weir_path path = {
    .base_rtt_ps = 12800 * WEIR_PS_PER_NS - 64, .rate_bps = LINE, .mss_bytes = 1460, .wire_bytes = 1538
};

static int setup(void **state)
{
    (void)state;
    law_use(weir_dart_params, &cfg, &weir_dart_presets[0]);
    assert_null(law_check(weir_dart_check, &cfg, &path));
    rx = (struct weir_dart_rx){ 0 };
    weir_dart_ops.rx_init(&rx, &cfg, &path);
    weir_dart_ops.init(&flow.dcqcn.cc, &cfg, &path);
    now_ps = 77 * WEIR_PS_PER_S; /* not 0: no core may count on a fresh clock */
    return 0;
}

static void begin(uint32_t src)
{
    weir_dart_ops.rx_begin(&rx, &cfg, &(struct weir_rx_event){ .now_ps = now_ps, .src = src });
}

static void end(uint32_t src)
{
    weir_dart_ops.rx_end(&rx, &cfg, &(struct weir_rx_event){ .now_ps = now_ps, .src = src });
}

/* @return what is advertised */
static uint32_t data(uint32_t src, uint32_t bytes, bool ce)
{
    struct weir_data d = {
        .now_ps = now_ps, .src = src, .wire_bytes = bytes, .flags = WEIR_DATA_PAYLOAD | (ce ? WEIR_DATA_CE : 0u)
    };
    struct weir_echo echo = { .ce = ce };
    weir_dart_ops.rx_data(&rx, &cfg, &d, &echo);
    return echo.share_count;
}

/* A link that is full, or half full, for a window and more, without marks. */
static void receive(uint32_t src, uint32_t bytes)
{
    for (int i = 0; i < 128; i++) {
        now_ps += 200 * WEIR_PS_PER_NS;
        (void)data(src, bytes, false);
    }
}

static bool notice(struct weir_notice *out)
{
    return weir_dart_ops.rx_notice(&rx, &cfg, now_ps, out);
}

static void senders_count_once_however_many_messages_they_have(void **state)
{
    (void)state;
    begin(5), begin(5), begin(5);
    assert_int_equal(data(5, 1538, false), 1);
    begin(6);
    assert_int_equal(data(5, 1538, false), 2);
    end(5), end(5);
    assert_int_equal(data(5, 1538, false), 2);
    end(5);
    assert_int_equal(data(6, 1538, false), 1);
}

/* Hosts 1 to 16, and 10 to 25: seven are in both. */
static void two_incasts_with_common_senders_count_their_union(void **state)
{
    (void)state;
    for (uint32_t src = 1; src <= 16; src++)
        begin(src);
    for (uint32_t src = 10; src <= 25; src++)
        begin(src);
    assert_int_equal(data(1, 1538, false), 25);
    for (uint32_t src = 1; src <= 16; src++)
        end(src);
    assert_int_equal(data(20, 1538, false), 16);
}

/* ---- look-ahead ---- */

static const uint32_t four[] = { 3, 4, 5, 6 }, other_four[] = { 5, 6, 7, 8 };
static const struct weir_sender_group group_a = { four, 4, 1 }, group_b = { other_four, 4, 2 };

static void begin_of(const struct weir_sender_group *group, uint32_t src)
{
    weir_dart_ops.rx_begin(&rx, &cfg,
                           &(struct weir_rx_event){ .now_ps = now_ps, .src = src, .head = { .group = group } });
}

/* Fetches all notices. @return how many told an announced sender of `count` */
static uint32_t advertised(uint32_t count)
{
    struct weir_notice out;
    uint32_t n = 0;
    while (notice(&out)) {
        assert_int_equal(out.kind, WEIR_DART_COUNT);
        assert_int_equal(out.value, count);
        n++;
    }
    return n;
}

/* The first message counts all four, and the others are notified in the order of the list; the second message changes nothing. */
static void a_list_counts_its_senders_at_once_and_once(void **state)
{
    static const uint32_t notified[] = { 3, 5, 6 };
    struct weir_notice out;
    (void)state;
    begin_of(&group_a, 4);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(notice(&out));
        assert_true(out.kind == WEIR_DART_COUNT && out.dst == notified[i] && out.value == 4);
    }
    assert_false(notice(&out));
    assert_int_equal(data(4, 1538, false), 4);
    begin_of(&group_a, 3), begin_of(&group_a, 5);
    assert_false(notice(&out));
    assert_int_equal(data(3, 1538, false), 4);
    assert_int_equal(rx.groups, 1);
    begin_of(&group_a, 6); /* the last one: the group is forgotten */
    assert_int_equal(rx.groups, 0);
    end(3), end(4);
    assert_int_equal(data(5, 1538, false), 2);
    end(5), end(6);
    assert_int_equal(rx.senders + rx.others, 0);
}

/* 3 to 6 and 5 to 8: six hosts. 5 is in both, and stays until both of its messages have ended. */
static void two_lists_with_common_senders_count_their_union(void **state)
{
    (void)state;
    begin_of(&group_a, 3);
    assert_int_equal(advertised(4), 3);
    begin_of(&group_b, 5);
    assert_int_equal(advertised(6), 3);
    assert_int_equal(data(5, 1538, false), 6);
    begin_of(&group_a, 5);
    end(5);
    assert_int_equal(rx.senders, 6);
    end(5);
    assert_int_equal(rx.senders, 5);
}

/* A message of no list does not take the place of one that was announced. */
static void other_messages_of_an_announced_sender_are_its_own(void **state)
{
    (void)state;
    begin_of(&group_a, 3);
    begin(5);
    end(5);
    assert_int_equal(rx.senders, 4); /* what was announced is still to come */
    begin_of(&group_a, 5);
    end(5);
    assert_int_equal(rx.senders, 3);
}

/* 4 and 5 never send. 5 is known by another message, which goes on. */
static void announced_senders_that_are_silent_are_gone_after_t_soft_and_not_before(void **state)
{
    uint64_t read_ps = now_ps;
    struct weir_notice out;
    (void)state;
    begin(5);
    begin_of(&group_a, 3), begin_of(&group_a, 6);
    assert_int_equal(advertised(4), 3);
    now_ps += cfg.t_soft_ps - 1;
    (void)data(3, 100, false), (void)data(5, 100, false), (void)data(6, 100, false);
    assert_int_equal(weir_dart_ops.rx_next_ps(&rx, &cfg), read_ps + cfg.t_soft_ps);
    assert_false(notice(&out));
    assert_int_equal(data(3, 100, false), 4);
    now_ps += 1;
    assert_false(notice(&out));
    assert_int_equal(data(3, 100, false), 3);
    assert_int_equal(weir_dart_find(&rx, 5)->messages, 1);
    end(5);
    assert_int_equal(rx.senders, 2);
    assert_int_equal(weir_dart_ops.rx_next_ps(&rx, &cfg), now_ps - 1 + cfg.t_soft_ps);
    begin_of(&group_a, 4); /* forgotten by now: its list counts anew, its own message and three that are announced */
    assert_int_equal(advertised(4), 3);
}

/* 9 falls silent 1 s before a list comes with 5, which sends something else all the time. When 9 is gone the list's time is still kept. */
static void announced_messages_keep_their_time_when_others_are_gone(void **state)
{
    uint64_t begin_ps = now_ps;
    struct weir_notice out;
    (void)state;
    begin(9);
    now_ps += WEIR_PS_PER_S;
    begin(5);
    begin_of(&group_a, 5);
    assert_int_equal(advertised(5), 3);
    now_ps += WEIR_PS_PER_S;
    for (uint32_t src = 3; src <= 6; src++)
        (void)data(src, 100, false);
    assert_false(notice(&out));
    assert_int_equal(rx.senders, 4);
    assert_int_equal(weir_dart_ops.rx_next_ps(&rx, &cfg), begin_ps + 3 * WEIR_PS_PER_S);
    now_ps = begin_ps + 3 * WEIR_PS_PER_S;
    assert_false(notice(&out));
    assert_int_equal(rx.senders, 1);
    assert_int_equal(weir_dart_find(&rx, 5)->messages, 2);
}

static void lists_beyond_the_room_are_not_read(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= WEIR_DART_GROUPS; i++) {
        begin_of(&(struct weir_sender_group){ four, 4, i }, 3);
        assert_int_equal(advertised(4), 3);
    }
    assert_int_equal(weir_dart_find(&rx, 4)->messages, WEIR_DART_GROUPS);
    begin_of(&(struct weir_sender_group){ other_four, 4, 1000 }, 8);
    assert_int_equal(advertised(5), 0);
    assert_int_equal(rx.senders, 5);
    now_ps += cfg.t_soft_ps; /* now there is room, and nobody is left */
    begin_of(&group_b, 8);
    assert_int_equal(rx.groups, 1);
}

static void announced_senders_without_room_count_when_they_begin(void **state)
{
    (void)state;
    for (uint32_t src = 100; src < 290; src++)
        begin(src);
    begin_of(&group_a, 3); /* there is room for 3 and 4 */
    assert_int_equal(advertised(192), 3);
    begin_of(&group_a, 5), begin_of(&group_a, 4);
    assert_int_equal(data(3, 1538, false), 193);
    end(3), end(4), end(5);
    assert_int_equal(rx.senders + rx.others, 190);
}

/* A message of 5 had no room; then there was some, and 5 was announced. What ends first is not what was announced. */
static void a_message_that_had_no_room_ends_before_what_was_announced(void **state)
{
    (void)state;
    for (uint32_t src = 100; src < 292; src++)
        begin(src);
    begin(5);
    assert_int_equal(rx.others, 1);
    for (uint32_t src = 100; src < 110; src++)
        end(src);
    begin_of(&group_a, 3);
    assert_int_equal(advertised(187), 3);
    end(5);
    assert_int_equal(rx.others, 0);
    assert_int_equal(rx.senders, 186);
    begin_of(&group_a, 5);
    end(5);
    assert_int_equal(rx.senders, 185);
}

static void counts_go_with_acks_alone_where_it_says_so(void **state)
{
    (void)state;
    cfg.advertise = WEIR_DART_BY_ACK;
    begin_of(&group_a, 3);
    assert_int_equal(advertised(4), 0);
    assert_int_equal(data(3, 1538, false), 4);
}

static void heads_are_read_where_look_ahead_is_on(void **state)
{
    (void)state;
    assert_int_equal(weir_cc_heads(&weir_dart_ops, &cfg), WEIR_HEAD_GROUP);
    cfg.look_ahead = 0;
    assert_int_equal(weir_cc_heads(&weir_dart_ops, &cfg), 0);
    assert_int_equal(weir_cc_heads(NULL, &cfg), 0);
}

/* Events that begin at random and overlap, messages that begin in any order and last for a random while: the set is what a plain list of
 * messages, announced or begun, has. */
static void the_set_with_lists_is_that_of_a_plain_list(void **state)
{
    enum { EVENTS = 8, FAN_IN = 12, HOSTS = 40 };
    static uint32_t list[EVENTS][FAN_IN], stage[EVENTS][FAN_IN]; /* 0 nothing, 1 began, 2 ended */
    static struct weir_sender_group group[EVENTS];
    struct weir_rng rng = { .key = weir_rng_key(34, 1, WEIR_RNG_TEST, 0) };
    uint32_t id = 0;
    (void)state;
    for (int step = 0; step < 30000; step++) {
        uint32_t e = weir_rng_below(weir_rng_next(&rng), EVENTS), i = weir_rng_below(weir_rng_next(&rng), FAN_IN);
        uint32_t senders = 0, left = 0;
        bool active[HOSTS] = { false };
        now_ps += US;
        for (uint32_t j = 0; j < FAN_IN; j++)
            left += group[e].count != 0 && stage[e][j] < 2;
        if (left == 0) { /* another event takes its place */
            uint32_t from = weir_rng_below(weir_rng_next(&rng), HOSTS);
            for (uint32_t j = 0; j < FAN_IN; j++) {
                list[e][j] = (from + 3 * j) % HOSTS;
                stage[e][j] = 0;
            }
            group[e] = (struct weir_sender_group){ list[e], FAN_IN, ++id };
            begin_of(&group[e], list[e][i]);
            stage[e][i] = 1;
        } else if (stage[e][i] == 0) {
            begin_of(&group[e], list[e][i]);
            stage[e][i] = 1;
        } else if (stage[e][i] == 1) {
            end(list[e][i]);
            stage[e][i] = 2;
        }
        for (e = 0; e < EVENTS; e++)
            for (i = 0; i < FAN_IN && group[e].count != 0; i++)
                active[list[e][i]] |= stage[e][i] < 2;
        for (i = 0; i < HOSTS; i++)
            senders += active[i];
        assert_int_equal(rx.senders, senders);
        if (rx.advertised != NULL)
            assert_int_equal(advertised(senders), FAN_IN - 1);
    }
}

/* ---- weights ---- */

static void codes_are_exact_for_whole_numbers_and_a_thousandth_above_others(void **state)
{
    struct weir_rng rng = { .key = weir_rng_key(34, 2, WEIR_RNG_TEST, 0) };
    (void)state;
    cfg.weights = 1;
    assert_int_equal(weir_dart_code(1024), 1);
    assert_int_equal(weir_dart_code(1025), 2);
    assert_int_equal(weir_dart_code(2047), 1024);
    assert_int_equal(weir_dart_code(2048), 1025);
    assert_int_equal(weir_dart_code(2049), 1026); /* as 2050 */
    assert_int_equal(weir_dart_code(2050), 1026);
    assert_int_equal(weir_dart_code(UINT64_C(2046) << 15), WEIR_DART_CODE_MAX);
    assert_int_equal(weir_dart_code(UINT64_C(1) << 58), WEIR_DART_CODE_MAX);
    for (uint32_t n = 1; n <= 2048; n++)
        assert_int_equal(weir_dart_parts_q10(&cfg, weir_dart_code((uint64_t)n << 10)), n << 10);
    for (int i = 0; i < 10000; i++) {
        uint64_t parts = 1024 + (weir_rng_next(&rng) >> 12) % ((UINT64_C(2046) << 15) >> i % 16);
        uint64_t back = weir_dart_parts_q10(&cfg, weir_dart_code(parts));
        assert_true(back >= parts && back - parts < parts / 1024 + 1);
    }
}

static void begin_weighted(uint32_t src, uint64_t weight_q20)
{
    weir_dart_ops.rx_begin(
        &rx, &cfg, &(struct weir_rx_event){ .now_ps = now_ps, .src = src, .head = { .weight_q20 = weight_q20 } });
}

/* 3 and 1: 4 / 3 is 1365 1/3 of 1024, so 1366, code 1 + 342; 4 is code 1 + 2 * 1024. Three of one weight have the codes of 3. */
static void parts_are_the_weight_over_the_sum(void **state)
{
    (void)state;
    cfg.weights = 1;
    assert_int_equal(weir_cc_heads(&weir_dart_ops, &cfg), WEIR_HEAD_GROUP | WEIR_HEAD_WEIGHT);
    begin_weighted(5, 3 << 20), begin_weighted(6, 1 << 20);
    assert_int_equal(data(5, 1538, false), 343);
    assert_int_equal(data(6, 1538, false), 2049);
    begin_weighted(6, 3 << 20); /* the message that began last */
    assert_int_equal(data(6, 1538, false), 1025);
    end(6);
    assert_int_equal(data(6, 1538, false), 1025);
    begin_weighted(7, 0); /* not known: 1.0, so 7 in all */
    assert_int_equal(data(7, 1538, false), weir_dart_code(7 << 10));
    end(6), end(5), end(7);
    assert_int_equal(rx.tenant[0].weight_q20, 0);
    begin_weighted(8, 5 << 20);
    assert_int_equal(data(8, 1538, false), 1);
}

static void weights_do_not_count_where_they_are_off(void **state)
{
    (void)state;
    begin_weighted(5, 3 << 20), begin_weighted(6, 1 << 20);
    assert_int_equal(data(5, 1538, false), 2);
    assert_int_equal(data(6, 1538, false), 2);
}

static void senders_without_room_weigh_one(void **state)
{
    (void)state;
    cfg.weights = 1;
    for (uint32_t src = 0; src < 192; src++)
        begin_weighted(src, 1 << 19);
    begin_weighted(1000, 9 << 20), begin_weighted(1000, 9 << 20);
    assert_int_equal(data(3, 1538, false), weir_dart_code((192 / 2 + 2) * 2 << 10));
    assert_int_equal(data(1000, 1538, false), weir_dart_code(98 << 10));
    end(1000), end(1000), end(1000);
    assert_int_equal(rx.tenant[0].weight_q20, UINT64_C(96) << 20);
}

static void announced_senders_weigh_one_until_they_begin(void **state)
{
    struct weir_notice out;
    (void)state;
    cfg.weights = 1;
    begin_of(&group_a, 3);
    assert_true(notice(&out));
    assert_int_equal(out.value, weir_dart_code(4 << 10));
    weir_dart_ops.rx_begin(
        &rx, &cfg,
        &(struct weir_rx_event){ .now_ps = now_ps, .src = 4, .head = { .group = &group_a, .weight_q20 = 5 << 20 } });
    assert_int_equal(data(3, 1538, false), weir_dart_code(8 << 10));
    assert_int_equal(data(4, 1538, false), weir_dart_code(8 * 1024 / 5 + 1));
}

/* ---- tenants ---- */

static void begin_for(uint32_t tenant, const struct weir_sender_group *group, uint32_t src)
{
    weir_dart_ops.rx_begin(
        &rx, &cfg,
        &(struct weir_rx_event){ .now_ps = now_ps, .src = src, .head = { .group = group, .tenant = tenant } });
}

static void end_for(uint32_t tenant, uint32_t src)
{
    weir_dart_ops.rx_end(&rx, &cfg,
                         &(struct weir_rx_event){ .now_ps = now_ps, .src = src, .head = { .tenant = tenant } });
}

static uint32_t data_for(uint32_t tenant, uint32_t src, bool ce)
{
    struct weir_data d = { .now_ps = now_ps,
                           .src = src,
                           .tenant = tenant,
                           .wire_bytes = 100,
                           .flags = WEIR_DATA_PAYLOAD | (ce ? WEIR_DATA_CE : 0u) };
    struct weir_echo echo = { .ce = ce };
    weir_dart_ops.rx_data(&rx, &cfg, &d, &echo);
    return echo.share_count;
}

/* Tenant 1 has hosts 3, 4 and 5, tenant 15 has 5 alone: half of the line each, so parts of a sixth and of a half. */
static void each_tenant_has_an_equal_part_for_its_own_senders(void **state)
{
    (void)state;
    cfg.tenants = 1;
    assert_int_equal(weir_cc_heads(&weir_dart_ops, &cfg), WEIR_HEAD_GROUP | WEIR_HEAD_TENANT);
    begin_for(1, NULL, 3), begin_for(1, NULL, 4), begin_for(1, NULL, 5);
    assert_int_equal(data_for(1, 5, false), 3);
    begin_for(15, NULL, 5);
    assert_int_equal(rx.senders, 4);
    assert_int_equal(data_for(1, 5, false), 6);
    assert_int_equal(data_for(15, 5, false), 2);
    end_for(1, 5);
    assert_int_equal(data_for(1, 3, false), 4);
    assert_int_equal(data_for(15, 5, false), 2);
    end_for(1, 3), end_for(1, 4);
    assert_int_equal(data_for(15, 5, false), 1);
    end_for(15, 5);
    assert_int_equal(rx.senders + rx.tenants, 0);
}

static void tenants_are_one_where_they_are_not_kept_apart(void **state)
{
    (void)state;
    begin_for(1, NULL, 5), begin_for(2, NULL, 5), begin_for(2, NULL, 6);
    assert_int_equal(data_for(1, 5, false), 2);
    end_for(2, 5);
    assert_int_equal(rx.senders, 2);
    end_for(2, 5);
    assert_int_equal(rx.senders, 1);
}

static void a_list_counts_in_the_set_of_its_tenant(void **state)
{
    struct weir_notice out;
    (void)state;
    cfg.tenants = 1;
    begin_for(2, NULL, 5);
    begin_for(1, &group_a, 3);
    for (uint32_t i = 1; i < 4; i++) {
        assert_true(notice(&out));
        assert_true(out.dst == four[i] && out.value == 8);
    }
    assert_false(notice(&out));
    assert_int_equal(data_for(2, 5, false), 2);
    begin_for(1, &group_a, 5);
    assert_int_equal(rx.senders, 5);
    end_for(2, 5);
    assert_int_equal(data_for(1, 5, false), 4);
}

/* Tenant 1 weighs 3 + 1, tenant 2 weighs 2: 4 / 3 and 4 / 1 of a half, and all of a half. */
static void weights_count_within_a_tenant(void **state)
{
    (void)state;
    cfg.tenants = cfg.weights = 1;
    for (uint32_t i = 0; i < 3; i++)
        weir_dart_ops.rx_begin(
            &rx, &cfg,
            &(struct weir_rx_event){
                .now_ps = now_ps, .src = i, .head = { .tenant = 1 + i / 2, .weight_q20 = (i == 0 ? 3u : i) << 20 } });
    assert_int_equal(data_for(1, 0, false), weir_dart_code(8 * 1024 / 3 + 1));
    assert_int_equal(data_for(1, 1, false), weir_dart_code(8 << 10));
    assert_int_equal(data_for(2, 2, false), weir_dart_code(2 << 10));
}

static void senders_without_room_are_of_their_tenant(void **state)
{
    (void)state;
    cfg.tenants = 1;
    for (uint32_t src = 0; src < 192; src++)
        begin_for(1, NULL, src);
    begin_for(2, NULL, 7), begin_for(2, NULL, 8);
    assert_int_equal(data_for(2, 7, false), 4);
    assert_int_equal(data_for(1, 7, false), 384);
    end_for(2, 7), end_for(2, 8), end_for(2, 8);
    assert_int_equal(data_for(1, 7, false), 192);
}

static void a_cnp_goes_to_the_host_whosever_its_message_is(void **state)
{
    struct weir_notice out;
    (void)state;
    cfg.tenants = 1;
    begin_for(3, NULL, 1234567 % WEIR_PKT_HOSTS_MAX);
    now_ps += 2 * rx.window_ps;
    (void)data_for(3, 1234567 % WEIR_PKT_HOSTS_MAX, true);
    assert_true(notice(&out));
    assert_true(out.kind == WEIR_DART_CNP && out.dst == 1234567 % WEIR_PKT_HOSTS_MAX);
    _Static_assert(1u << WEIR_DART_HOST_BITS == WEIR_PKT_HOSTS_MAX, "keys of senders hold any host");
}

static void senders_without_room_count_by_message(void **state)
{
    (void)state;
    for (uint32_t src = 0; src < 192; src++)
        begin(src);
    assert_int_equal(rx.senders, 192);
    begin(1000), begin(1000), begin(1001);
    assert_int_equal(data(3, 1538, false), 195);
    end(1000);
    assert_int_equal(data(3, 1538, false), 194);
    end(1000), end(1001);
    for (uint32_t src = 0; src < 192; src++)
        end(src);
    assert_int_equal(rx.senders + rx.others, 0);
}

/* Removing from an open hash table moves others; a plain list says what must be in it. */
static void the_set_is_that_of_a_plain_list(void **state)
{
    struct weir_rng rng = { .key = weir_rng_key(34, 0, WEIR_RNG_TEST, 0) };
    static uint32_t messages[2000];
    uint32_t senders = 0;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint32_t src = weir_rng_below(weir_rng_next(&rng), 2000);
        bool begins = weir_rng_below(weir_rng_next(&rng), 100) < (senders < 100 ? 80 : 20);
        if (begins && senders < 190) {
            senders += messages[src]++ == 0;
            begin(src);
        } else if (messages[src] > 0) {
            senders -= --messages[src] == 0;
            end(src);
        }
        assert_int_equal(rx.senders, senders);
        assert_int_equal(weir_dart_find(&rx, src) != NULL, messages[src] > 0);
    }
    for (uint32_t src = 0; src < 2000; src++)
        assert_int_equal(weir_dart_find(&rx, src) != NULL ? weir_dart_find(&rx, src)->messages : 0, messages[src]);
    memset(messages, 0, sizeof(messages));
}

static void a_silent_sender_is_gone_after_t_soft_and_not_before(void **state)
{
    struct weir_notice out;
    (void)state;
    begin(5);
    now_ps += WEIR_PS_PER_S;
    begin(6);
    assert_int_equal(weir_dart_ops.rx_next_ps(&rx, &cfg), now_ps + WEIR_PS_PER_S);
    now_ps += WEIR_PS_PER_S - 1;
    assert_false(notice(&out));
    assert_int_equal(rx.senders, 2);
    now_ps += 1;
    assert_false(notice(&out));
    assert_int_equal(rx.senders, 1);
    assert_int_equal(data(6, 1538, false), 1);
    assert_int_equal(data(5, 1538, false), 2); /* it was only slow */
    assert_int_equal(weir_dart_find(&rx, 5)->messages, 1);
}

static void an_end_without_a_begin_changes_nothing(void **state)
{
    (void)state;
    end(5);
    assert_int_equal(rx.senders + rx.others, 0);
    assert_int_equal(data(7, 100, false), 1);
}

/* 13,738 B in a window: 64 buckets of 200 ns. */
static void a_full_link_is_one_of_thirteen_thousand_bytes_in_a_window(void **state)
{
    (void)state;
    assert_int_equal(rx.window_ps, 12800 * WEIR_PS_PER_NS);
    assert_int_equal(rx.full_bytes, 13738);
    begin(5);
    receive(5, 215); /* 64 * 215 = 13,760 */
    now_ps += 1;
    (void)data(5, 0, true);
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_RECEIVER);
    assert_int_equal(setup(state), 0);
    begin(5);
    receive(5, 214); /* 13,696 */
    (void)data(5, 0, true);
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_ELSEWHERE);
}

/* The three states: marks and a full link: n, and no CNP; marks alone: 1, and a CNP; no marks: n. */
static void marks_with_a_full_link_are_swallowed_and_others_are_passed(void **state)
{
    struct weir_notice out;
    (void)state;
    begin(5), begin(6), begin(7);
    receive(5, 250);
    assert_int_equal(data(5, 250, true), 3);
    assert_false(notice(&out));
    receive(5, 100); /* the mark is older than a window now */
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_NONE);
    assert_int_equal(data(6, 100, false), 3);
    assert_int_equal(data(6, 100, true), 1);
    assert_true(notice(&out));
    assert_true(out.dst == 6 && out.kind == WEIR_DCQCN_CNP);
    assert_false(notice(&out));
    assert_int_equal(data(7, 100, false), 1); /* for a window */
    cfg.idle_count = WEIR_DART_ONE;
    receive(5, 100);
    assert_int_equal(data(5, 100, false), 1);
}

/* Both congestions persist: of n senders in the set one obeys the count, a round trip later, and of the others nothing arrives. All of it has
 * CE. With n the link is not full, so the marks are passed on with 1; with 1 it is full, so they are swallowed with n. @return the mean
 * time from one change to 1 to the next, in thousandths of a round trip */
static uint64_t cycle_of(uint32_t n)
{
    static uint32_t count_at[4096]; /* advertised, by number of the packet */
    static uint64_t left_ps[4096];
    uint64_t frame_ps = 1538 * 800, first_ps = 0, last_ps = 0;
    uint32_t known = 0, cycles = 0;
    for (uint32_t src = 1; src <= n; src++)
        begin(src);
    now_ps += 2 * rx.window_ps;
    for (uint32_t i = 0; i < 4096; i++) {
        left_ps[i] = now_ps;
        count_at[i] = data(1, 1538, true);
        if (i > 0 && count_at[i] == 1 && count_at[i - 1] == n) {
            first_ps = cycles++ == 0 ? now_ps : first_ps;
            last_ps = now_ps;
        }
        while (known < i && left_ps[known + 1] + path.base_rtt_ps <= now_ps)
            known++;
        now_ps += frame_ps * count_at[known];
    }
    assert_true(cycles > 100);
    return (last_ps - first_ps) * 1000 / (cycles - 1) / path.base_rtt_ps;
}

/* Two round trips until each change shows in what arrives, and what the window takes to be full: 13,738 of 16,000 B, 0.86 of a round trip.
 * It is not full any more after 2262 B less, 0.14 / (1 - 1 / n); the next packet that finds so comes up to n frames later. */
static void both_congestions_at_once_alternate_in_three_to_five_round_trips(void **state)
{
    for (uint32_t n = 2; n <= 16; n++) {
        assert_int_equal(setup(state), 0);
        assert_in_range(cycle_of(n), 3000, 5000);
    }
}

/* A sender that ends leaves marked packets behind for a while; those say nothing. */
static void marks_right_after_a_change_of_the_set_do_not_count(void **state)
{
    (void)state;
    begin(5), begin(6);
    receive(5, 100);
    end(6);
    now_ps += rx.window_ps;
    assert_int_equal(data(5, 100, true), 1); /* n = 1 */
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_NONE);
    now_ps += 1;
    (void)data(5, 100, true);
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_ELSEWHERE);
}

/* One CNP per sender and 50 us: at once, then at the interval's end for what was marked in it. */
static void cnps_keep_their_distance(void **state)
{
    struct weir_notice out;
    uint64_t first_ps;
    (void)state;
    begin(5), begin(6);
    receive(5, 100);
    first_ps = now_ps;
    (void)data(5, 100, true);
    assert_true(notice(&out));
    now_ps += US;
    (void)data(5, 100, true);
    (void)data(6, 100, true);
    assert_true(notice(&out));
    assert_int_equal(out.dst, 6);
    assert_false(notice(&out));
    assert_int_equal(weir_dart_ops.rx_next_ps(&rx, &cfg), first_ps + 50 * US);
    now_ps = first_ps + 50 * US;
    assert_true(notice(&out));
    assert_int_equal(out.dst, 5);
    assert_false(notice(&out));
}

static void hear(uint32_t count)
{
    weir_dart_ops.on_ack(&flow.dcqcn.cc, &cfg, &(struct weir_ack){ .now_ps = now_ps, .share_count = (uint16_t)count });
}

static void the_rate_is_the_line_over_n(void **state)
{
    (void)state;
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE);
    hear(4);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 4);
    hear(0); /* an ACK that does not know */
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 4);
    hear(7);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 7);
    weir_dart_ops.on_start(&flow.dcqcn.cc, &cfg, now_ps);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE);
}

/* 1366 of 1024: the line / (4 / 3), rounded up to a 1024th. */
static void with_weights_the_rate_is_the_line_over_what_the_code_says(void **state)
{
    (void)state;
    cfg.weights = 1;
    hear(343);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE * 1024 / 1366);
    hear(2049);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 4);
    hear(1);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE);
    hear(WEIR_DART_CODE_MAX);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE * 1024 / (2046 << 15));
}

/* A CNP halves DCQCN's rate: alpha is 1. */
static void the_lesser_of_both_rates_counts(void **state)
{
    (void)state;
    hear(3);
    weir_dart_ops.on_notice(&flow.dcqcn.cc, &cfg, &(struct weir_notice){ .now_ps = now_ps, .kind = WEIR_DART_CNP });
    assert_int_equal(flow.dcqcn.rc_bps, LINE / 2);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 3);
    hear(1);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 2);
    weir_dart_ops.on_timer(&flow.dcqcn.cc, &cfg, now_ps + 55 * US); /* fast recovery: half way to 5 Gb/s, where it is */
    hear(2);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 2);
}

static void an_advertised_count_holds_for_a_round_trip(void **state)
{
    (void)state;
    weir_dart_ops.on_notice(&flow.dcqcn.cc, &cfg,
                            &(struct weir_notice){ .now_ps = now_ps, .kind = WEIR_DART_COUNT, .value = 16 });
    weir_dart_ops.on_start(&flow.dcqcn.cc, &cfg, now_ps + path.base_rtt_ps - 1);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 16);
    weir_dart_ops.on_start(&flow.dcqcn.cc, &cfg, now_ps + path.base_rtt_ps);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE);
}

static void keys_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    cfg.t_soft_ps = path.base_rtt_ps;
    law_refused(law_check(weir_dart_check, &cfg, &path), "t_soft");
    cfg.dcqcn.byte_counter_bytes = 1459;
    law_refused(law_check(weir_dart_check, &cfg, &path), "byte_counter");
    cfg.dcqcn.min_rate_bps = LINE + 1;
    law_refused(law_check(weir_dart_check, &cfg, &path), "min_rate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(senders_count_once_however_many_messages_they_have, setup),
        cmocka_unit_test_setup(two_incasts_with_common_senders_count_their_union, setup),
        cmocka_unit_test_setup(a_list_counts_its_senders_at_once_and_once, setup),
        cmocka_unit_test_setup(two_lists_with_common_senders_count_their_union, setup),
        cmocka_unit_test_setup(other_messages_of_an_announced_sender_are_its_own, setup),
        cmocka_unit_test_setup(announced_senders_that_are_silent_are_gone_after_t_soft_and_not_before, setup),
        cmocka_unit_test_setup(announced_messages_keep_their_time_when_others_are_gone, setup),
        cmocka_unit_test_setup(lists_beyond_the_room_are_not_read, setup),
        cmocka_unit_test_setup(announced_senders_without_room_count_when_they_begin, setup),
        cmocka_unit_test_setup(a_message_that_had_no_room_ends_before_what_was_announced, setup),
        cmocka_unit_test_setup(counts_go_with_acks_alone_where_it_says_so, setup),
        cmocka_unit_test_setup(heads_are_read_where_look_ahead_is_on, setup),
        cmocka_unit_test_setup(the_set_with_lists_is_that_of_a_plain_list, setup),
        cmocka_unit_test_setup(codes_are_exact_for_whole_numbers_and_a_thousandth_above_others, setup),
        cmocka_unit_test_setup(parts_are_the_weight_over_the_sum, setup),
        cmocka_unit_test_setup(weights_do_not_count_where_they_are_off, setup),
        cmocka_unit_test_setup(senders_without_room_weigh_one, setup),
        cmocka_unit_test_setup(announced_senders_weigh_one_until_they_begin, setup),
        cmocka_unit_test_setup(each_tenant_has_an_equal_part_for_its_own_senders, setup),
        cmocka_unit_test_setup(tenants_are_one_where_they_are_not_kept_apart, setup),
        cmocka_unit_test_setup(a_list_counts_in_the_set_of_its_tenant, setup),
        cmocka_unit_test_setup(weights_count_within_a_tenant, setup),
        cmocka_unit_test_setup(senders_without_room_are_of_their_tenant, setup),
        cmocka_unit_test_setup(a_cnp_goes_to_the_host_whosever_its_message_is, setup),
        cmocka_unit_test_setup(senders_without_room_count_by_message, setup),
        cmocka_unit_test_setup(the_set_is_that_of_a_plain_list, setup),
        cmocka_unit_test_setup(a_silent_sender_is_gone_after_t_soft_and_not_before, setup),
        cmocka_unit_test_setup(an_end_without_a_begin_changes_nothing, setup),
        cmocka_unit_test_setup(a_full_link_is_one_of_thirteen_thousand_bytes_in_a_window, setup),
        cmocka_unit_test_setup(marks_with_a_full_link_are_swallowed_and_others_are_passed, setup),
        cmocka_unit_test_setup(both_congestions_at_once_alternate_in_three_to_five_round_trips, setup),
        cmocka_unit_test_setup(marks_right_after_a_change_of_the_set_do_not_count, setup),
        cmocka_unit_test_setup(cnps_keep_their_distance, setup),
        cmocka_unit_test_setup(the_rate_is_the_line_over_n, setup),
        cmocka_unit_test_setup(with_weights_the_rate_is_the_line_over_what_the_code_says, setup),
        cmocka_unit_test_setup(the_lesser_of_both_rates_counts, setup),
        cmocka_unit_test_setup(an_advertised_count_holds_for_a_round_trip, setup),
        cmocka_unit_test_setup(keys_that_do_not_fit_are_refused, setup),
    };
    return cmocka_run_group_tests_name("dart", tests, NULL, NULL);
}
