/* test/unit/setup/test_setup.c - what only sections together can get wrong: code, place and key of every refusal; and how sizes,
 * thresholds and tolerances come out in the model. Base RTT of the star: 2 (1538 + 84) * 800 + 8000000 ps = 10595200, BDP 13244 B. */
#include "core/cable.h"
#include "test/unit/setup/setup_fixture.h"
#include "features/buffer/buffer.h"
#include "features/fair_rate/fair_rate.h"
#include "features/int/int.h"
#include "features/pfc/pfc.h"
#include "hooks/features.h"
#include <stdio.h>

static void read(const char *text)
{
    parse("dir/a.yaml", text);
}

static void is_refused_with(enum weir_err_code code, uint32_t line, const char *key)
{
    is_refused(line, code, key);
    assert_int_equal(err.code, code);
    assert_string_equal(err.file, line != 0 ? "dir/a.yaml" : "");
}

static void refuses(const char *text, enum weir_err_code code, uint32_t line, const char *key)
{
    read(text);
    is_refused_with(code, line, key);
}

static const struct weir_model *accepts(const char *text)
{
    read(text);
    return is_accepted();
}

#define STAR "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\n" /* line 1 */
#define LEAVES "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2}\n"
#define PERM "traffic: [{kind: permutation, size: 1 KB}]\n"
#define RUN "run: {warmup: 0 us, measure: 1 ms}\n"

/* --- fabric --- */

static void alpha_without_a_limited_buffer_is_refused(void **state)
{
    (void)state;
    refuses(STAR "fabric: {alpha: 1}\n" PERM RUN, WEIR_E_CONFLICT, 2, "alpha");
}

/* What bytes alone can tell is refused by config/; here a BDP has become bytes. */
static void a_ramp_that_falls_once_the_bdp_is_known_is_refused(void **state)
{
    (void)state;
    refuses(STAR "fabric:\n  priorities: 2\n  ecn: {kmin: 1 BDP, kmax: 13243 B}\n" PERM RUN, WEIR_E_CONFLICT, 4,
            "kmin");
}

static void half_a_ramp_is_refused_whoever_made_the_scenario(void **state)
{
    (void)state;
    read(STAR "fabric: {ecn: {kmin: 1 KB, kmax: 2 KB}}\n" PERM RUN);
    ecn_of(&scn)->kmax = (struct weir_size){ .bytes = UINT64_MAX };
    is_refused_with(WEIR_E_CONFLICT, 2, "kmin");
    ecn_of(&scn)->kmax = (struct weir_size){ .bytes = 2000 };
    ecn_of(&scn)->kmin = (struct weir_size){ .bytes = UINT64_MAX };
    is_refused_with(WEIR_E_CONFLICT, 2, "kmax");
}

static const struct weir_buffer_model *sharing(const struct weir_model *m)
{
    return weir_features_find(&m->features, "shared-buffer")->model;
}

static const struct weir_int_model *telemetry(const struct weir_model *m)
{
    return weir_features_find(&m->features, "int")->model;
}

static const struct weir_pfc_model *pausing(const struct weir_model *m)
{
    return weir_features_find(&m->features, "pfc")->model;
}

static const struct weir_ecn_model *marking(const struct weir_model *m)
{
    return weir_features_find(&m->features, "ecn")->model;
}

static void a_threshold_in_bdp_becomes_bytes_and_marks_as_a_ramp_of_no_width(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(STAR "fabric: {ecn: {threshold: 1.5 BDP, where: core}}\n" PERM RUN);
    assert_int_equal(setup.base_rtt_ps, 10595200);
    assert_int_equal(m->host.path.base_rtt_ps, 10595200);
    assert_int_equal(m->host.path.control_rtt_ps, 8000000 + 4 * 84 * 800);
    assert_int_equal(setup.bdp_bytes, 13244);
    assert_int_equal(marking(m)->ramp.kmin_bytes, 19866);
    assert_int_equal(marking(m)->ramp.kmax_bytes, 19866);
    assert_int_equal(marking(m)->where, WEIR_ECN_CORE);
    assert_int_equal(m->group_edge[0], 1460);
    assert_int_equal(m->group_edge[1], 13244);
    assert_int_equal(m->group_edge[2], 8 * 13244);
}

/* Whoever compares protocols compares the same messages: frames, and the BDP they make, are the protocol's; edges are not. */
static void groups_of_sizes_do_not_depend_on_the_protocols_frames(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(STAR "protocol: {name: timely, preset: hpcc}\n" PERM RUN);
    assert_int_equal(m->host.path.mss_bytes, 1000);
    assert_int_not_equal(setup.bdp_bytes, 13244);
    assert_int_equal(m->group_edge[0], 1460);
    assert_int_equal(m->group_edge[1], 13244);
    assert_int_equal(m->group_edge[2], 8 * 13244);
    (void)end(state);
    m = accepts("topology: {kind: star, hosts: 3, bdp: 100 KB}\nprotocol: {name: sird}\n" PERM
                "run: {warmup: 0 us, measure: 1 ms, group_c: 5 MB}\n");
    assert_int_equal(m->group_edge[0], 1460);
    assert_int_equal(m->group_edge[1], 100000);
    assert_int_equal(m->group_edge[2], 5000000);
}

static void alpha_is_rounded_down_to_1024ths_but_never_to_off(void **state)
{
    (void)state;
    assert_int_equal(sharing(accepts(STAR "fabric: {buffer: 1 MB, alpha: 0.5}\n" PERM RUN))->alpha_q10, 512);
    assert_int_equal(sharing(accepts(STAR "fabric: {buffer: 1 MB, alpha: 0.000001}\n" PERM RUN))->alpha_q10, 1);
    assert_null(weir_features_find(&accepts(STAR "fabric: {buffer: 1 MB}\n" PERM RUN)->features, "shared-buffer"));
    assert_int_equal(setup.model.memory_bytes, 1000000);
}

/* --- RPM --- */

static void rpm_without_marks_or_ecn_is_refused(void **state)
{
    (void)state;
    refuses(STAR "protocol: {name: dctcp}\nfabric:\n  ecn: {threshold: off}\n  rpm: {entries: 16}\n" PERM RUN,
            WEIR_E_CONFLICT, 5, "RPM");
    refuses(STAR "protocol: {name: timely}\nfabric:\n  ecn: {threshold: 1 BDP}\n  rpm: on\n" PERM RUN, WEIR_E_CONFLICT,
            5, "RPM");
    refuses(STAR "protocol: {name: cubic}\nhost: {ecn: off}\nfabric:\n  ecn: {threshold: 1 BDP}\n  rpm: on\n" PERM RUN,
            WEIR_E_CONFLICT, 6, "RPM");
    refuses(STAR "protocol: {name: sird}\nfabric: {ecn: {threshold: 1 BDP}, rpm: on}\n" PERM RUN, WEIR_E_CONFLICT, 3,
            "RPM");
}

static void rpm_is_on_with_marks_and_warns_of_ways_that_differ(void **state)
{
    const struct weir_feature_on *on;
    (void)state;
    on = weir_features_find(&accepts(STAR "fabric: {codel: p4, rpm: on}\n" PERM RUN)->features, "rpm");
    assert_non_null(on);
    assert_null(on->warning);
    on = weir_features_find(&accepts(STAR "protocol: {name: cubic}\nfabric: {codel: p4, rpm: on}\n" PERM RUN)->features,
                            "rpm");
    assert_non_null(on);
    on = weir_features_find(&accepts(LEAVES "fabric: {codel: p4, rpm: on}\n" PERM RUN)->features, "rpm");
    assert_non_null(on->warning);
    on = weir_features_find(&accepts(LEAVES "fabric: {codel: p4, rpm: on, routing: symmetric}\n" PERM RUN)->features,
                            "rpm");
    assert_null(on->warning);
    assert_null(weir_features_find(&accepts(STAR "fabric: {codel: p4, rpm: off}\n" PERM RUN)->features, "rpm"));
}

/* --- hosts of several rates --- */

#define TWO_RATES "hosts:\n  - {at: host 1, link: 2500 Mbps}\n  - {at: host 1..2, link: 5 Gbps}\n"

static void each_host_has_its_own_rate_and_the_later_item_holds(void **state)
{
    const struct weir_model *m;
    struct weir_path path;
    (void)state;
    m = accepts(STAR TWO_RATES PERM RUN);
    assert_true(m->host.path.rate_bps == 10000000000);
    assert_true(m->host.links[0].up_bps == 10000000000);
    assert_true(m->host.links[1].up_bps == 5000000000 && m->host.links[1].down_bps == 5000000000);
    path = weir_host_path(&m->host, 0, 1);
    assert_true(path.rate_bps == 5000000000); /* the lesser of both ends */
    assert_int_equal(path.bdp_bytes, m->host.path.bdp_bytes / 2);
    assert_true(weir_host_path(&m->host, 1, 0).rate_bps == 5000000000);
    assert_true(weir_host_path(&m->host, 0, 0).rate_bps == 10000000000);
    m = accepts(STAR PERM RUN);
    assert_null(m->host.links);
}

static void hosts_of_several_rates_that_a_law_or_the_network_cannot_have_are_refused(void **state)
{
    (void)state;
    refuses(STAR "hosts:\n  - {at: host 99, link: 25 Gbps}\n" PERM RUN, WEIR_E_UNKNOWN, 3, "host 99");
    refuses(STAR "protocol: {name: dcpim}\n" TWO_RATES PERM RUN, WEIR_E_CONFLICT, 1, "dcpim");
    refuses(STAR "protocol: {name: timely, min_rate: 6 Gbps}\n" TWO_RATES PERM RUN, WEIR_E_CONFLICT, 2, "min_rate");
}

/* --- hosts of several NICs --- */

#define PLANES(more)                                                                                                   \
    "topology: {kind: planes, planes: 2, hosts: 3, racks: 1, spines: 1, host_link: 10 Gbps, core_link: 10 Gbps, "      \
    "host_delay: 2 us, core_delay: 2 us" more "}\n"

/* Of two cables at 10 Gb/s each way: 2 * 2 us and 2 * 1538 B for the packet, and as much with 84 B for its ACK. A BDP
 * that the scenario gives is of the slowest transport, and here both are alike. */
static void each_nic_has_the_path_of_its_own_plane(void **state)
{
    (void)state;
    for (uint32_t given = 0; given < 2; given++) {
        const struct weir_model *m = given == 0 ? accepts(PLANES("") "host: {nics: rail}\n" PERM RUN)
                                                : accepts(PLANES(", bdp: 100 KB") "host: {nics: rail}\n" PERM RUN);
        assert_int_equal(m->host.nics->count, 2);
        for (uint32_t t = 0; t < 2; t++) {
            const struct weir_path *path = &m->host.nics->transport[t].path;
            assert_true(path->rate_bps == 10000000000);
            assert_int_equal(path->base_rtt_ps, 4 * 2000000 + 2 * (1538 + 84) * 800);
            assert_int_equal(path->control_rtt_ps, 4 * 2000000 + 4 * 84 * 800);
            assert_int_equal(path->bdp_bytes, given == 0 ? 13244 : 100000); /* 10595200 ps of 800 ps per byte */
        }
    }
}

/* --- deflection --- */

static void deflection_that_cannot_act_is_refused(void **state)
{
    (void)state;
    refuses(LEAVES "protocol: {name: none}\nfabric:\n  deflect: on\n" PERM RUN, WEIR_E_CONFLICT, 4, "deflection");
    refuses(LEAVES "protocol: {name: sird}\nfabric:\n  deflect: on\n" PERM RUN, WEIR_E_CONFLICT, 4, "deflection");
    refuses(LEAVES "host: {nic_queue: unlimited}\nfabric:\n  deflect: on\n" PERM RUN, WEIR_E_CONFLICT, 4, "deflection");
    refuses(LEAVES "fabric:\n  routing: spray\n  deflect: on\n" PERM RUN, WEIR_E_CONFLICT, 4, "deflection");
    refuses(LEAVES "fabric:\n  routing: trees\n  deflect: on\n" PERM RUN, WEIR_E_CONFLICT, 4, "deflected");
    refuses(STAR "fabric:\n  deflect: on\n" PERM RUN, WEIR_E_CONFLICT, 3, "deflection");
    refuses("topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 1}\nfabric:\n  deflect: on\n" PERM RUN,
            WEIR_E_CONFLICT, 3, "deflection");
}

/* It comes before marking: what is not deflected may be marked. */
static void deflection_begins_below_the_queue_that_is_marked(void **state)
{
    (void)state;
    refuses(LEAVES "fabric:\n  ecn: {threshold: 15 KB}\n  deflect: {threshold: 15 KB}\n" PERM RUN, WEIR_E_CONFLICT, 4,
            "threshold");
    refuses(LEAVES "fabric:\n  ecn: {kmin: 10 KB, kmax: 60 KB}\n  deflect: on\n" PERM RUN, WEIR_E_CONFLICT, 4,
            "threshold");
    refuses(LEAVES "fabric:\n  ecn: {threshold: 0 B}\n  deflect: {threshold: 0 B}\n" PERM RUN, WEIR_E_CONFLICT, 4,
            "threshold");
    (void)accepts(LEAVES "fabric:\n  ecn: {threshold: 15001 B}\n  deflect: {threshold: 15 KB}\n" PERM RUN);
    (void)accepts(LEAVES "fabric:\n  ecn: {threshold: 10 KB}\n  deflect: off\n" PERM RUN);
}

static void short_messages_of_hosts_have_tokens(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(LEAVES "fabric: {ecn: {threshold: 1 MB}, deflect: {tokens: 3, short: 9 KB}}\n" PERM RUN);
    assert_int_equal(m->host.tokens, 3);
    assert_int_equal(m->host.token_bytes, 9000);
    assert_int_equal(accepts(LEAVES "fabric: {ecn: {threshold: 1 MB}}\n" PERM RUN)->host.tokens, 0);
}

/* --- short messages first --- */

static void short_first_needs_classes_of_its_own(void **state)
{
    (void)state;
    refuses(STAR "host: {short: 8 KB}\nfabric: {priorities: 2, ecn: {threshold: 1 MB}}\n" PERM RUN, WEIR_E_CONFLICT, 2,
            "short");
    refuses(STAR "host: {short: 8 KB}\nfabric: {priorities: 3, ecn: {threshold: 1 MB}, queues: per-flow}\n" PERM RUN,
            WEIR_E_CONFLICT, 2, "short");
    refuses(STAR "protocol: sird\nhost: {short: 8 KB}\nfabric: {priorities: 3}\n" PERM RUN, WEIR_E_CONFLICT, 3,
            "short");
    refuses(STAR "protocol: none\nhost: {short: 8 KB}\nfabric: {priorities: 3}\n" PERM RUN, WEIR_E_CONFLICT, 3,
            "short");
    refuses(STAR "protocol: soze\nhost: {short: 8 KB}\nfabric: {priorities: 3}\n" PERM RUN, WEIR_E_CONFLICT, 3,
            "short");
    assert_int_equal(accepts(STAR "host: {short: 8 KB}\nfabric: {priorities: 3, ecn: {threshold: 1 MB}}\n" PERM RUN)
                         ->host.params.short_bytes,
                     8000);
}

static void priq_divides_lossless_data_into_two_classes(void **state)
{
    const struct weir_model *m = accepts(STAR "protocol: {name: dcqcn, preset: priq}\n" PERM RUN);
    const struct weir_pfc_model *pfc = weir_features_find(&m->features, "pfc")->model;
    (void)state;
    assert_int_equal(m->host.params.short_bytes, 16000);
    assert_int_equal(m->host.params.data_class, 1);
    assert_int_equal(m->classes, 3);
    assert_int_equal(pfc->lossless, 1u << 1 | 1u << 2);
    assert_int_equal(pfc->xoff_bytes, 107000);
    refuses("topology: {kind: star, hosts: 3, host_link: 40 Gbps}\nprotocol: {name: dcqcn, preset: priq}\n" PERM RUN,
            WEIR_E_CONFLICT, 2, "link_rate");
}

/* --- virtual lanes --- */

#define LANES(lanes, more) LEAVES "fabric:\n  lanes: " lanes "\n  ecn: {threshold: 1 MB}\n" more PERM RUN
#define DEFLECT "  deflect: {tokens: 4}\n"
#define WITH_PFC "  pfc: static\n"
#define TWO "  priorities: 2\n"

static void lanes_of_no_use_are_refused(void **state)
{
    (void)state;
    refuses(LANES("5", TWO WITH_PFC), WEIR_E_CONFLICT, 3, "deflect");
    refuses(LANES("5", TWO DEFLECT), WEIR_E_CONFLICT, 3, "pfc");
    refuses(LANES("5", TWO DEFLECT WITH_PFC "  queues: per-flow\n"), WEIR_E_CONFLICT, 3, "weighted round robin");
}

static void lanes_that_do_not_fit_tokens_or_classes_are_refused(void **state)
{
    (void)state;
    refuses(LANES("4", TWO DEFLECT WITH_PFC), WEIR_E_CONFLICT, 6, "lanes"); /* 2 or 5 */
    refuses(LANES("5", DEFLECT WITH_PFC), WEIR_E_CONFLICT, 3, "lanes");     /* ACKs need a class of their own */
    refuses(LANES("5", "  priorities: 3\n" DEFLECT WITH_PFC), WEIR_E_CONFLICT, 3, "lanes");
    refuses(LANES("5", TWO DEFLECT WITH_PFC "host: {ack_class: 1}\n"), WEIR_E_CONFLICT, 3, "lanes");
    refuses(LANES("8", TWO "  deflect: {tokens: 7}\n" WITH_PFC), WEIR_E_CONFLICT, 3, "lanes");
    (void)accepts(LANES("7", TWO "  deflect: {tokens: 6}\n" WITH_PFC));
    (void)accepts(LANES("off", DEFLECT WITH_PFC));
}

static void readings_of_deflection_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    refuses(LANES("5", TWO "  deflect: {tokens: 4, key: message}\n" WITH_PFC), WEIR_E_CONFLICT, 6, "key");
    refuses(LANES("5", TWO "  deflect: {tokens: 4, escape: paused}\n" WITH_PFC), WEIR_E_CONFLICT, 6, "escape");
    assert_true(accepts(LANES("2", TWO "  deflect: {tokens: 1, escape: paused}\n" WITH_PFC))->escapes);
    assert_false(accepts(LANES("2", TWO DEFLECT WITH_PFC))->escapes);
    refuses(LEAVES "fabric:\n  ecn: {threshold: 1 MB}\n  deflect: {spend: first}\n" PERM RUN, WEIR_E_CONFLICT, 4,
            "spend");
    (void)accepts(LEAVES "fabric:\n  ecn: {threshold: 1 MB}\n  deflect: {spend: first, key: message}\n" PERM RUN);
}

static void lanes_are_the_last_classes_of_ports_and_lossless(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(LANES("5", TWO DEFLECT WITH_PFC));
    assert_int_equal(m->classes, 6);
    assert_int_equal(m->aged_classes, 5);
    assert_int_equal(m->host.lanes, 5);
    assert_int_equal(m->features.lossless, 0x3e); /* not ACKs */
    m = accepts(LANES("2", "  priorities: 3\n" DEFLECT WITH_PFC "host: {data_class: 2, ack_class: 1}\n"));
    assert_int_equal(m->classes, 4);
    assert_int_equal(m->aged_classes, 2);
    m = accepts(LANES("off", TWO DEFLECT WITH_PFC));
    assert_int_equal(m->classes, 2);
    assert_int_equal(m->aged_classes + m->host.lanes, 0);
}

/* --- events --- */

static void a_cable_that_is_not_there_is_refused(void **state)
{
    static const struct {
        const char *link, *key;
    } row[] = {
        { "leaf 0 - leaf 1", "leaf 0 - leaf 1" }, /* both exist, no cable between them */
        { "leaf 0 - spine 2", "leaf 0 - spine 2" },
        { "host 3 - leaf 0", "host 3 - leaf 0" },
        { "leaf 0", "leaf 0" },
        { "leaf 0-spine 1", "leaf 0-spine 1" },
        { "- ", "- " },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text), LEAVES "fabric:\n  events:\n    - {time: 1 us, cable: '%s'}\n" PERM RUN,
                       row[i].link);
        refuses(text, WEIR_E_UNKNOWN, 4, row[i].key);
    }
}

static void two_events_of_a_cable_at_once_are_refused_from_whichever_end(void **state)
{
    (void)state;
    refuses(LEAVES
            "fabric:\n  events:\n    - {time: 1 us, cable: leaf 0 - spine 1}\n    - {time: 2 us, cable: leaf 0 - "
            "spine 1, state: up}\n"
            "    - {time: 1 us, cable: spine 1 - leaf 0, state: up}\n" PERM RUN,
            WEIR_E_CONFLICT, 6, "spine 1 - leaf 0");
}

static void events_are_sorted_by_time_and_named_by_the_lower_link(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(LEAVES
                "fabric:\n  events:\n    - {time: 2 us, cable: spine 1 - leaf 0, state: up}\n"
                "    - {time: 2 us, cable: leaf 0 - host 0}\n    - {time: 1 us, cable: leaf 0 - spine 1}\n" PERM RUN);
    assert_int_equal(m->event_count, 3);
    assert_int_equal(m->event[0].at_ps, 1000000);
    assert_false(m->event[0].up);
    assert_int_equal(m->event[1].link, 0); /* host 0's */
    assert_int_equal(m->event[2].link, m->event[0].link);
    assert_true(m->event[2].up);
    assert_true(m->event[0].link < m->topo->link[m->event[0].link].reverse);
}

#define FAILS(list) LEAVES "fabric:\n  events:\n" list PERM RUN

static void a_switch_goes_down_with_its_cables(void **state)
{
    const struct weir_model *m;
    uint32_t sw;
    (void)state;
    m = accepts(FAILS("    - {time: 1 us, switch: spine 1}\n    - {time: 2 us, switch: spine 1, state: up}\n"));
    sw = m->event[0].link;
    assert_int_equal(m->event_count, 4); /* two leaves */
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(m->event[i].at_ps, i < 2 ? 1000000 : 2000000);
        assert_int_equal(m->event[i].up, i >= 2);
        assert_int_equal(m->event[i].flush, i < 2);
        assert_int_equal(m->event[i].link, i % 2 == 0 ? sw : m->event[1].link);
    }
}

static void a_cable_is_up_while_it_and_both_its_ends_are(void **state)
{
    static const bool up[] = { false, false, false, true };
    const struct weir_model *m;
    (void)state;
    m = accepts(FAILS("    - {time: 1 us, cable: leaf 0 - spine 1, queue: wait}\n    - {time: 2 us, host: host 0}\n"
                      "    - {time: 3 us, switch: spine 1}\n    - {time: 4 us, cable: leaf 0 - spine 1, state: up}\n"
                      "    - {time: 5 us, switch: spine 1, state: up}\n"));
    for (uint32_t i = 0, n = 0; i < m->event_count; i++)
        if (m->event[i].link == m->event[0].link)
            assert_int_equal(m->event[i].up, up[n++]);
    assert_false(m->event[0].flush);
    assert_int_equal(m->event_count, 1 + 1 + 2 + 1 + 2);
    assert_int_equal(m->event[1].link, 0); /* host 0's */
    assert_true(m->event[1].flush);
}

static void two_switches_that_go_down_at_once_share_one_event_of_their_cable(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(FAILS("    - {time: 1 us, switch: spine 1}\n    - {time: 1 us, switch: leaf 0}\n"));
    for (uint32_t i = 1; i < m->event_count; i++)
        assert_true(m->event[i].link > m->event[i - 1].link);
}

static void restarts_are_sorted_by_time_and_host(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(
        FAILS("    - {time: 2 us, host: host 1, state: restart}\n    - {time: 2 us, host: host 0, state: restart}\n"
              "    - {time: 2 us, host: host 0, state: up}\n    - {time: 1 us, host: host 1, state: restart}\n"));
    assert_int_equal(m->restart_count, 3);
    assert_int_equal(m->event_count, 1);
    assert_int_equal(m->restart[0].host, 1);
    assert_int_equal(m->restart[0].at_ps, 1000000);
    assert_int_equal(m->restart[1].host, 0);
    assert_int_equal(m->restart[2].host, 1);
}

/* What the process takes down, an item of the list does not bring up, and the other way round. */
static void a_random_failure_is_a_state_of_its_own(void **state)
{
    const struct weir_model *m;
    uint64_t down_ps, up_ps;
    char text[512];
    (void)state;
    m = accepts(LEAVES
                "fabric: {failures: {cables: leaf 0 - spine 1, mtbf: 50 us, mttr: 10 us, until: 100 us}}\n" PERM RUN);
    assert_true(m->event_count >= 2 && m->event_count % 2 == 0 && !m->event[0].up && m->event[0].flush &&
                m->event[1].up);
    down_ps = m->event[0].at_ps;
    up_ps = m->event[1].at_ps;
    (void)snprintf(
        text, sizeof(text),
        LEAVES "fabric: {failures: {cables: leaf 0 - spine 1, mtbf: 50 us, mttr: 10 us, until: 100 us}, "
               "events: [{time: %llu ps, cable: leaf 0 - spine 1, state: up}, {time: %llu ps, cable: leaf 0 - spine 1, "
               "queue: wait}]}\n" PERM RUN,
        (unsigned long long)(down_ps + 1), (unsigned long long)(up_ps - 1));
    m = accepts(text);
    assert_true(m->event[1].at_ps == down_ps + 1 && !m->event[1].up);
    assert_true(m->event[2].at_ps == up_ps - 1 && !m->event[2].up && !m->event[2].flush);
    assert_true(m->event[3].at_ps == up_ps && !m->event[3].up);
}

static void a_process_without_an_end_or_without_what_it_names_is_refused(void **state)
{
    (void)state;
    refuses(LEAVES "fabric: {failures: {mtbf: 1 ms, mttr: 1 us}}\n" PERM "run: {measure: all}\n", WEIR_E_CONFLICT, 2,
            "until");
    refuses(LEAVES "fabric: {failures: {mtbf: 1 ns, mttr: 1 ns}}\n" PERM RUN, WEIR_E_RANGE, 2, "512");
    refuses(LEAVES "fabric: {failures: {cables: a - b, mtbf: 1 ms, mttr: 1 us}}\n" PERM RUN, WEIR_E_UNKNOWN, 2,
            "a - b");
    refuses(LEAVES "fabric: {failures: {switches: tor, mtbf: 1 ms, mttr: 1 us}}\n" PERM RUN, WEIR_E_UNKNOWN, 2, "tor");
}

static void what_cannot_restart_is_refused(void **state)
{
    (void)state;
    refuses(LEAVES "fabric: {events: [{time: 1 us, host: host 0, state: restart}]}\n" PERM
                   "run: {measure: 1 ms, complete_at: sender}\n",
            WEIR_E_CONFLICT, 2, "state restart");
    refuses("topology: {kind: star, hosts: 2, host_link: 100 Gbps}\nfabric: {events: [{time: 1 us, host: host 0, "
            "state: restart}]}\n"
            "traffic: [{kind: poisson, sizes: 64 B, load: 90%}]\nrun: {measure: 1 s}\n",
            WEIR_E_RANGE, 2, "67108863");
}

static void an_event_of_what_is_not_there_is_refused(void **state)
{
    (void)state;
    refuses(FAILS("    - {time: 1 us, switch: spine 9}\n"), WEIR_E_UNKNOWN, 4, "there is no switch 'spine 9'");
    refuses(FAILS("    - {time: 1 us, host: host 99}\n"), WEIR_E_UNKNOWN, 4, "there is no host 'host 99'");
    refuses(FAILS("    - {time: 1 us, host: leaf 0}\n"), WEIR_E_CONFLICT, 4, "'leaf 0' is a switch, not a host");
    refuses(FAILS("    - {time: 1 us, switch: host 0}\n"), WEIR_E_CONFLICT, 4, "'host 0' is a host, not a switch");
    refuses(FAILS("    - {time: 1 us, nic: host 0/1}\n"), WEIR_E_UNKNOWN, 4, "there is no NIC 'host 0/1'");
    refuses(FAILS("    - {time: 1 us, nic: host 99/0}\n"), WEIR_E_UNKNOWN, 4, "there is no NIC 'host 99/0'");
    refuses(FAILS("    - {time: 1 us, nic: leaf 0/0}\n"), WEIR_E_UNKNOWN, 4, "there is no NIC 'leaf 0/0'");
    refuses(FAILS("    - {time: 1 us, nic: host 0}\n"), WEIR_E_UNKNOWN, 4, "there is no NIC 'host 0'");
    refuses(FAILS("    - {time: 1 us, nic: host 0/0x}\n"), WEIR_E_UNKNOWN, 4, "there is no NIC 'host 0/0x'");
    refuses(FAILS("    - {time: 1 us, nic: host 0/0, state: rate, rate: 401 Gbps}\n"), WEIR_E_RANGE, 4,
            "'host 0/0' was built for");
    refuses(FAILS("    - {time: 1 us, cable: leaf 0 - spine 0, state: rate, rate: 401 Gbps}\n"), WEIR_E_RANGE, 4,
            "'leaf 0 - spine 0' was built for");
    refuses(FAILS("    - {time: 1 us, cable: leaf 0 - spine 0, state: rate, rate: 1 Gbps}\n"
                  "    - {time: 1 us, cable: leaf 0 - spine 0, state: rate, rate: 2 Gbps}\n"),
            WEIR_E_CONFLICT, 5, "another event at the same time");
    refuses(LEAVES "fabric: {loss: [{cable: leaf 0 - leaf 1, rate: 1%}]}\n" PERM RUN, WEIR_E_UNKNOWN, 2,
            "there is no cable 'leaf 0 - leaf 1'");
}

/* --- protocol and host --- */

static void a_law_that_asks_gets_the_switches_between_racks(void **state)
{
    const struct weir_host_hops *hops;
    (void)state;
    assert_null(accepts(LEAVES "protocol: {name: timely}\n" PERM RUN)->host.hops.switches);
    assert_int_equal(setup.model.host.path.hops, 3); /* of the longest path */
    hops = &accepts(LEAVES "protocol: {name: swift}\n" PERM RUN)->host.hops;
    assert_int_equal(hops->edges, 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(hops->switches[i], i == 0 || i == 3 ? 1 : 3);
    for (uint32_t host = 0; host < 4; host++)
        assert_int_equal(hops->edge_of[host], host / 2);
}

/* 15 us and a switch, against a round trip of 4 * 5 us. */
static void a_target_below_the_base_round_trip_is_refused(void **state)
{
    (void)state;
    refuses(
        "topology: {kind: star, hosts: 3, host_delay: 5 us}\nprotocol:\n  name: swift\n  base_target: 15 us\n" PERM RUN,
        WEIR_E_CONFLICT, 3, "base_target");
    (void)accepts("topology: {kind: star, hosts: 3, host_delay: 5 us}\nprotocol: {name: swift}\n" PERM RUN);
}

static void a_protocol_that_needs_marks_is_refused_where_nobody_marks(void **state)
{
    (void)state;
    refuses(STAR "protocol:\n  name: dctcp\nfabric: {ecn: {threshold: off}}\n" PERM RUN, WEIR_E_CONFLICT, 3, "dctcp");
}

static void rcp_is_refused_where_ports_do_not_write_rates(void **state)
{
    (void)state;
    refuses(STAR "protocol: {name: rcp}\nfabric: {rcp: off}\n" PERM RUN, WEIR_E_CONFLICT, 2, "rcp");
    refuses(STAR "protocol: {name: rcp}\nfabric:\n  rcp: {period: 1 ms}\n" PERM RUN, WEIR_E_RANGE, 4, "period");
    refuses(STAR "protocol: {name: rcp}\nfabric:\n  queues: per-flow\n" PERM RUN, WEIR_E_CONFLICT, 4, "RCP");
    refuses(STAR "protocol: {name: rcp}\nhost: {nic_queue: unlimited}\n" PERM RUN, WEIR_E_CONFLICT, 2, "RCP");
}

static void rcp_turns_its_ports_on_with_stamps_and_round_trips(void **state)
{
    const struct weir_model *m = accepts(STAR "protocol: {name: rcp}\nfabric: {rcp: {period: 2 us}}\n" PERM RUN);
    const struct weir_feature_on *on = weir_features_find(&m->features, "rcp");
    (void)state;
    assert_non_null(on);
    assert_int_equal(on->period_ps, 2000000);
    assert_int_equal(m->host.qdelay_unit_ps, 1);
    assert_int_equal(m->host.rtt_unit_ps, setup.base_rtt_ps / 32);
    assert_null(weir_features_find(&accepts(STAR PERM RUN)->features, "rcp"));
}

static void a_protocol_refuses_what_does_not_fit_the_path(void **state)
{
    (void)state;
    refuses(STAR "protocol: {name: dctcp, init_cwnd: 1459 B}\n" PERM RUN, WEIR_E_CONFLICT, 2, "init_cwnd");
}

static void timeouts_out_of_order_are_refused(void **state)
{
    static const struct {
        const char *host, *key;
    } row[] = {
        { "{rto_min: 2 ms, rto_max: 1999999999 ps}", "rto_min" },
        { "{rto_min: 6 ms, rto_init: 5999 us}", "rto_min" },
        { "{rto_min: 2 s}", "rto_min" },
        { "{rto_init: 3 ms, rto_max: 2 ms}", "rto_init" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text), STAR "host: %s\n" PERM RUN, row[i].host);
        refuses(text, WEIR_E_CONFLICT, 2, row[i].key);
    }
    (void)accepts(STAR "host: {rto_min: 2 ms, rto_init: 2 ms, rto_max: 2 ms}\n" PERM RUN);
    (void)accepts(STAR "host: {rto_min: 6 ms}\n" PERM RUN);
    (void)accepts(STAR "host: {rto_init: 999 us}\n" PERM RUN);
    (void)accepts(STAR "host: {rto_max: 2 ms}\n" PERM RUN);
}

/* The least and the first timeout, and the time until a run counts as stalled, in us. */
static void assert_timers(const struct weir_model *m, uint64_t min_us, uint64_t init_us, uint64_t stall_us)
{
    assert_int_equal(m->host.params.rto_min_ps, min_us * WEIR_PS_PER_US);
    assert_int_equal(m->host.params.rto_init_ps, init_us * WEIR_PS_PER_US);
    assert_int_equal(m->stall_ps, stall_us * WEIR_PS_PER_US);
    assert_int_equal(scn.host.rto_min_ps, m->host.params.rto_min_ps); /* as the result file has it */
    assert_int_equal(scn.host.rto_init_ps, m->host.params.rto_init_ps);
    assert_int_equal(scn.run.stall_ps, m->stall_ps);
}

/* Every law: DCTCP and RoCC have presets that leave PFC to the fabric, Dart's dasr switches it on. CUBIC's sets a timer. */
static void timers_are_long_where_the_fabric_pauses_and_nothing_sets_them(void **state)
{
    static const char pfc[] = "fabric: {priorities: 2, ecn: {threshold: 1 BDP}, pfc: dynamic}\n";
    static const char *const lossless[] = {
        "protocol: dctcp\n",  "protocol: rocc\n",
        "protocol: timely\n", "protocol: {name: dcqcn, preset: vendor-100g, link_rate: any}\n",
        "protocol: hpcc\n",   "protocol: fncc\n",
        "protocol: dart\n"
    };
    char text[1024];
    (void)state;
    assert_timers(accepts(STAR PERM RUN), 1000, 5000, 100000);
    for (size_t i = 0; i < sizeof(lossless) / sizeof(lossless[0]); i++) {
        (void)snprintf(text, sizeof(text), STAR "%s%s" PERM RUN, lossless[i],
                       i == 3 ? "fabric: {pfc: dynamic}\n" : pfc);
        assert_timers(accepts(text), 100000, 100000, 400000);
    }
    assert_timers(accepts(STAR "protocol: {name: dart, preset: dasr}\n" PERM RUN), 100000, 100000, 400000);
    assert_timers(accepts(STAR "protocol: {name: dart, preset: dasr}\nfabric: {pfc: off}\n" PERM RUN), 1000, 5000,
                  100000);
    assert_timers(
        accepts(STAR "protocol: {name: dart, preset: dasr}\nhost: {rto_min: 1 ms, rto_init: 5 ms}\n" PERM RUN), 1000,
        5000, 100000);
    assert_timers(accepts(STAR "protocol: cubic\nfabric: {pfc: dynamic}\n" PERM RUN), 200000, 1000000, 4000000);
    assert_timers(
        accepts(STAR "protocol: sird\nfabric: {priorities: 2, pfc: {kind: dynamic, classes: all}}\n" PERM RUN), 100000,
        100000, 100000); /* its hosts have no such timers */
    assert_timers(
        accepts(STAR "protocol: {name: dart, preset: dasr}\n" PERM "run: {warmup: 0 us, measure: 1 ms, stall: 7 ms}\n"),
        100000, 100000, 7000);
}

static void an_acknowledgement_that_waits_longer_than_the_timeout_is_refused(void **state)
{
    (void)state;
    refuses(STAR "host: {ack_every: 2, ack_delay: 1000000001 ps}\n" PERM RUN, WEIR_E_CONFLICT, 2, "ack_delay");
    (void)accepts(STAR "host: {ack_every: 2, ack_delay: 1 ms}\n" PERM RUN);
    (void)accepts(STAR "host: {ack_delay: 2 ms}\n" PERM RUN); /* nothing waits */
}

static void a_law_that_needs_marks_refuses_packets_without_ect(void **state)
{
    (void)state;
    refuses(STAR "host: {ecn: off}\n" PERM RUN, WEIR_E_CONFLICT, 2, "ecn");
    (void)accepts(STAR "host: {ecn: rfc3168}\n" PERM RUN);
}

/* The rows of `framing` keep frames below this; a scenario from elsewhere is held to it too. */
static void frames_beyond_the_largest_are_refused(void **state)
{
    (void)state;
    read(STAR PERM RUN);
    scn.framing.payload_bytes = 9651; /* + 58 + 20 = 9729 */
    is_refused_with(WEIR_E_RANGE, 0, "framing");
    scn.framing.payload_bytes = 9650;
    (void)is_accepted();
}

static void spraying_tolerates_a_bdp_of_reordering_and_flows_three_packets(void **state)
{
    static const struct {
        const char *text;
        uint32_t pkts;
        enum weir_host_hash hash;
    } row[] = {
        { STAR PERM RUN, 3, WEIR_HASH_FLOW },
        { STAR "fabric: {routing: symmetric}\n" PERM RUN, 3, WEIR_HASH_SYMMETRIC },
        { STAR "fabric: {routing: spray}\n" PERM RUN, 9, WEIR_HASH_PACKET }, /* 13244 / 1460 */
        { STAR "host: {reorder: 17}\nfabric: {routing: spray}\n" PERM RUN, 17, WEIR_HASH_PACKET },
        { STAR "framing: {payload: 9000 B}\nfabric: {routing: spray}\n" PERM RUN, 3,
          WEIR_HASH_PACKET }, /* 2 would be less */
        { "topology: {kind: star, hosts: 3, host_delay: 1 ms}\nfabric: {routing: spray}\n" PERM RUN,
          WEIR_HOST_WINDOW_PKTS / 4, WEIR_HASH_PACKET },
        { "topology: {kind: star, hosts: 3, host_delay: 1 ms}\nhost: {window: 70}\nfabric: {routing: spray}\n" PERM RUN,
          17, WEIR_HASH_PACKET },
        { STAR "host: {window: 70, reorder: 69}\n" PERM RUN, 69, WEIR_HASH_FLOW },
        { STAR "host: {window: 262144, reorder: 131072}\n" PERM RUN, 131072, WEIR_HASH_FLOW },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct weir_model *m = accepts(row[i].text);
        assert_int_equal(m->host.params.reorder_pkts, row[i].pkts);
        assert_int_equal(m->host.hash, row[i].hash);
    }
}

static void a_window_holds_the_packets_that_find_a_loss(void **state)
{
    (void)state;
    refuses(STAR "host:\n  window: 64\n  reorder: 64\n" PERM RUN, WEIR_E_CONFLICT, 3, "reorder");
    refuses(STAR "host: {reorder: 8192}\n" PERM RUN, WEIR_E_CONFLICT, 2, "reorder");
}

/* --- what switches do besides --- */

#define FAST "topology: {kind: star, hosts: 3, host_link: 100 Gbps}\n" /* line 1 */
#define END PERM RUN

static void without_a_word_nothing_of_it_is_on(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(STAR "fabric: {int: off, pfc: off}\n" END);
    assert_false(weir_features_are_coupled(&m->features));
    assert_null(m->host.rates);
    assert_int_equal(marking(m)->at_bps, 0);
    m = accepts(STAR "fabric: {ecn: {threshold: 1 KB, scale: rate}}\n" END);
    assert_int_equal(marking(m)->at_bps, UINT64_C(10000000000));
}

static void the_protocols_needs_turn_telemetry_on(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(
        "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 400 Gbps}\n"
        "protocol: hpcc\n" END);
    assert_false(telemetry(m)->into_acks);
    assert_int_equal(m->features.records_max, 3); /* leaf, spine, leaf */
    assert_int_equal(telemetry(m)->multi, 1);
    assert_false(telemetry(m)->quantised);
    assert_ptr_equal(m->host.rates, &telemetry(m)->rates);
    assert_int_equal(m->host.rates->count, 2);
    assert_int_equal(m->host.rates->bps[0], UINT64_C(100000000000));
    assert_int_equal(m->host.rates->bps[1], UINT64_C(400000000000));
    m = accepts(FAST "protocol: fncc\nfabric: {int: {period: 1 us}}\n" END);
    assert_true(telemetry(m)->into_acks);
    assert_int_equal(m->features.records_max, 1);
    assert_int_equal(telemetry(m)->period_ps, 1000000);
    assert_int_equal(m->routing, WEIR_ROUTE_SYMMETRIC); /* of its preset */
    m = accepts(FAST "protocol: dctcp\nfabric: {ecn: {threshold: 1 BDP}, int: data}\n" END);
    assert_false(telemetry(m)->into_acks); /* said, not needed */
}

static void records_are_what_the_protocol_reads(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(FAST "protocol: {name: hpcc, preset: ns3}\n" END);
    assert_true(telemetry(m)->quantised);
    assert_int_equal(telemetry(m)->multi, 4); /* 100 / 25 */
    assert_int_equal(telemetry(accepts(FAST "protocol: {name: hpcc, preset: ns3, int_multi: 2}\n" END))->multi, 2);
    refuses(FAST "protocol: {name: hpcc, int: quantised}\nfabric:\n  int: {format: exact}\n" END, WEIR_E_CONFLICT, 4,
            "records");
    refuses(FAST "protocol: hpcc\nfabric:\n  int: {format: quantised}\n" END, WEIR_E_CONFLICT, 4, "records");
    refuses(FAST "protocol: {name: hpcc, preset: ns3}\nfabric:\n  int: {multi: 8}\n" END, WEIR_E_CONFLICT, 4, "multi");
    refuses("topology: {kind: dumbbell, hosts: 4, host_link: 100 Gbps, core_link: 300 Gbps}\n"
            "protocol: {name: hpcc, preset: ns3}\n" END,
            WEIR_E_CONFLICT, 2, "quantised");
}

static void a_path_longer_than_the_records_is_refused(void **state)
{
    (void)state;
    assert_int_equal(
        accepts("topology: {kind: chain, hosts: 8, switches: 8, host_link: 100 Gbps}\nprotocol: hpcc\n" END)
            ->features.records_max,
        8);
    refuses("topology: {kind: chain, hosts: 9, switches: 9, host_link: 100 Gbps}\nprotocol: hpcc\n" END, WEIR_E_RANGE,
            1, "topology");
}

static void routing_that_spoils_telemetry_is_refused(void **state)
{
    (void)state;
    refuses(FAST "protocol: fncc\nfabric: {routing: ecmp}\n" END, WEIR_E_CONFLICT, 3, "routing");
    refuses(FAST "protocol: fncc\nfabric: {routing: spray}\n" END, WEIR_E_CONFLICT, 3, "routing");
    refuses(FAST "protocol: hpcc\nfabric: {routing: spray}\n" END, WEIR_E_CONFLICT, 3, "routing");
}

static void trees_serve_what_symmetric_routing_does_and_have_no_metric(void **state)
{
    const struct weir_model *m = accepts(FAST "protocol: fncc\nfabric: {routing: trees}\n" END);
    (void)state;
    assert_int_equal(m->routing, WEIR_ROUTE_TREES);
    assert_int_equal(m->host.hash, WEIR_HASH_SYMMETRIC);
    refuses(FAST "fabric: {routing: {mode: trees, metric: delay}}\n" END, WEIR_E_CONFLICT, 2, "trees");
}

static void a_need_that_the_fabric_does_not_meet_is_refused(void **state)
{
    (void)state;
    refuses(FAST "protocol: hpcc\nfabric: {int: off}\n" END, WEIR_E_CONFLICT, 2, "hpcc");
    refuses(FAST "protocol: hpcc\nfabric: {int: ack, routing: symmetric}\n" END, WEIR_E_CONFLICT, 2, "hpcc");
    refuses(FAST "protocol: fncc\nfabric: {int: data}\n" END, WEIR_E_CONFLICT, 2, "fncc");
    refuses(FAST "protocol: rocc\nfabric: {fair_rate: off}\n" END, WEIR_E_CONFLICT, 2, "rocc");
    refuses(FAST "protocol: dcqcn\nfabric: {ecn: {threshold: off}}\n" END, WEIR_E_CONFLICT, 2, "dcqcn");
}

static void rates_without_parameters_are_refused(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(FAST "protocol: rocc\n" END);
    assert_int_equal(weir_features_find(&m->features, "fair-rate")->period_ps, 40 * WEIR_PS_PER_US);
    refuses("topology: {kind: dumbbell, hosts: 4, host_link: 100 Gbps, core_link: 1 Gbps}\nprotocol: rocc\n" END,
            WEIR_E_RANGE, 1, "topology");
    refuses(STAR "protocol: dcqcn\n" END, WEIR_E_CONFLICT, 2, "link_rate");
    assert_null(weir_features_find(&accepts(FAST "protocol: timely\n" END)->features, "fair-rate"));
}

/* One set of switches for all schemes of Dart's evaluation: frames of 1500 B, two classes, pauses, and marks where the law wants them. */
static void presets_of_dart_bring_their_network(void **state)
{
    static const struct {
        const char *protocol;
        uint64_t xoff_bytes;
        bool marks, one_path;
    } row[] = { { "{name: timely, preset: dart}", 219500, false, true },
                { "{name: dcqcn, preset: dart}", 219500, true, true },
                { "{name: dart, preset: dasr}", 219500, true, true },
                { "{name: dart, preset: clos}", 39500, true, false } };
    char text[512];
    (void)state;
    for (uint32_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        (void)snprintf(
            text, sizeof(text), "%sprotocol: %s\n" END,
            "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps}\n",
            row[i].protocol);
        const struct weir_model *m = accepts(text);
        const struct weir_pfc_model *pfc = pausing(m);
        assert_true(pfc->is_static);
        assert_int_equal(pfc->xoff_bytes, row[i].xoff_bytes);
        assert_int_equal(pfc->mtu_bytes, 1500);
        assert_int_equal(pfc->lossless & 1, 0); /* ACKs are ahead of data */
        assert_int_equal(weir_features_find(&m->features, "ecn") != NULL, row[i].marks);
        assert_int_equal(weir_features_find(&m->features, "deflect") != NULL, !row[i].one_path);
        assert_int_equal(weir_features_find(&m->features, "lanes") != NULL, !row[i].one_path);
        (void)snprintf(text, sizeof(text), STAR "protocol: %s\n" END, row[i].protocol);
        read(text);
        if (row[i].one_path)
            (void)is_accepted();
        else
            is_refused(0, WEIR_E_CONFLICT, "deflection"); /* the key is no line of the scenario */
    }
}

/* In-links of the star: 10 Gb/s and 2 us, so 5000 B in flight over two delays; 3 * 1538 - 1 + 2 * 84 + 5000 = 9781. */
static void pfc_takes_its_defaults_from_the_sheets(void **state)
{
    const struct weir_pfc_model *pfc;
    (void)state;
    pfc = pausing(accepts(STAR "fabric: {pfc: static}\n" END));
    assert_true(pfc->is_static && !pfc->fixed_headroom);
    assert_int_equal(pfc->lossless, 1);
    assert_int_equal(pfc->mtu_bytes, 1538);
    assert_int_equal(pfc->xoff_bytes, 500000);
    assert_int_equal(pfc->xon_bytes, 496924);
    assert_int_equal(pfc->storm_ps, WEIR_PS_PER_MS);
    pfc = pausing(
        accepts(STAR "fabric: {priorities: 3, pfc: {kind: static, xoff: 3 KB, headroom: 20 KB, storm: off}}\n" END));
    assert_int_equal(pfc->lossless, 6);
    assert_int_equal(pfc->xon_bytes, 3000); /* two packets below would be none */
    assert_true(pfc->fixed_headroom);
    assert_int_equal(pfc->headroom_bytes, 20000);
    assert_int_equal(pfc->storm_ps, 0);
    pfc = pausing(accepts(STAR "fabric: {priorities: 3, pfc: {kind: dynamic, classes: all}}\n" END));
    assert_false(pfc->is_static);
    assert_int_equal(pfc->lossless, 7);
    assert_int_equal(pfc->alpha_shift, 3);
    assert_int_equal(pfc->reserve_bytes, 4096);
    assert_int_equal(pfc->resume_offset_bytes, 3072);
    assert_int_equal(setup.model.memory_bytes, 3355443); /* a fifth of 16 MiB */
    assert_int_equal(scn.fabric.buffer_bytes, 3355443);  /* and results say so */
}

static void headroom_that_the_buffer_cannot_hold_is_refused(void **state)
{
    (void)state;
    (void)accepts(STAR "fabric: {buffer: 1529343 B, pfc: static}\n" END); /* 3 (500000 + 9781) */
    refuses(STAR "fabric:\n  buffer: 1529342 B\n  pfc: static\n" END, WEIR_E_CONFLICT, 4, "switch");
    (void)accepts(STAR "fabric: {buffer: 41632 B, pfc: dynamic}\n" END); /* 3 (4096 + 9781), and a byte to share */
    refuses(STAR "fabric:\n  buffer: 41631 B\n  pfc: dynamic\n" END, WEIR_E_CONFLICT, 4, "switch");
}

static void pfc_that_cannot_work_is_refused(void **state)
{
    (void)state;
    refuses(STAR "fabric:\n  pfc: {kind: static, xoff: 10 KB, xon: 10001 B}\n" END, WEIR_E_CONFLICT, 3, "xon");
    refuses(STAR "host: {data_class: 0}\nfabric: {priorities: 2, pfc: static}\n" END, WEIR_E_CONFLICT, 3, "host");
    (void)accepts(STAR "host: {data_class: 0}\nfabric: {priorities: 2, pfc: {kind: static, classes: all}}\n" END);
}

static void hosts_that_cannot_take_part_are_refused(void **state)
{
    static const struct {
        const char *text, *key;
        uint32_t line;
    } row[] = {
        { FAST "protocol: sird\nfabric: {queues: per-flow, priorities: 1}\n" END, "weighted", 3 },
        { FAST "protocol: sird\nfabric: {int: ack, routing: symmetric}\n" END, "fabric.int", 3 },
        { FAST "protocol: {name: sird, priorities: none}\nfabric: {pfc: static}\n" END, "fabric.pfc", 3 },
        { FAST "protocol: dcpim\nfabric: {priorities: 2}\n" END, "priorities", 3 },
        { FAST "protocol: {name: dcpim, levels: size}\nfabric: {priorities: 6}\n" END, "priorities", 3 },
        { FAST "protocol: {name: dcpim, control_rtt: 1 us}\n" END, "control_rtt", 2 },
        { FAST "protocol: {name: dcpim, rounds: 2, size_rounds: 3}\n" END, "size_rounds", 2 },
        { FAST "protocol: {name: dcpim, short: 40 MB}\n" END, "short", 2 },
        { FAST "protocol: {name: dcpim, window: 40 MB}\n" END, "window", 2 },
        { FAST "protocol: {name: dcpim, loss_timeout: 2 us}\n" END, "loss_timeout", 2 },
        { FAST "host: {nic_queue: unlimited}\nfabric: {pfc: dynamic}\n" END, "PFC", 3 },
        { FAST "protocol: hpcc\nhost: {nic_queue: unlimited}\n" END, "telemetry", 2 },
        { FAST "protocol: rocc\nhost: {nic_queue: unlimited}\n" END, "fabric", 2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        refuses(row[i].text, WEIR_E_CONFLICT, row[i].line, row[i].key);
    }
}

/* --- traffic and run --- */

static void ports_with_too_few_priorities_are_refused(void **state)
{
    (void)state;
    refuses(STAR "protocol: homa\nfabric: {priorities: 7}\n" PERM RUN, WEIR_E_CONFLICT, 3, "priorities");
    refuses(
        STAR
        "protocol: {name: homa, priorities: 3, unsched_levels: 1, overcommit: 2}\nfabric: {priorities: 2}\n" PERM RUN,
        WEIR_E_CONFLICT, 3, "priorities");
    (void)accepts(STAR "protocol: {name: homa, priorities: 3, unsched_levels: 1, overcommit: 2}\n"
                       "fabric: {priorities: 3}\n" PERM RUN);
}

static void messages_of_many_packets_are_refused_without_acknowledgements(void **state)
{
    (void)state;
    refuses(STAR "protocol: none\ntraffic: [{kind: permutation, size: 1461 B}]\n" RUN, WEIR_E_CONFLICT, 2, "none");
    refuses(STAR "protocol: none\ntraffic: [{kind: permutation, size: 1460 B}]\n"
                 "run: {warmup: 0 us, measure: 1 ms, complete_at: sender}\n",
            WEIR_E_CONFLICT, 2, "complete_at");
    refuses(STAR "protocol: none\ntraffic: [{kind: permutation, size: 1 KB, reply: 1461 B}]\n" RUN, WEIR_E_CONFLICT, 2,
            "none");
    refuses(STAR "protocol:\n  name: none\ntraffic: [{kind: poisson, sizes: 2 KB, load: 10%}]\n" RUN, WEIR_E_CONFLICT,
            3, "none");
    (void)accepts(
        STAR
        "protocol: none\ntraffic: [{kind: permutation, size: 1460 B}, {kind: poisson, sizes: 1 B, load: 10%}]\n" RUN);
}

static void waiting_for_the_end_of_endless_traffic_is_refused(void **state)
{
    (void)state;
    refuses(STAR "traffic:\n  - {kind: permutation, size: 1 KB}\n  - {kind: poisson, sizes: 1 KB, load: 10%}\n"
                 "run: {measure: all}\n",
            WEIR_E_CONFLICT, 4, "");
    refuses(STAR "traffic:\n  - {kind: incast, fan_in: 2, size: 1 KB, load: 10%}\nrun: {measure: all}\n",
            WEIR_E_CONFLICT, 3, "incast");
}

static void measure_all_takes_traffic_that_ends(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(STAR "traffic: [{kind: poisson, sizes: 1 KB, load: 10%, stop: 1 ms}]\nrun: {measure: all}\n");
    assert_true(m->until_done);
    assert_int_equal(m->measure_ps, 0);
}

static void sampled_statistics_have_no_means_between_samples(void **state)
{
    const struct weir_model *m;
    (void)state;
    refuses(STAR PERM "run: {measure: 1 ms, sample_average: true, statistics: sampled}\n", WEIR_E_CONFLICT, 3,
            "sample_average");
    refuses(STAR "traffic: [{kind: poisson, sizes: 1 KB, load: 10%}]\n"
                 "run: {measure: auto, most: 2 ms, sample: 1001 ns, statistics: sampled}\n",
            WEIR_E_CONFLICT, 3, "run.sample is longer");
    m = accepts(STAR "traffic: [{kind: poisson, sizes: 1 KB, load: 10%}]\n"
                     "run: {measure: auto, most: 2 ms, sample: 1 us, statistics: sampled}\n");
    assert_true(m->sampled);
    assert_int_equal(m->batch_ps, 1000000);
    m = accepts(STAR PERM "run: {measure: 20 us, statistics: sampled}\n");
    assert_int_equal(m->batch_ps, 1000000);
    m = accepts(STAR PERM "run: {measure: 19999 ns, statistics: sampled}\n");
    assert_int_equal(m->batch_ps, 0); /* a batch would have no sample */
    assert_int_equal(m->batch_count, 0);
    m = accepts(STAR PERM "run: {measure: 19999 ns, sample_average: true}\n");
    assert_false(m->sampled);
    assert_int_equal(m->batch_ps, 999950);
}

static void errors_of_the_rooms_below_are_passed_on(void **state)
{
    (void)state;
    read("topology: {kind: leaf-spine, hosts: 5, racks: 2}\n" PERM RUN);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), WEIR_E_CONFLICT);
    assert_int_equal(err.line, 1);
    read(STAR "traffic: [{kind: poisson, sizes: nowhere, load: 10%}]\n" RUN);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), WEIR_E_UNKNOWN);
    assert_int_equal(err.line, 2);
    assert_null(setup.topo.node);
}

/* Slowdown tables are about what is not incast, unless there is nothing else or the item asks for it. */
static void incasts_are_measured_when_alone_or_by_wish(void **state)
{
    (void)state;
    assert_int_equal(
        accepts(
            STAR
            "traffic: [{kind: incast, fan_in: 2, size: 1 KB, load: 5%}, {kind: poisson, sizes: 1 KB, load: 5%}]\n" RUN)
            ->measured_items,
        2);
    assert_int_equal(accepts(STAR "traffic: [{kind: incast, fan_in: 2, size: 1 KB, load: 5%}]\n" RUN)->measured_items,
                     1);
    assert_int_equal(accepts(STAR "traffic:\n- {kind: incast, fan_in: 2, size: 1 KB, load: 5%, measured: true}\n"
                                  "- {kind: poisson, sizes: 1 KB, load: 5%}\n"
                                  "- {kind: poisson, sizes: 1 KB, load: 5%, measured: false}\n" RUN)
                         ->measured_items,
                     3);
    assert_int_equal(accepts(STAR "traffic:\n- {kind: incast, fan_in: 2, size: 1 KB, load: 5%}\n"
                                  "- {kind: poisson, sizes: 1 KB, load: 5%, measured: false}\n" RUN)
                         ->measured_items,
                     1);
}

#define SETUP_TEST(f) cmocka_unit_test_teardown(f, end)

/* --- look-ahead --- */

#define CROWD "topology: {kind: star, hosts: 32, host_link: 10 Gbps, host_delay: 2 us}\n" /* line 1 */
#define EVENTS "traffic: [{kind: incast, fan_in: 30, size: 10 KB, period: 100 us}]\n"

/* 30 senders and their number: 62 B. */
static void a_list_of_senders_fits_a_first_packet(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(CROWD "protocol: dart\nframing: {payload: 62 B}\n" EVENTS RUN);
    assert_int_equal(m->workload->group_count, 9);
    refuses(CROWD "protocol: dart\nframing: {payload: 61 B}\n" EVENTS RUN, WEIR_E_CONFLICT, 2, "look-ahead");
    m = accepts(CROWD "protocol: {name: dart, look_ahead: false}\nframing: {payload: 61 B}\n" EVENTS RUN);
    assert_int_equal(m->workload->group_count, 0);
    m = accepts(CROWD "protocol: dctcp\nfabric: {ecn: {threshold: 1 BDP}}\n" EVENTS RUN);
    assert_int_equal(m->workload->group_count, 0);
}

static void tenants_need_a_protocol_that_keeps_them_apart(void **state)
{
    (void)state;
    assert_int_equal(accepts(STAR "protocol: {name: dart, tenants: true}\n"
                                  "traffic: [{kind: permutation, size: 1 KB, tenant: 15}]\n" RUN)
                         ->workload->item[0]
                         .tenant,
                     15);
    refuses(STAR "protocol: dart\ntraffic:\n  - {kind: permutation, size: 1 KB}\n"
                 "  - {kind: permutation, size: 1 KB, tenant: 1}\n" RUN,
            WEIR_E_CONFLICT, 5, "tenant");
    refuses(STAR "protocol: sird\ntraffic: [{kind: permutation, size: 1 KB, tenant: 1}]\n" RUN, WEIR_E_CONFLICT, 3,
            "tenant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SETUP_TEST(tenants_need_a_protocol_that_keeps_them_apart),
        SETUP_TEST(a_list_of_senders_fits_a_first_packet),
        SETUP_TEST(alpha_without_a_limited_buffer_is_refused),
        SETUP_TEST(a_ramp_that_falls_once_the_bdp_is_known_is_refused),
        SETUP_TEST(half_a_ramp_is_refused_whoever_made_the_scenario),
        SETUP_TEST(groups_of_sizes_do_not_depend_on_the_protocols_frames),
        SETUP_TEST(a_threshold_in_bdp_becomes_bytes_and_marks_as_a_ramp_of_no_width),
        SETUP_TEST(alpha_is_rounded_down_to_1024ths_but_never_to_off),
        SETUP_TEST(rpm_without_marks_or_ecn_is_refused),
        SETUP_TEST(rpm_is_on_with_marks_and_warns_of_ways_that_differ),
        SETUP_TEST(each_host_has_its_own_rate_and_the_later_item_holds),
        SETUP_TEST(hosts_of_several_rates_that_a_law_or_the_network_cannot_have_are_refused),
        SETUP_TEST(each_nic_has_the_path_of_its_own_plane),
        SETUP_TEST(deflection_that_cannot_act_is_refused),
        SETUP_TEST(deflection_begins_below_the_queue_that_is_marked),
        SETUP_TEST(short_messages_of_hosts_have_tokens),
        SETUP_TEST(short_first_needs_classes_of_its_own),
        SETUP_TEST(priq_divides_lossless_data_into_two_classes),
        SETUP_TEST(lanes_of_no_use_are_refused),
        SETUP_TEST(lanes_that_do_not_fit_tokens_or_classes_are_refused),
        SETUP_TEST(readings_of_deflection_that_do_not_fit_are_refused),
        SETUP_TEST(lanes_are_the_last_classes_of_ports_and_lossless),
        SETUP_TEST(a_cable_that_is_not_there_is_refused),
        SETUP_TEST(two_events_of_a_cable_at_once_are_refused_from_whichever_end),
        SETUP_TEST(events_are_sorted_by_time_and_named_by_the_lower_link),
        SETUP_TEST(a_switch_goes_down_with_its_cables),
        SETUP_TEST(a_cable_is_up_while_it_and_both_its_ends_are),
        SETUP_TEST(two_switches_that_go_down_at_once_share_one_event_of_their_cable),
        SETUP_TEST(restarts_are_sorted_by_time_and_host),
        SETUP_TEST(what_cannot_restart_is_refused),
        SETUP_TEST(a_random_failure_is_a_state_of_its_own),
        SETUP_TEST(a_process_without_an_end_or_without_what_it_names_is_refused),
        SETUP_TEST(an_event_of_what_is_not_there_is_refused),
        SETUP_TEST(a_law_that_asks_gets_the_switches_between_racks),
        SETUP_TEST(a_target_below_the_base_round_trip_is_refused),
        SETUP_TEST(a_protocol_that_needs_marks_is_refused_where_nobody_marks),
        SETUP_TEST(rcp_is_refused_where_ports_do_not_write_rates),
        SETUP_TEST(rcp_turns_its_ports_on_with_stamps_and_round_trips),
        SETUP_TEST(a_protocol_refuses_what_does_not_fit_the_path),
        SETUP_TEST(timeouts_out_of_order_are_refused),
        SETUP_TEST(timers_are_long_where_the_fabric_pauses_and_nothing_sets_them),
        SETUP_TEST(an_acknowledgement_that_waits_longer_than_the_timeout_is_refused),
        SETUP_TEST(a_law_that_needs_marks_refuses_packets_without_ect),
        SETUP_TEST(frames_beyond_the_largest_are_refused),
        SETUP_TEST(spraying_tolerates_a_bdp_of_reordering_and_flows_three_packets),
        SETUP_TEST(a_window_holds_the_packets_that_find_a_loss),
        SETUP_TEST(without_a_word_nothing_of_it_is_on),
        SETUP_TEST(the_protocols_needs_turn_telemetry_on),
        SETUP_TEST(records_are_what_the_protocol_reads),
        SETUP_TEST(a_path_longer_than_the_records_is_refused),
        SETUP_TEST(routing_that_spoils_telemetry_is_refused),
        SETUP_TEST(trees_serve_what_symmetric_routing_does_and_have_no_metric),
        SETUP_TEST(a_need_that_the_fabric_does_not_meet_is_refused),
        SETUP_TEST(rates_without_parameters_are_refused),
        SETUP_TEST(presets_of_dart_bring_their_network),
        SETUP_TEST(pfc_takes_its_defaults_from_the_sheets),
        SETUP_TEST(headroom_that_the_buffer_cannot_hold_is_refused),
        SETUP_TEST(pfc_that_cannot_work_is_refused),
        SETUP_TEST(hosts_that_cannot_take_part_are_refused),
        SETUP_TEST(ports_with_too_few_priorities_are_refused),
        SETUP_TEST(messages_of_many_packets_are_refused_without_acknowledgements),
        SETUP_TEST(waiting_for_the_end_of_endless_traffic_is_refused),
        SETUP_TEST(measure_all_takes_traffic_that_ends),
        SETUP_TEST(sampled_statistics_have_no_means_between_samples),
        SETUP_TEST(errors_of_the_rooms_below_are_passed_on),
        SETUP_TEST(incasts_are_measured_when_alone_or_by_wish),
    };
    return cmocka_run_group_tests_name("setup/setup", tests, NULL, NULL);
}
