/* test/unit/engine/test_engine.c - whole runs from scenario text whose every instant can be worked out by hand, what is
 * refused, and which ports leave the fast path. */
#include "test/unit/refusal.h"
#include "model/profile.h"
#include "test/unit/sim_fixture.h"
#include "output/messages_csv.h"
#include <stdio.h>

static char file_text[4096];

/* Runs a model and keeps its messages as lines of CSV. */
static const struct weir_result *run_written(const char *text)
{
    const struct weir_result *r;
    FILE *file = tmpfile();
    size_t length;
    assert_non_null(file);
    fix_options.rows = weir_messages_csv_rows;
    fix_options.rows_ctx = file;
    r = fix_run(text);
    rewind(file);
    length = fread(file_text, 1, sizeof(file_text) - 1, file);
    file_text[length] = '\0';
    (void)fclose(file);
    return r;
}

/* One frame each way: tx 1230400, delay 2000000, twice. The answer (67200 on the wire) is on its way when the last
 * message ends. */
static void one_frame_each_way_through_a_star_takes_the_ideal_time(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = run_written(STAR("2") PERM("1460 B") RUN_ALL);
    assert_string_equal(file_text, "0,0,1,1460,0,6460800,6460800,5168000,1.000000,0,0,0\n"
                                   "1099511627776,1,0,1460,0,6460800,6460800,5168000,1.000000,0,0,0\n");
    assert_int_equal(r->sim_ps, 6460800);
    assert_int_equal(r->packet_hops, 8); /* two DATA, two ACK, two links each */
    assert_int_equal(r->messages_completed, 2);
    assert_int_equal(r->jain_ppm, 1000000);
    assert_int_equal(r->threads, 1);
    assert_int_equal(r->ranks, 1); /* without a carrier the one process is all there is */
    assert_true(r->stable && !r->stalled && !r->interrupted);
}

/* Three frames, the last of 80 B of payload (158 on the wire): they follow each other without a gap. */
static void frames_of_one_message_follow_each_other_on_the_wire(void **state)
{
    (void)state;
    (void)run_written(STAR("2") PERM("3000 B") RUN_ALL);
    assert_string_equal(file_text, /* 2 * (1230400 + 2000000) + 1230400 + 158 * 800 */
                        "0,0,1,3000,0,7817600,7817600,6400000,1.000000,0,0,0\n"
                        "1099511627776,1,0,3000,0,7817600,7817600,6400000,1.000000,0,0,0\n");
}

/* At 3 us host 1's frame is on its cable (0 .. 3230400): lost, and sent again 100 us after the first time. Host 0's
 * frame reaches the switch at 3230400, waits for the cable until 20 us and needs 1230400 + 2000000 from there. */
static void a_cable_that_goes_down_cuts_one_frame_and_holds_up_the_other(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = run_written(STAR("2") "host: {rto_min: 50 us, rto_init: 100 us}\n"
                              "fabric: {events: [{time: 3 us, cable: host 1 - switch 0, state: down, queue: wait}, "
                              "{time: 20 us, cable: host 1 - switch 0, state: up}]}\n" PERM("1460 B") RUN_ALL);
    assert_string_equal(file_text, "0,0,1,1460,0,23230400,6460800,5168000,3.595591,0,0,0\n"
                                   "1099511627776,1,0,1460,0,106460800,6460800,5168000,16.477959,1,0,0\n");
    assert_int_equal(r->losses, 1);
    assert_int_equal(r->drops, 0);
    assert_int_equal(r->timeouts, 1);
    assert_int_equal(r->retransmissions, 1);
    assert_int_equal(r->sim_ps, 106460800);
}

#define SLOW(events) "fabric: {events: [" events "]}\n" PERM("1460 B") RUN_ALL
#define HOST_1(time, rate) "{time: " time ", cable: host 1 - switch 0, state: rate, rate: " rate "}"

/* From 2 us on a cable of 10 Gb/s sends at 2.5: a frame of 1230400 ps takes 4921600 there. What host 1 sent at 0 ends as it began, and
 * what is for it starts at the switch at 3230400. The network's rate heals it. */
static void a_frame_takes_the_time_of_the_rate_at_which_it_starts(void **state)
{
    (void)state;
    (void)run_written(STAR("2") SLOW(HOST_1("2 us", "2.5 Gbps")));
    assert_string_equal(file_text, "1099511627776,1,0,1460,0,6460800,6460800,5168000,1.000000,0,0,0\n"
                                   "0,0,1,1460,0,10152000,6460800,5168000,1.571322,0,0,0\n");
    (void)fix_end(NULL);
    (void)fix_begin(NULL);
    (void)run_written(STAR("2") SLOW(HOST_1("2 us", "2.5 Gbps") ", " HOST_1("3 us", "10 Gbps")));
    assert_string_equal(file_text, "0,0,1,1460,0,6460800,6460800,5168000,1.000000,0,0,0\n"
                                   "1099511627776,1,0,1460,0,6460800,6460800,5168000,1.000000,0,0,0\n");
    (void)fix_end(NULL);
    (void)fix_begin(NULL);
    (void)run_written(STAR("2") SLOW(HOST_1("0 us", "2.5 Gbps"))); /* a NIC that pulls is slow too */
    assert_string_equal(file_text, "0,0,1,1460,0,10152000,6460800,5168000,1.571322,0,0,0\n"
                                   "1099511627776,1,0,1460,0,10152000,6460800,5168000,1.571322,0,0,0\n");
}

/* Three frames for host 1 over such a cable: 3230400 + 2 * 4921600 + 4 * 126400 + 2000000. When the third joins, at 4587200, the first has
 * a quarter of 8152000 - 4587200 left as work: the queue is 891200 + 1230400 + 126400, at 800 ps per byte. */
static void packets_wait_behind_a_slow_frame(void **state)
{
    const struct weir_result *r;
    (void)state;
    r = run_written(STAR("2") "fabric: {events: [" HOST_1("3 us", "2.5 Gbps") "]}\n" PERM("3000 B") RUN_ALL);
    assert_non_null(strstr(file_text, "0,0,1,3000,0,15579200,"));
    assert_int_equal(r->port_queue.max_bytes, 2810);
}

#define NARROW(protocol, run)                                                                                          \
    "topology: {kind: dumbbell, hosts: 2, host_link: 10 Gbps, core_link: 5 Gbps}\nprotocol: " protocol                 \
    "\n" PERM("1 TB") "run: {" run "}\n"

/* DATA at 6 Gb/s, and 84 bytes of ACK for each 1538 that come the other way, 0.26 Gb/s, into 5 Gb/s: 31,500 bytes stay in
 * each quarter of 800 us. DCTCP keeps its queue short. */
static void a_queue_that_endless_flows_fill_is_known_by_its_quarters(void **state)
{
    const struct weir_growth *growth;
    (void)state;
    growth = &fix_run(NARROW("{name: timely, min_rate: 6 Gbps}", "warmup: 400 us, measure: 800 us"))->growth;
    assert_true(growth->grows);
    assert_int_equal(fix_setup.topo.node[fix_setup.topo.link[growth->link].dst].tier, 1);
    for (int q = 1; q < 4; q++)
        assert_in_range(growth->mean_bytes[q] - growth->mean_bytes[q - 1], 31000, 32000);
    assert_false(fix_result.stable);
    (void)fix_end(state);
    (void)fix_begin(state);
    assert_false(fix_run(NARROW("{name: dctcp}", "warmup: 100 us, measure: 4 ms"))->growth.grows);
    assert_true(fix_result.stable);
}

/* Two senders, one receiver's port: the second frame to join (both at 3230400; host 1 has the lower in-link) waits a
 * frame's time. */
static void two_frames_for_one_port_are_served_by_in_link(void **state)
{
    struct weir_model *model;
    struct weir_listed listed[] = { { .bytes = 1460, .dst = 0 }, { .bytes = 1460, .dst = 0 } };
    uint64_t first[] = { 0, 0, 1, 2 };
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    model = fix_model(STAR("3") PERM("1460 B") RUN_ALL);
    memcpy(fix_setup.workload.listed, listed, sizeof(listed)); /* of three messages, the hosts' own: two are enough */
    memcpy(fix_setup.workload.listed_first, first, sizeof(first));
    fix_setup.workload.finite_messages = 2;
    assert_ptr_equal(model->workload, &fix_setup.workload);
    fix_options.rows = weir_messages_csv_rows;
    fix_options.rows_ctx = file;
    assert_int_equal(fix_run_model(), 0);
    rewind(file);
    file_text[fread(file_text, 1, sizeof(file_text) - 1, file)] = '\0';
    (void)fclose(file);
    assert_non_null(strstr(file_text, "1099511627776,1,0,1460,0,6460800,6460800,"));
    assert_non_null(strstr(file_text, "\n2199023255552,2,0,1460,0,7691200,6460800,"));
    assert_int_equal(fix_result.port_queue.max_bytes, 2 * 1538); /* the second joins behind a whole frame */
    assert_int_equal(fix_result.tor_queue.max_bytes, 2 * 1538);
}

/* A frame joins each port at 3230400 and is sent by 4460800; the answers of 84 B pass at 8528000. Per port A =
 * 1230400^2 + 67200^2; over 6460800 ps and 800 ps per byte the mean is 146.885 B. */
static void the_mean_queue_of_a_run_is_its_area(void **state)
{
    const struct weir_result *r;
    uint64_t area = UINT64_C(1230400) * 1230400 + UINT64_C(67200) * 67200;
    (void)state;
    r = fix_run(STAR("2") PERM("1460 B") RUN_ALL);
    assert_int_equal(r->port_queue.mean_millibytes, area * 500 / 6460800 / 800);
    assert_int_equal(r->port_queue.mean_millibytes, 146885);
    assert_int_equal(r->tor_queue.mean_millibytes, 2 * 146885);
}

static void more_threads_than_nodes_are_refused_and_none_too(void **state)
{
    static const struct {
        uint32_t threads;
        const char *key;
    } row[] = {
        { 4, "threads" },
        { 0, "threads" },
        { 65, "threads" },
    };
    (void)state;
    (void)fix_model(STAR("2") PERM("1 KB") RUN_ALL);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        fix_options.threads = row[i].threads;
        assert_int_equal(fix_run_model(), WEIR_E_RANGE);
        assert_int_equal(fix_err.code, WEIR_E_RANGE);
        assert_refusal(&fix_err, WEIR_E_RANGE, "", row[i].key);
    }
}

static void a_thread_for_every_node_gives_the_same_answer(void **state)
{
    uint64_t digest;
    (void)state;
    digest = fix_run(STAR("4") PERM("30 KB") RUN_ALL)->digest;
    for (fix_options.threads = 2; fix_options.threads <= 5; fix_options.threads++) {
        assert_int_equal(fix_run_model(), 0);
        assert_int_equal(fix_result.digest, digest);
        assert_int_equal(fix_result.threads, fix_options.threads);
    }
}

static int refuse_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)row, (void)count;
    ++*(uint32_t *)ctx;
    return WEIR_E_FILE;
}

/* Messages start and end in each of the first five milliseconds: the run ends with the first batch, and the rest is not
 * handed over. */
static void rows_that_are_refused_end_the_run(void **state)
{
    uint32_t times = 0;
    (void)state;
    fix_options.rows = refuse_rows;
    fix_options.rows_ctx = &times;
    (void)fix_model(
        STAR("2") "traffic: [{kind: poisson, sizes: 1 KB, load: 10%}]\nrun: {warmup: 0 us, measure: 5 ms}\n");
    assert_int_equal(fix_run_model(), WEIR_E_FILE);
    assert_refusal(&fix_err, WEIR_E_FILE, "", "");
    assert_int_equal(times, 1);
    assert_int_equal(fix_result.sim_ps / WEIR_PS_PER_MS, 1);
}

static int lack_memory(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)ctx, (void)row, (void)count;
    return WEIR_E_MEMORY;
}

static void rows_that_find_no_memory_end_the_run_as_if_it_had_none(void **state)
{
    (void)state;
    fix_options.rows = lack_memory;
    (void)fix_model(STAR("4") PERM("30 KB") RUN_ALL);
    assert_int_equal(fix_run_model(), WEIR_E_MEMORY);
    assert_refusal(&fix_err, WEIR_E_MEMORY, "", "out of memory during the run");
}

static void a_detail_is_returned_on_request(void **state)
{
    const struct weir_result *r;
    (void)state;
    assert_null(fix_run(STAR("2") PERM("1460 B") RUN_ALL)->detail);
    (void)fix_end(NULL);
    (void)fix_begin(NULL);
    fix_options.detail = true;
    fix_options.threads = 2;
    r = fix_run(STAR("2") PERM("1460 B") RUN_ALL);
    assert_non_null(r->detail);
    assert_int_equal(r->detail->slowdown[WEIR_SLOWDOWN_IDEAL][12].total, 2); /* from 1000 to 1777 B; neither waited */
    assert_int_equal(r->detail->slowdown[WEIR_SLOWDOWN_IDEAL][12].max, 1000000);
    assert_int_equal(r->detail->tor_queue.total, 7); /* 0 .. 6 us */
    assert_int_equal(r->detail->port_queue.total, 14);
}

/* The kinds of ports that features make. */
static void ports_are_of_the_kinds_that_features_make_them(void **state)
{
    static const struct {
        const char *fabric;
        struct sim_port_kind to_host, nic;
    } row[] = {
        { "{}", { .serve = SIM_SERVE_FIFO }, { .serve = SIM_SERVE_PULL } },
        { "{ecn: {threshold: 5 KB}}", { .serve = SIM_SERVE_FIFO }, { .serve = SIM_SERVE_PULL } },
        { "{loss: 0.1%}", { .serve = SIM_SERVE_FIFO, .start = true }, { .serve = SIM_SERVE_PULL, .start = true } },
        { "{ecn: {kmin: 5 KB, kmax: 6 KB}}", { .serve = SIM_SERVE_FIFO, .join = true }, { .serve = SIM_SERVE_PULL } },
        { "{buffer: 1 MB}", { .serve = SIM_SERVE_FIFO, .memory = true }, { .serve = SIM_SERVE_PULL } },
        { "{port_buffer: 1 MB}", { .serve = SIM_SERVE_FIFO, .memory = true }, { .serve = SIM_SERVE_PULL } },
        { "{priorities: 2}", { .serve = SIM_SERVE_LANES }, { .serve = SIM_SERVE_PULL } },
        { "{priorities: 3}", { .serve = SIM_SERVE_QUEUE }, { .serve = SIM_SERVE_PULL } },
        { "{priorities: 2, buffer: 1 MB}", { .serve = SIM_SERVE_QUEUE, .memory = true }, { .serve = SIM_SERVE_PULL } },
        { "{events: [{time: 1 us, cable: host 0 - switch 0, state: rate, rate: 1 Gbps}]}",
          { .serve = SIM_SERVE_QUEUE, .cable = true },
          { .serve = SIM_SERVE_PULL, .cable = true } },
        { "{events: [{time: 1 us, cable: host 0 - switch 0}]}",
          { .serve = SIM_SERVE_QUEUE, .cable = true },
          { .serve = SIM_SERVE_PULL, .cable = true } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text), STAR("2") "fabric: %s\n" PERM("1 KB") RUN_ALL, row[i].fabric);
        (void)fix_make(text);
        assert_true(sim_kind_is(fix_port(0, 0)->kind, row[i].to_host));
        assert_true(sim_kind_is(fix_engine.host[0].nic->kind, row[i].nic));
        assert_int_equal(fix_port(0, 0)->port != NULL, i > 1);
        (void)fix_end(NULL);
        (void)fix_begin(NULL);
    }
}

enum { H = SIM_GROUP_HOSTS, A = SIM_GROUP_SWITCHES, B = SIM_GROUP_SWITCHES + 1, FAR = SIM_WINDOW_MAX_PS };

/* Neighbours are of different groups, and each looks ahead by the shortest cable between the two, never by more than 24
 * bits. */
static void lookahead_between_groups_is_the_shortest_cable(void **state)
{
    static const struct {
        const char *topology;
        uint32_t group[SIM_GROUPS]; /* of the first host, the first and the last switch */
        uint64_t hosts_first_ps, hosts_last_ps, first_last_ps;
    } row[] = {
        { "{kind: dumbbell, hosts: 4, host_delay: 2 us, core_delay: 300 ns}", { H, A, B }, 2000000, 2000000, 300000 },
        { "{kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_delay: 2 us, core_delay: 300 ns}",
          { H, A, B },
          2000000,
          FAR,
          300000 },
        { "{kind: fat-tree, k: 4, host_delay: 1 us, core_delay: 2 us}", { H, A, A }, 1000000, 1000000, FAR },
        { "{kind: star, hosts: 2, host_delay: 1 ms}", { H, A, A }, FAR, FAR, FAR },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[512];
        uint32_t first = row[i].group[1], last = row[i].group[2];
        (void)snprintf(text, sizeof(text), "topology: %s\n" PERM("1 KB") RUN_ALL, row[i].topology);
        (void)fix_make(text);
        assert_int_equal(fix_engine.group[0], H);
        assert_int_equal(fix_engine.group[fix_setup.topo.host_count], first);
        assert_int_equal(fix_engine.group[fix_setup.topo.node_count - 1], last);
        assert_int_equal(fix_engine.lookahead_ps[H][first], row[i].hosts_first_ps);
        assert_int_equal(fix_engine.lookahead_ps[last][H], row[i].hosts_last_ps);
        assert_int_equal(fix_engine.lookahead_ps[first][last], row[i].first_last_ps);
        assert_int_equal(fix_engine.lookahead_ps[H][H], FAR);
        (void)fix_end(NULL);
        (void)fix_begin(NULL);
    }
}

/* Spines have no host as a neighbour. Only if their cables are as long as those of hosts, they are in the hosts' group;
 * the same holds for the aggregation switches of a fat tree. */
static void far_switches_are_in_the_group_of_hosts_if_all_cables_are_of_one_length(void **state)
{
    static const struct {
        const char *topology;
        uint32_t edge, far; /* switches: the first next to hosts, the first that is not */
        bool joined;
    } row[] = {
        { "{kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_delay: 1 us, core_delay: 999.999 ns}", 0, 2, false },
        { "{kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_delay: 1 us, core_delay: 1 us}", 0, 2, true },
        { "{kind: leaf-spine, hosts: 4, racks: 2, spines: 2, host_delay: 1 us, core_delay: 1000.001 ns}", 0, 2, false },
        { "{kind: fat-tree, k: 4, host_delay: 1 us, core_delay: 1 us}", 0, 8, true },
        { "{kind: dumbbell, hosts: 4, host_delay: 1 us, core_delay: 1 us}", 0, 1, false }, /* both have hosts */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[512];
        uint32_t hosts, edge, far;
        (void)snprintf(text, sizeof(text), "topology: %s\n" PERM("1 KB") RUN_ALL, row[i].topology);
        (void)fix_make(text);
        hosts = fix_setup.topo.host_count;
        edge = fix_engine.group[hosts + row[i].edge];
        far = fix_engine.group[hosts + row[i].far];
        assert_int_equal(edge, A);
        assert_int_equal(far, row[i].joined ? H : B);
        assert_int_equal(fix_engine.lookahead_ps[H][A], 1000000);
        assert_int_equal(fix_engine.lookahead_ps[H][H], FAR);
        (void)fix_end(NULL);
        (void)fix_begin(NULL);
    }
}

/* The same frames as in one_frame_each_way_..: each window has two packets, at the switch, which is thread 0's, or one
 * at host 0, thread 0's too, and one at host 1, thread 1's. Thread 2 has no node. */
static void a_profile_counts_the_packets_of_each_thread_and_what_others_wait(void **state)
{
    struct weir_profile profile;
    (void)state;
    fix_options.threads = 3;
    fix_options.profile = &profile;
    assert_int_equal(fix_run(STAR("2") PERM("1460 B") RUN_ALL)->packet_hops, 8);
    assert_int_equal(profile.threads, 3);
    assert_int_equal(profile.busiest_hops, 2 + 1 + 2 + 1);
    for (uint32_t t = 0; t < 3; t++) {
        static const uint64_t expected[][5] = { { 1, 1, 6, 0, 4 }, { 1, 0, 2, 4, 2 }, { 0, 0, 0, 6, 0 } };
        const struct weir_profile_thread *thread = &profile.thread[t];
        assert_int_equal(thread->hosts, expected[t][0]);
        assert_int_equal(thread->switches, expected[t][1]);
        assert_int_equal(thread->hops, expected[t][2]);
        assert_int_equal(thread->waited_hops, expected[t][3]);
        assert_int_equal(profile.windows - thread->empty_windows, expected[t][4]);
    }
}

/* Three racks of two hosts on three threads: a rack each; every node has one owner, and threads visit theirs in
 * ascending order. */
static void hosts_share_a_thread_with_their_switch_while_shares_are_even(void **state)
{
    uint32_t hosts[3] = { 0 };
    (void)state;
    fix_options.threads = 3;
    (void)fix_make("topology: {kind: leaf-spine, hosts: 6, racks: 3, spines: 2}\n" PERM("1 KB") RUN_ALL);
    for (uint32_t h = 0; h < 6; h++) {
        uint32_t leaf = fix_setup.topo.edge_node[fix_setup.topo.edge_of[h]];
        assert_int_equal(fix_engine.owner[h], fix_engine.owner[leaf]);
        hosts[fix_engine.owner[h]]++;
    }
    for (uint32_t t = 0; t < 3; t++) {
        const struct sim_thread *th = &fix_engine.thread[t];
        assert_int_equal(hosts[t], 2);
        for (uint32_t i = 1; i < th->node_count; i++)
            assert_true(th->node[i - 1] < th->node[i]);
    }
    assert_int_equal(
        fix_engine.thread[0].node_count + fix_engine.thread[1].node_count + fix_engine.thread[2].node_count, 11);
}

static void simultaneous_cable_events_make_one_route_table(void **state)
{
    (void)state;
    (void)fix_make(
        "topology: {kind: leaf-spine, hosts: 6, racks: 3, spines: 2}\n"
        "fabric: {reroute_delay: 3 us, events: [{time: 5 us, cable: leaf 0 - spine 0}, {time: 5 us, cable: leaf 1 "
        "- spine 1}, "
        "{time: 9 us, cable: leaf 0 - spine 0, state: up}]}\n" PERM("1 KB") RUN_ALL);
    assert_int_equal(fix_engine.reroute_count, 3);
    assert_int_equal(fix_engine.reroute[1].at_ps, 8000000);
    assert_int_equal(fix_engine.reroute[2].at_ps, 12000000);
    assert_true(fix_setup.topo.link[fix_setup.model.event[0].link].up); /* the model's own topology stays as it was */
}

#define ENGINE_TEST(f) cmocka_unit_test_setup_teardown(f, fix_begin, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(one_frame_each_way_through_a_star_takes_the_ideal_time),
        ENGINE_TEST(frames_of_one_message_follow_each_other_on_the_wire),
        ENGINE_TEST(a_cable_that_goes_down_cuts_one_frame_and_holds_up_the_other),
        ENGINE_TEST(a_frame_takes_the_time_of_the_rate_at_which_it_starts),
        ENGINE_TEST(packets_wait_behind_a_slow_frame),
        ENGINE_TEST(two_frames_for_one_port_are_served_by_in_link),
        ENGINE_TEST(the_mean_queue_of_a_run_is_its_area),
        ENGINE_TEST(more_threads_than_nodes_are_refused_and_none_too),
        ENGINE_TEST(a_thread_for_every_node_gives_the_same_answer),
        ENGINE_TEST(rows_that_are_refused_end_the_run),
        ENGINE_TEST(rows_that_find_no_memory_end_the_run_as_if_it_had_none),
        ENGINE_TEST(a_detail_is_returned_on_request),
        ENGINE_TEST(ports_are_of_the_kinds_that_features_make_them),
        ENGINE_TEST(lookahead_between_groups_is_the_shortest_cable),
        ENGINE_TEST(far_switches_are_in_the_group_of_hosts_if_all_cables_are_of_one_length),
        ENGINE_TEST(a_profile_counts_the_packets_of_each_thread_and_what_others_wait),
        ENGINE_TEST(hosts_share_a_thread_with_their_switch_while_shares_are_even),
        ENGINE_TEST(simultaneous_cable_events_make_one_route_table),
        ENGINE_TEST(a_queue_that_endless_flows_fill_is_known_by_its_quarters),
    };
    return cmocka_run_group_tests_name("sim/engine", tests, NULL, NULL);
}
