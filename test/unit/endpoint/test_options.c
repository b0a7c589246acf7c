/* test/unit/endpoint/test_options.c - what may be asked for, the defaults, and the refusals of what may not. */
#include "test/unit/refusal.h"
#include "test/unit/endpoint/endpoint_test.h"
#include "proto/expresspass/expresspass.h"
#include "proto/sird/sird.h"

static struct weir_err err;

static struct weir_ep *try(const struct weir_opts *o, int code)
{
    struct weir_net_addr addr = mem_addr(9, 1);
    struct weir_net *net;
    struct weir_ep *e;
    assert_int_equal(mem_plug(mem, &addr, &net), 0);
    assert_int_equal(weir_ep_open_net(&e, o, net, 1, &err), code);
    assert_true((e == NULL) == (code < 0));
    if (e == NULL)
        net->driver->close(net);
    return e;
}

static void unset_options_have_the_documented_defaults(void **state)
{
    struct weir_limits_info l = { .size = sizeof(l) };
    (void)state;
    struct weir_ep *e = try(NULL, 0);
    assert_int_equal(weir_limits(e, &l), 0);
    assert_int_equal(l.mtu, 1500);
    assert_int_equal(l.payload_bytes, 1500 - 20 - 8 - 49);
    assert_true(l.rate_bps == UINT64_C(10000000000));
    assert_int_equal(l.bdp_bytes, 125000); /* 10 Gb/s * 100 us */
    assert_int_equal(e->opts.rx_bytes, 256 << 20);
    assert_int_equal(e->opts.tx_bytes, 64 << 20);
    assert_int_equal(e->opts.max_ops, 65536);
    assert_int_equal(e->opts.max_peers, 4096);
    assert_int_equal(e->opts.spin_us, 20);
    const struct weir_framing *f = &e->host_config.framing;
    assert_int_equal(weir_framing_wire(f, f->payload_bytes), 1538); /* a full Ethernet frame with its gap */
    assert_int_equal(f->ack_wire_bytes, 115);
    assert_int_equal(f->min_wire_bytes, 115);
    const struct weir_sird_config *sird = e->cc_config;
    assert_int_equal(sird->pace_ppm, 970000);     /* preset udp */
    assert_int_equal(sird->bucket.bytes, 187500); /* 1.5 BDP */
    weir_close(e);
}

static void keys_of_the_protocol_are_those_of_a_scenario(void **state)
{
    struct weir_opts o = { .size = sizeof(o), .cc = " sird  B=200KB SThr=0.4BDP receiver_policy=round-robin" };
    (void)state;
    struct weir_ep *e = try(&o, 0);
    const struct weir_sird_config *sird = e->cc_config;
    assert_int_equal(sird->bucket.bytes, 200000);
    assert_int_equal(sird->sthr.bytes, 50000);
    assert_int_equal(sird->receiver_policy, WEIR_SIRD_ROUND_ROBIN);
    assert_int_equal(sird->pace_ppm, 970000);
    weir_close(e);
    o.cc = "sird B=1.5BDP preset=paper"; /* wherever it stands, the preset comes first */
    e = try(&o, 0);
    sird = e->cc_config;
    assert_int_equal(sird->pace_ppm, 1000000);
    assert_int_equal(sird->bucket.bytes, 187500);
    weir_close(e);
}

/* What switches on the way do is said by names, and protocols that need it then run. */
static void a_path_that_holds_credit_back_runs_expresspass(void **state)
{
    struct weir_opts o = { .size = sizeof(o), .cc = "expresspass", .rate_bps = 200000000, .base_rtt_ns = 1000000 };
    const struct weir_expresspass_config *cfg;
    struct weir_ep *e;
    (void)state;
    (void)try(&o, -ENOTSUP);
    assert_string_equal(err.text,
                        "cc: expresspass needs ports that hold credit back, and those of real switches do not");
    assert_string_equal(err.hint, "where all ports on the way do, set opts.path to gate (--path gate)");
    o.path = "gat";
    (void)try(&o, -EINVAL);
    assert_string_equal(err.text, "path: unknown name 'gat'");
    o.path = "gate,a word that is longer than any that is known";
    (void)try(&o, -EINVAL);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "a word that is longer than any");
    o.path = "";
    (void)try(&o, -ENOTSUP);
    o.path = "gate";
    o.cc = "expresspass credit_max=120B";
    (void)try(&o, -EINVAL);
    assert_string_equal(err.text, "cc: credit_max: a credit takes 115 B here");
    o.cc = "expresspass";
    e = try(&o, 0);
    cfg = e->cc_config;
    assert_int_equal(cfg->credit_min_bytes, 115); /* 49 B behind IP and UDP, which take 28, and 38 of Ethernet */
    assert_int_equal(cfg->credit_max_bytes, 115);
    assert_int_equal(cfg->request_ps, 10 * WEIR_PS_PER_MS);
    assert_int_equal(cfg->idle_ps, 10 * WEIR_PS_PER_MS);
    assert_false(e->host_config.measured);
    weir_close(e);
    o.base_rtt_ns = 6000000; /* a request waits for two round trips, silence is four */
    e = try(&o, 0);
    cfg = e->cc_config;
    assert_int_equal(cfg->request_ps, 12 * WEIR_PS_PER_MS);
    assert_int_equal(cfg->idle_ps, 24 * WEIR_PS_PER_MS);
    weir_close(e);
    o.base_rtt_ns = 1000000;
    o.cc = "sird"; /* others may have it, too */
    e = try(&o, 0);
    assert_true(e->host_config.measured);
    weir_close(e);
}

/* Packets of protocols that keep to one path do not leave from several ports: what is refused in the simulator with
 * routes that spray. */
static void protocols_that_keep_to_one_path_have_one_port(void **state)
{
    static const struct {
        const char *cc, *says;
    } wrong[] = {
        { "hpcc", "cc: hpcc compares telemetry with the last of the same path, and opts.spray_ports changes the path" },
        { "fncc", "cc: fncc compares telemetry with the last of the same path, and opts.spray_ports changes the path" },
        { "dart", "cc: dart deflects packets that keep their order otherwise, and with opts.spray_ports they do not" },
        { "expresspass",
          "cc: expresspass needs data to return by the path of its credit, and opts.spray_ports changes the path" },
    };
    struct weir_opts o = { .size = sizeof(o), .path = "gate", .rate_bps = UINT64_C(10000000000) };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        o.cc = wrong[i].cc;
        o.spray_ports = 2;
        (void)try(&o, -ENOTSUP);
        assert_string_equal(err.text, wrong[i].says);
        assert_string_equal(err.hint, "leave opts.spray_ports out (--spray-ports)");
        o.spray_ports = 1;
        weir_close(try(&o, 0));
    }
    o.cc = "sird";
    o.spray_ports = 64;
    weir_close(try(&o, 0));
    for (uint32_t flag = WEIR_OPEN_SHARED; flag != 0; flag = flag == WEIR_OPEN_SHARED ? WEIR_OPEN_STEERED : 0) {
        o.flags = flag;
        (void)try(&o, -EINVAL);
        assert_string_equal(err.text, "opts.spray_ports takes ports that are not shared, and opts.flags has "
                                      "WEIR_OPEN_SHARED or WEIR_OPEN_STEERED");
    }
    o.flags = WEIR_OPEN_SHARED;
    o.spray_ports = 1;
    weir_close(try(&o, 0));
}

/* A packet counts as lost when one sent so many later has arrived: with several ports a BDP and a batch. */
static void packets_from_several_ports_may_overtake_each_other(void **state)
{
    static const struct {
        const char *cc;
        uint32_t ports, pkts;
    } row[] = { { "dctcp", 1, 3 },
                { "dctcp", 2, 125000 / 1417 + 64 }, /* 1500 less the headers of STREAM */
                { "dctcp host.window=512", 2, 128 },
                { "dctcp host.window=64", 2, 16 },
                { "dctcp host.reorder=5", 2, 5 },
                { "dctcp host.reorder=auto", 1, 3 },
                { "dctcp host.reorder=auto host.window=256", 64, 64 } };
    struct weir_opts o = { .size = sizeof(o), .rate_bps = UINT64_C(10000000000) };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct weir_ep *e;
        o.cc = row[i].cc;
        o.spray_ports = row[i].ports;
        e = try(&o, 0);
        assert_int_equal(e->host_config.params.reorder_pkts, row[i].pkts);
        assert_int_equal(e->host_config.hash, row[i].ports > 1 ? WEIR_HASH_PACKET : WEIR_HASH_FLOW);
        weir_close(e);
    }
}

static void an_error_in_the_protocol_is_a_sentence(void **state)
{
    static const struct {
        const char *cc;
        enum weir_err_code refusal;
        const char *key;
        int code;
    } wrong[] = {
        { "rcp", WEIR_E_CONFLICT, "rcp", -ENOTSUP },
        { "rocc", WEIR_E_CONFLICT, "rocc", -ENOTSUP },
        { "none", WEIR_E_CONFLICT, "none", -ENOTSUP },
        { "dcqcn preset=paper-25g", WEIR_E_RANGE, "link_rate", -EINVAL }, /* the link has 10 Gb/s */
        { "dctcp host.rto_min=60ms", WEIR_E_RANGE, "host.rto_min", -EINVAL },
        { "dctcp host.connections=1025", WEIR_E_RANGE, "1024", -EINVAL },
        { "dctcp host.rto_init=401ms", WEIR_E_RANGE, "host.rto_init", -EINVAL },
        { "dctcp host.window=64 host.reorder=64", WEIR_E_RANGE, "host.reorder", -EINVAL },
        { "dctcp host.reply_bytes=4", WEIR_E_UNKNOWN, "host.reply_bytes", -EINVAL }, /* a key of the simulator */
        { "sird host.rto_min=5ms", WEIR_E_UNKNOWN, "host.rto_min", -EINVAL },
        { "dcpim", WEIR_E_CONFLICT, "dcpim", -ENOTSUP },
        { "expresspass", WEIR_E_CONFLICT, "expresspass", -ENOTSUP },
        { "sirt", WEIR_E_UNKNOWN, "sirt", -EINVAL },
        { "  ", WEIR_E_RANGE, "", -EINVAL },
        { "sird preset=fast", WEIR_E_UNKNOWN, "sird", -EINVAL },
        { "sird B", WEIR_E_SYNTAX, "B", -EINVAL },
        { "sird B=12", WEIR_E_UNIT, "B", -EINVAL },
        { "sird B=1KB", WEIR_E_RANGE, "B", -EINVAL },
    };
    struct weir_opts o = { .size = sizeof(o) };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        o.cc = wrong[i].cc;
        (void)try(&o, wrong[i].code);
        assert_refusal(&err, wrong[i].refusal, "", wrong[i].key);
    }
    o.cc = "sird SThrr=1KB";
    (void)try(&o, -EINVAL);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "SThrr");
}

/* Of 1500 bytes, IP and UDP take 28, the header 55, and the area of laws that read queueing delays 4 more; so does Dart's, for
 * tokens. HPCC's packets have room for five records, 80 bytes; FNCC's ACKs have it. */
static void sender_driven_protocols_have_their_packets_and_timers(void **state)
{
    static const struct {
        const char *cc;
        uint32_t mss, area, ack_area;
    } laws[] = {
        { "aimd", 1413, WEIR_WIRE_AREA_64NS, 0 },   { "cubic", 1417, WEIR_WIRE_AREA_NONE, 0 },
        { "dart", 1413, WEIR_WIRE_AREA_64NS, 0 },   { "dcqcn", 1417, WEIR_WIRE_AREA_NONE, 0 },
        { "dctcp", 1417, WEIR_WIRE_AREA_NONE, 0 },  { "newreno", 1417, WEIR_WIRE_AREA_NONE, 0 },
        { "soze", 1413, WEIR_WIRE_AREA_64NS, 0 },   { "swift", 1417, WEIR_WIRE_AREA_NONE, 0 },
        { "timely", 1417, WEIR_WIRE_AREA_NONE, 0 }, { "hpcc", 1333, WEIR_WIRE_AREA_NONE, 0 },
        { "fncc", 1417, WEIR_WIRE_AREA_NONE, 84 },
    };
    struct weir_opts o = { .size = sizeof(o) };
    (void)state;
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        o.cc = laws[i].cc;
        struct weir_ep *e = try(&o, 0);
        const struct weir_host_config *cfg = &e->host_config;
        assert_true(e->stream && cfg->cc != NULL && cfg->credit == NULL && cfg->track);
        assert_int_equal(e->mss, laws[i].mss);
        assert_int_equal(e->area_kind, laws[i].area);
        bool tokens = strcmp(laws[i].cc, "dart") == 0; /* which endpoints write, not switches */
        assert_int_equal(e->net->one_by_one,
                         !tokens && (laws[i].mss < 1417 || laws[i].ack_area > 0)); /* for switches */
        assert_int_equal(cfg->tokens, tokens ? 4 : 0);
        assert_int_equal(cfg->token_bytes, tokens ? 16000 + EP_HEAD_BYTES : 0);
        assert_int_equal(weir_framing_wire(&cfg->framing, cfg->framing.payload_bytes), 1538);
        assert_int_equal(cfg->framing.ack_wire_bytes, 28 + 64 + laws[i].ack_area + 38);
        assert_int_equal(cfg->qdelay_unit_ps, !tokens && laws[i].area == WEIR_WIRE_AREA_64NS ? 64000 : 0);
        assert_int_equal(cfg->params.rto_min_ps, 10 * WEIR_PS_PER_MS);
        assert_int_equal(cfg->least_rate_bps, 1538 * 8 * 10); /* a packet in 100 ms */
        weir_close(e);
    }
    o.cc = "dctcp host.rto_min=50ms host.ack_every=2 host.connections=1 g=0.5"; /* as rto_init */
    struct weir_ep *e = try(&o, 0);
    assert_int_equal(e->host_config.params.rto_min_ps, 50 * WEIR_PS_PER_MS);
    assert_int_equal(e->host_config.params.ack_every, 2);
    assert_int_equal(e->host_config.params.connections, 1);
    weir_close(e);
    o.cc = "dart deflect.tokens=7 deflect.short=1GB host.connections=3";
    e = try(&o, 0);
    assert_int_equal(e->host_config.tokens, 7);
    assert_int_equal(e->host_config.token_bytes, 1000000000 + EP_HEAD_BYTES);
    assert_int_equal(e->host_config.params.connections, 3);
    assert_string_equal(e->law, "dart"); /* as the host's, these keys are each end's own */
    weir_close(e);
    o.cc = "dart deflect.tokens=0";
    e = try(&o, 0);
    assert_int_equal(e->host_config.tokens, 0);
    assert_int_equal(e->mss, 1413); /* as its peers' */
    weir_close(e);
    o.cc = "dart";
    o.rate_bps = UINT64_C(200000000);
    e = try(&o, 0);
    assert_int_equal(e->area_kind, WEIR_WIRE_AREA_64NS); /* no delay that would saturate */
    weir_close(e);
    o.rate_bps = 0;
    static const struct {
        const char *cc, *key;
    } none[] = { { "dart deflect.tokens=8", "tokens" },
                 { "dart deflect.entries=4", "deflect.entries" },
                 { "dart deflect=4", "deflect" },
                 { "dart tokens=4", "tokens" },
                 { "dctcp deflect.tokens=4", "deflect.tokens" } };
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        o.cc = none[i].cc;
        (void)try(&o, -EINVAL);
        assert_non_null(strstr(err.text, none[i].key));
    }
    o.cc = "dctcp host.rto_init=400ms host.window=64 host.reorder=63"; /* as rto_max; below window */
    weir_close(try(&o, 0));
    o.cc = "dcqcn"; /* the first preset that fits the link */
    o.rate_bps = UINT64_C(25000000000);
    weir_close(try(&o, 0));
    o.rate_bps = UINT64_C(1000000000);
    (void)try(&o, -EINVAL);
    assert_non_null(strstr(err.text, "link_rate"));
}

static void numbers_out_of_range_are_refused(void **state)
{
    static const struct weir_opts wrong[] = {
        { .size = 3 },
        { .size = sizeof(struct weir_opts), .flags = 32 },
        { .size = sizeof(struct weir_opts), .rx_bytes = 65535 },
        { .size = sizeof(struct weir_opts), .max_ops = (1u << 24) + 1 },
        { .size = sizeof(struct weir_opts), .max_peers = 65001 },
        { .size = sizeof(struct weir_opts), .mtu = 575 },
        { .size = sizeof(struct weir_opts), .mtu = 9001 },
        { .size = sizeof(struct weir_opts), .rate_bps = 999999 },
        { .size = sizeof(struct weir_opts), .peer_timeout_ns = 999999 },
        { .size = sizeof(struct weir_opts), .base_rtt_ns = 1000000001 },
        { .size = sizeof(struct weir_opts), .spray_ports = 65 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        (void)try(&wrong[i], -EINVAL);
        assert_refusal(&err, WEIR_E_RANGE, "", "opts");
    }
}

/* Sets a number among the options. @return false = its field cannot hold it */
static bool set(struct weir_opts *o, const struct weir_param *row, uint64_t amount)
{
    uint32_t narrow = (uint32_t)amount;
    *o = (struct weir_opts){ .size = sizeof(*o) };
    if (row->kind == WEIR_KIND_U64)
        memcpy((char *)o + row->offset, &amount, sizeof(amount));
    else
        memcpy((char *)o + row->offset, &narrow, sizeof(narrow));
    return row->kind == WEIR_KIND_U64 || narrow == amount;
}

/* Rate and MTU are checked once the device is known: numbers_out_of_range_are_refused(). */
static void ranges_hold_at_their_ends(void **state)
{
    struct weir_opts o, read;
    (void)state;
    for (const struct weir_param *row = ep_option_rows; row->key != NULL; row++) {
        if (row->kind == WEIR_KIND_TEXT || row->keyword != NULL)
            continue;
        assert_in_range(row->fallback, row->min, row->max);
        assert_true(set(&o, row, row->min));
        assert_int_equal(ep_options_read(&read, &o, &err), 0);
        assert_true(set(&o, row, row->max));
        assert_int_equal(ep_options_read(&read, &o, &err), 0);
        if (set(&o, row, row->max + 1))
            assert_int_equal(ep_options_read(&read, &o, &err), -EINVAL);
        (void)set(&o, row, row->min - 1); /* 0 = the default, which fits */
        assert_int_equal(ep_options_read(&read, &o, &err), row->min == 1 ? 0 : -EINVAL);
    }
}

static void of_several_wrong_options_the_first_row_is_refused(void **state)
{
    struct weir_opts o = { .size = sizeof(o), .rx_bytes = 1, .max_ops = UINT32_MAX, .base_rtt_ns = UINT64_MAX }, read;
    (void)state;
    assert_int_equal(ep_options_read(&read, &o, &err), -EINVAL);
    assert_non_null(strstr(err.text, "rx_bytes"));
    o.rx_bytes = 0;
    assert_int_equal(ep_options_read(&read, &o, &err), -EINVAL);
    assert_non_null(strstr(err.text, "max_ops"));
    o.flags = 32;
    assert_int_equal(ep_options_read(&read, &o, &err), -EINVAL);
    assert_non_null(strstr(err.text, "flags"));
}

static void structs_of_other_versions_are_accepted(void **state)
{
    struct {
        struct weir_opts opts;
        uint64_t more;
    } newer = { { .size = sizeof(newer) }, 0 };
    struct weir_opts older = { .size = offsetof(struct weir_opts, mtu), .mtu = 1 }; /* mtu was no part of it */
    (void)state;
    weir_close(try(&newer.opts, 0));
    newer.more = 1;
    (void)try(&newer.opts, -EINVAL);
    weir_close(try(&older, 0));
}

static void the_bdp_is_at_least_four_packets(void **state)
{
    struct weir_opts o = { .size = sizeof(o), .mtu = 9000, .rate_bps = 1000000000, .base_rtt_ns = 10000 };
    (void)state;
    struct weir_ep *e = try(&o, 0);
    assert_int_equal(e->host_config.path.bdp_bytes, 4 * 9038); /* four frames, not 1250 bytes */
    assert_int_equal(e->host_config.path.control_rtt_ps, 10 * WEIR_PS_PER_US);
    weir_close(e);
}

static int open_mem(void **state)
{
    (void)state;
    begin();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unset_options_have_the_documented_defaults, open_mem, teardown),
        cmocka_unit_test_setup_teardown(keys_of_the_protocol_are_those_of_a_scenario, open_mem, teardown),
        cmocka_unit_test_setup_teardown(a_path_that_holds_credit_back_runs_expresspass, open_mem, teardown),
        cmocka_unit_test_setup_teardown(protocols_that_keep_to_one_path_have_one_port, open_mem, teardown),
        cmocka_unit_test_setup_teardown(packets_from_several_ports_may_overtake_each_other, open_mem, teardown),
        cmocka_unit_test_setup_teardown(an_error_in_the_protocol_is_a_sentence, open_mem, teardown),
        cmocka_unit_test_setup_teardown(sender_driven_protocols_have_their_packets_and_timers, open_mem, teardown),
        cmocka_unit_test_setup_teardown(numbers_out_of_range_are_refused, open_mem, teardown),
        cmocka_unit_test_setup_teardown(ranges_hold_at_their_ends, open_mem, teardown),
        cmocka_unit_test_setup_teardown(of_several_wrong_options_the_first_row_is_refused, open_mem, teardown),
        cmocka_unit_test_setup_teardown(structs_of_other_versions_are_accepted, open_mem, teardown),
        cmocka_unit_test_setup_teardown(the_bdp_is_at_least_four_packets, open_mem, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/options", tests, NULL, NULL);
}
