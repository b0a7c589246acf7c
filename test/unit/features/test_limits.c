/* test/unit/features/test_limits.c - the decisions of switch features one below their limits, at them and one above. */
#include "test/unit/limit_bench.h"
#include "features/buffer/buffer_core.h"
#include "features/codel/codel_core.h"
#include "features/credit_gate/credit_gate_core.h"
#include "features/deflect/deflect_core.h"
#include "features/ecn/ecn_core.h"
#include "features/int/int_core.h"
#include "features/maxqd/maxqd_core.h"
#include "features/pfc/pfc_core.h"
#include "features/phantom/phantom_core.h"
#include "features/rcp/rcp_core.h"
#include "features/rpm/rpm_core.h"
#include "features/wrr/wrr_core.h"

/* --- memory, marks --- */

static uint64_t buffer_of_free_memory(int at) /* of 5000 B so many are used: alpha 1 of what is free, for 1 B */
{
    const struct weir_buffer_model m = { .port_bytes = UINT64_MAX, .alpha_q10 = 1024 };
    const struct weir_admit a = { .memory_bytes = 5000, .used_bytes = limit_off(5000, at), .bytes = 1 };
    return weir_buffer_admits(&m, &a);
}

static uint64_t buffer_above_alpha(int at) /* 1000 B are free */
{
    const struct weir_buffer_model m = { .port_bytes = UINT64_MAX, .alpha_q10 = 1024 };
    const struct weir_admit a = {
        .memory_bytes = 5000, .used_bytes = 4000, .held_bytes = limit_off(900, at), .bytes = 100
    };
    return weir_buffer_admits(&m, &a);
}

static const struct weir_ecn_ramp ramp = { .kmin_bytes = 1000, .kmax_bytes = 2000, .pmax_ppb = 500000000 };

static uint64_t ecn_least(int at) /* a draw of 0 hits any share above 0 */
{
    return weir_ecn_marks(&ramp, limit_off(1000, at), 0);
}

static uint64_t ecn_most(int at) /* the highest draw does not hit a half */
{
    return weir_ecn_marks(&ramp, limit_off(2000, at), UINT64_MAX);
}

/* --- CoDel: a target of 50 ps, an interval of 1000 --- */

static const struct weir_codel_model codel = { .target_ps = 50, .interval_ps = 1000, .mtu_bytes = 1500 };

static uint64_t codel_p4_is_late(int at) /* in a dropping state of which an event is due */
{
    struct weir_codel_queue q = { .dropping = true, .next_ps = NOW - 9 };
    const struct weir_dequeue d = { .now_ps = NOW, .joined_ps = limit_off(NOW - 50, -at) };
    return weir_codel_p4(&codel, &q, &d);
}

static uint64_t codel_p4_is_due(int at)
{
    struct weir_codel_queue q = { .dropping = true, .next_ps = limit_off(NOW, -at) };
    const struct weir_dequeue d = { .now_ps = NOW };
    return weir_codel_p4(&codel, &q, &d);
}

/* Is a packet too late that waited for so long, with so much behind it, where packets have been late from above_ps on? */
static uint64_t codel_too_long(uint64_t waited_ps, uint64_t queue_bytes, uint64_t above_ps)
{
    struct weir_codel_queue q = { .first_above_ps = above_ps };
    const struct weir_dequeue d = { .now_ps = NOW, .joined_ps = NOW - waited_ps, .queue_bytes = queue_bytes };
    return weir_codel_too_long(&codel, &q, &d);
}

static uint64_t codel_target(int at)
{
    return codel_too_long(limit_off(50, at), 9000, 1);
}

static uint64_t codel_mtu(int at)
{
    return codel_too_long(90, limit_off(1500, at), 1);
}

static uint64_t codel_interval(int at)
{
    return codel_too_long(90, 9000, limit_off(NOW, -at));
}

/* The count with which a dropping state begins, at NOW after one that ended at next_ps. */
static uint64_t codel_begin(uint32_t count, uint64_t next_ps)
{
    struct weir_codel_queue q = { .count = count, .last_count = 3, .next_ps = next_ps };
    weir_codel_begin(&codel, &q, NOW);
    return q.count;
}

static uint64_t codel_recent(int at) /* 16 intervals ago */
{
    return codel_begin(8, limit_off(NOW - 16000, -at));
}

static uint64_t codel_grown(int at) /* by none, one and two */
{
    return codel_begin((uint32_t)(4 + at), NOW);
}

static uint64_t codel_last_packet(int at) /* 0, 1 and 2 bytes behind a dropped one */
{
    struct weir_codel_queue q = { .dropping = true };
    weir_codel_dropped(&q, WEIR_CODEL_AFTER_NEXT, limit_off(1, at));
    return q.dropping;
}

static uint64_t codel_next_event(int at)
{
    struct weir_pkt pkt = { .flags = WEIR_PKT_ECT };
    struct weir_codel_queue q = { .dropping = true, .first_above_ps = 1, .next_ps = limit_off(NOW, -at), .count = 1 };
    const struct weir_dequeue d = { .pkt = &pkt, .now_ps = NOW, .queue_bytes = 9000 };
    return weir_codel_rfc8289(&codel, &q, &d);
}

/* --- credit: tokens of 10 ps and a third --- */

static const struct weir_credit_gate_port bucket = {
    .full_ps = NOW, .full_part = 1, .part_den = 3, .byte_ps = 10, .byte_part = 1, .depth_bytes = 100
};

static uint64_t gate_of_a_large_packet(int at) /* how long before NOW + 1: full at NOW and a third */
{
    return NOW + 1 - weir_credit_gate_opens_ps(&bucket, (uint32_t)(100 + at));
}

static uint64_t
gate_thirds(int at) /* full at NOW and two thirds; 1, 2 and 3 tokens are spare, 10 ps and a third each */
{
    struct weir_credit_gate_port p = bucket;
    p.full_part = 2;
    return NOW + 1 - weir_credit_gate_opens_ps(&p, (uint32_t)(98 - at));
}

static uint64_t gate_is_open(int at) /* a bucket that is full at 100 ps or so: not before 0 */
{
    struct weir_credit_gate_port p = {
        .full_ps = limit_off(100, at), .part_den = 3, .byte_ps = 100, .depth_bytes = 100
    };
    return weir_credit_gate_opens_ps(&p, 99);
}

static uint64_t gate_takes(int at) /* of a bucket that has become full: when it is full again */
{
    struct weir_credit_gate_port p = {
        .full_ps = limit_off(NOW, at), .full_part = 2, .part_den = 3, .byte_ps = 10, .byte_part = 1
    };
    weir_credit_gate_take(&p, 1, NOW);
    return p.full_ps - NOW;
}

/* --- deflection, telemetry, delays --- */

static uint64_t deflect_is_old(int at)
{
    const struct weir_deflect_model m = { .timeout_ps = 500 };
    const struct weir_deflect_entry e = { .tokens = 1, .used_ps = NOW };
    return weir_deflect_is_old(&m, &e, limit_off(NOW + 500, at));
}

static uint64_t deflect_lane(int at) /* lane 5 with two tokens left */
{
    const struct weir_deflect_model m = { .lanes = 3, .lane_class = 3 };
    struct weir_pkt pkt = { .tokens = 2, .class_id = WEIR_PKT_CLASS(5 + at) };
    (void)weir_deflect_enter_lane(&m, &pkt);
    return pkt.class_id;
}

static uint64_t int_in_transmission(int at) /* a byte per ps: what has left of 100 B */
{
    const struct weir_int_port port = { .sent_bytes = 100, .end_ps = NOW, .tx_ps = 100, .tx_bytes = 100 };
    return weir_int_values_at(&port, limit_off(NOW, at), 0).tx_bytes;
}

static uint64_t maxqd_rises(int at) /* 0: it fell, 1: it stayed, 2: it rose */
{
    const struct weir_maxqd_model m = { .filter_ps = 1000000000 };
    const struct weir_pkt pkt = { .kind = WEIR_PKT_DATA };
    struct weir_maxqd_port port = { .begun = true, .start_ps = NOW, .y_q16 = 1000 << 16 };
    weir_maxqd_start(&m, &port, &pkt, NOW + 1000000000 - limit_off(1000, at), NOW + 1000000000);
    return port.y_q16 > 1000 << 16 ? 2 : port.y_q16 == 1000 << 16 ? 1 : 0;
}

static uint64_t maxqd_saturates(int at)
{
    const struct weir_maxqd_model m = { .unit_ps = 1 };
    struct weir_maxqd_port port = { .y_q16 = limit_off(WEIR_PKT_QDELAY_MAX, at) << 16 };
    struct weir_pkt pkt = { .kind = WEIR_PKT_DATA };
    weir_maxqd_stamp(&m, &port, &pkt);
    return port.saturated;
}

static uint64_t phantom_slack(int at) /* the drain falls by 7 per byte */
{
    const struct weir_phantom_model m = { .slack_bytes = 1000, .rho_q20 = 900000 };
    const struct weir_phantom_port p = { .level_bytes = 5000, .fall_q44 = UINT64_C(7) << 24 };
    return weir_phantom_rho_q20(&m, &p, limit_off(1000, at));
}

static uint64_t phantom_is_empty(int at) /* 10 ps drain at 100 * 2^-20 */
{
    const struct weir_phantom_model m = { .rho_q20 = 100, .cap_q20 = 9000 };
    const struct weir_phantom_port p = { .start_ps = NOW - 10, .v_q20 = limit_off(1000, at) };
    return weir_phantom_v_q20(&m, &p, NOW, 0, 0);
}

/* --- RCP, RPM, weighted queues --- */

static uint64_t rcp_average(int at) /* 1000 ps, with a period as long; 1 ps less is less than a whole one */
{
    const struct weir_rcp_port_model m = { .unit_ps = 1, .period_ps = 1000 };
    struct weir_rcp_port p = { .d0_ps = 1000, .rtt_bytes = 1, .rate_bps = 50, .line_bps = 50 };
    p.rtt_products = limit_off(1000, at);
    weir_rcp_average(&m, &p);
    return p.d0_ps;
}

/* The events that are left of a cell of 7, whose last ACK came at seen_ps. */
static uint64_t rpm_left(uint64_t seen_ps, uint64_t expiry_ps)
{
    const struct weir_rpm_model m = { .expiry_ps = expiry_ps };
    struct weir_rpm_cell cell = { .seen_ps = seen_ps, .count = 7 };
    struct weir_rpm_port counts = { 0 };
    weir_rpm_expire(&m, &cell, &counts, NOW);
    return cell.count;
}

static uint64_t rpm_of_the_future(int at)
{
    return rpm_left(limit_off(NOW, -at), 0);
}

static uint64_t rpm_expires(int at)
{
    return rpm_left(limit_off(NOW - 500, -at), 500);
}

static uint64_t rpm_is_full(int at) /* of 20 events */
{
    const struct weir_rpm_model m = { .expiry_ps = 500, .count_max = 20 };
    struct weir_rpm_cell cell = { .seen_ps = NOW, .count = (uint8_t)(20 + at) };
    struct weir_rpm_port counts = { 0 };
    (void)weir_rpm_event(&m, &cell, &counts, NOW);
    return cell.count;
}

static uint64_t wrr_no_weight(int at)
{
    const struct weir_pkt pkt = { .weight = (uint8_t)(1 + at) };
    return weir_wrr_weight(&pkt);
}

static uint64_t wrr_nearest_group(int at) /* 20 is as far from 16 as from 24 */
{
    const struct weir_wrr_model m = { .groups = 2, .group_weight = { 16, 24 } };
    const struct weir_pkt pkt = { .weight = (uint8_t)(20 + at) };
    return weir_wrr_group(&m, &pkt);
}

static uint64_t wrr_distance(int at) /* of a weight around 20 to groups of 22 and 20: 3, 2, 1 to 1, 0, 1 */
{
    const struct weir_wrr_model m = { .groups = 2, .group_weight = { 22, 20 } };
    const struct weir_pkt pkt = { .weight = (uint8_t)(20 + at) };
    return weir_wrr_group(&m, &pkt);
}

/* --- PFC --- */

static const struct weir_pfc_model pfc_static = { .is_static = true, .xoff_bytes = 1000, .xon_bytes = 800 };
static const struct weir_pfc_model pfc_dynamic = { .reserve_bytes = 100, .resume_offset_bytes = 30 };
static const struct weir_pfc_in pfc_in = { .headroom_bytes = 200 };

static uint64_t pfc_admits_static(int at) /* 1000 and 200 */
{
    const struct weir_pfc_pool pool = { 0 };
    const struct weir_pfc_account a = { .bytes = limit_off(1150, at) };
    return weir_pfc_admits(&pfc_static, &pool, &pfc_in, &a, 50);
}

static uint64_t pfc_admits_to_headroom(int at) /* nothing of the pool is free */
{
    const struct weir_pfc_pool pool = { .size_bytes = 500, .used_bytes = 500 };
    const struct weir_pfc_account a = { .bytes = 100, .headroom_bytes = limit_off(150, at) };
    return weir_pfc_admits(&pfc_dynamic, &pool, &pfc_in, &a, 50);
}

static uint64_t pfc_admits_to_pool(int at) /* 300 are free, the headroom is full */
{
    const struct weir_pfc_pool pool = { .size_bytes = 500, .used_bytes = 200 };
    const struct weir_pfc_account a = { .bytes = limit_off(350, at), .headroom_bytes = 200 };
    return weir_pfc_admits(&pfc_dynamic, &pool, &pfc_in, &a, 50);
}

/* What of a packet of 50 B goes to the pool, and thousandfold what goes to the headroom. */
static uint64_t pfc_accept(uint64_t held_bytes, uint64_t used_bytes)
{
    struct weir_pfc_pool pool = { .size_bytes = 500, .used_bytes = used_bytes };
    struct weir_pfc_account a = { .bytes = held_bytes };
    weir_pfc_accept(&pfc_dynamic, &pool, &pfc_in, &a, 50);
    return pool.used_bytes - used_bytes + 1000 * a.headroom_bytes;
}

static uint64_t pfc_accepts_to_reserve(int at)
{
    return pfc_accept(limit_off(50, at), 500);
}

static uint64_t pfc_accepts_to_pool(int at) /* 50 are free */
{
    return pfc_accept(100, limit_off(450, at));
}

static uint64_t pfc_pauses_static(int at)
{
    const struct weir_pfc_pool pool = { 0 };
    const struct weir_pfc_account a = { .bytes = limit_off(1000, at) };
    return weir_pfc_must_pause(&pfc_static, &pool, &pfc_in, &a);
}

static uint64_t pfc_pauses_dynamic(int at) /* 300 are free */
{
    const struct weir_pfc_pool pool = { .size_bytes = 500, .used_bytes = 200 };
    const struct weir_pfc_account a = { .bytes = limit_off(400, at) };
    return weir_pfc_must_pause(&pfc_dynamic, &pool, &pfc_in, &a);
}

static uint64_t pfc_pauses_by_headroom(int at) /* 0, 1 and 2 bytes of it are held */
{
    const struct weir_pfc_pool pool = { .size_bytes = 500 };
    const struct weir_pfc_account a = { .headroom_bytes = limit_off(1, at) };
    return weir_pfc_must_pause(&pfc_dynamic, &pool, &pfc_in, &a);
}

static uint64_t pfc_resumes_static(int at)
{
    const struct weir_pfc_pool pool = { 0 };
    const struct weir_pfc_account a = { .bytes = limit_off(800, at), .paused = true };
    return weir_pfc_may_resume(&pfc_static, &pool, &pfc_in, &a);
}

static uint64_t pfc_resumes_dynamic(int at) /* 30 below the 300 that are free */
{
    const struct weir_pfc_pool pool = { .size_bytes = 500, .used_bytes = 200 };
    const struct weir_pfc_account a = { .bytes = limit_off(370, at), .paused = true };
    return weir_pfc_may_resume(&pfc_dynamic, &pool, &pfc_in, &a);
}

static uint64_t pfc_storms(uint64_t least_ps, uint64_t stretch_ps)
{
    const struct weir_pfc_model m = { .storm_ps = least_ps };
    struct weir_pfc_paused p = { 0 };
    weir_pfc_count_stretch(&m, &p, stretch_ps);
    return p.storms;
}

static uint64_t pfc_storm(int at)
{
    return pfc_storms(500, limit_off(500, at));
}

static uint64_t pfc_storms_are_counted(int at) /* longer than 0 (none is), 1 and 2 ps */
{
    return pfc_storms(limit_off(1, at), 9);
}

static uint64_t pfc_pause_of_the_future(int at)
{
    struct weir_pfc_paused p = { .classes = 1, .since_ps = { limit_off(NOW, -at) } };
    weir_pfc_forget(&pfc_static, &p, NOW);
    return p.sum_ps;
}

static const struct limit_row rows[] = {
    LIMIT(buffer_of_free_memory, WEIR_BUFFER_ADMITS, WEIR_BUFFER_ABOVE_ALPHA, WEIR_BUFFER_ABOVE_ALPHA),
    LIMIT(buffer_above_alpha, WEIR_BUFFER_ADMITS, WEIR_BUFFER_ADMITS, WEIR_BUFFER_ABOVE_ALPHA),
    LIMIT(ecn_least, 0, 0, 1),
    LIMIT(ecn_most, 0, 1, 1),
    LIMIT(codel_p4_is_late, 0, 1, 1),
    LIMIT(codel_p4_is_due, 0, 0, 1),
    LIMIT(codel_target, 0, 1, 1),
    LIMIT(codel_mtu, 0, 0, 1),
    LIMIT(codel_interval, 0, 1, 1),
    LIMIT(codel_recent, 5, 1, 1),
    LIMIT(codel_grown, 1, 1, 2),
    LIMIT(codel_last_packet, 0, 1, 1),
    LIMIT(codel_next_event, 0, 1, 1),
    LIMIT(gate_of_a_large_packet, 11, 0, 0),
    LIMIT(gate_thirds, 10, 21, 31),
    LIMIT(gate_is_open, 0, 0, 1),
    LIMIT(gate_takes, 10, 11, 12),
    LIMIT(deflect_is_old, 0, 1, 1),
    LIMIT(deflect_lane, 4, 5, 5),
    LIMIT(int_in_transmission, 99, 100, 100),
    LIMIT(maxqd_rises, 0, 1, 2),
    LIMIT(maxqd_saturates, 0, 0, 1),
    LIMIT(phantom_slack, 900000, 900000, 899993),
    LIMIT(phantom_is_empty, 0, 0, 1),
    LIMIT(rcp_average, 1000, 1000, 1001),
    LIMIT(rpm_of_the_future, 7, 0, 0),
    LIMIT(rpm_expires, 7, 0, 0),
    LIMIT(rpm_is_full, 20, 20, 21),
    LIMIT(wrr_no_weight, 1, 1, 2),
    LIMIT(wrr_nearest_group, 0, 0, 1),
    LIMIT(wrr_distance, 1, 1, 0),
    LIMIT(pfc_admits_static, 1, 1, 0),
    LIMIT(pfc_admits_to_headroom, 1, 1, 0),
    LIMIT(pfc_admits_to_pool, 1, 1, 0),
    LIMIT(pfc_accepts_to_reserve, 0, 0, 50000),
    LIMIT(pfc_accepts_to_pool, 50, 50, 50000),
    LIMIT(pfc_pauses_static, 0, 0, 1),
    LIMIT(pfc_pauses_dynamic, 0, 1, 1),
    LIMIT(pfc_pauses_by_headroom, 0, 1, 1),
    LIMIT(pfc_resumes_static, 1, 0, 0),
    LIMIT(pfc_resumes_dynamic, 1, 1, 0),
    LIMIT(pfc_storm, 0, 0, 1),
    LIMIT(pfc_storms_are_counted, 0, 1, 1),
    LIMIT(pfc_pause_of_the_future, 0, 0, 1),
};

static void answers_change_at_the_limit(void **state)
{
    (void)state;
    limit_rows_hold(rows, sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_change_at_the_limit) };
    return cmocka_run_group_tests_name("features/limits", tests, NULL, NULL);
}
