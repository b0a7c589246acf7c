/* test/twin/test_wire_twin.c - a switch of real frames does what the engine does, in virtual time: what the hosts of golden
 * scenarios send goes as frames into src/commands/soft, in bursts, so that it waits in NICs too. From its capture the
 * twin computes again what leaves. Faults are planted, to see that it finds them. */
#include "test/unit/weir_test.h"
#include "core/feature_counter.h"
#include "core/math.h"
#include "soft/capture.h"
#include "test/oracle/frames.h"
#include "test/twin/host_frames.h"
#include "test/twin/wire_twin.h"
#include <inttypes.h>
#include <unistd.h>

enum { QUICK = 5000, HOSTS_MAX = 256, MTU = 3000, BATCH = 64 };
#define BURST_PS (7 * WEIR_PS_PER_US + 11)

struct cable { /* of a host */
    const struct host_frame *waiting[QUICK];
    uint32_t count;
    uint64_t got;
    unsigned char bytes[BATCH][MTU + 14];
};

static struct cable cable[HOSTS_MAX];
static char path[] = "/tmp/weir-twin-XXXXXX";
static struct weir_scenario scn, of_switch;
static struct weir_setup su, net; /* for the engine; for the switch, as the command sets it up */
static struct weir_mapping_address address[HOSTS_MAX];
static struct weir_err err;

static void load(const char *name, const struct weir_override *set, uint32_t sets)
{
    if (weir_scenario_load(&scn, name, set, sets, &err) != 0 || weir_setup_init(&su, &scn, &err) != 0 ||
        weir_scenario_load(&of_switch, name, set, sets, &err) != 0 || weir_setup_fabric(&net, &of_switch, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    assert_true(su.topo.host_count <= HOSTS_MAX);
}

static void unload(void)
{
    weir_setup_free(&net);
    weir_scenario_free(&of_switch);
    weir_setup_free(&su);
    weir_scenario_free(&scn);
}

/* ---- the switch ---- */

static uint32_t rx(void *ctx, struct weir_soft_frame *frame, uint32_t room)
{
    struct cable *c = ctx;
    uint32_t count = c->count < room ? c->count : room;
    assert_true(count <= BATCH);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(c->bytes[i], c->waiting[i]->bytes, c->waiting[i]->length);
        frame[i] = (struct weir_soft_frame){ c->bytes[i], c->waiting[i]->length };
    }
    c->count -= count;
    memmove(c->waiting, c->waiting + count, c->count * sizeof(struct host_frame *));
    return count;
}

static bool tx(void *ctx, const unsigned char *bytes, uint32_t length)
{
    struct cable *c = ctx;
    (void)bytes, (void)length;
    c->got++;
    return true;
}

static struct weir_soft *open_switch(struct weir_soft_port *port, struct weir_soft_capture *capture,
                                     uint32_t nic_frames)
{
    struct weir_soft_config cfg = { .setup = &net,
                                    .port = port,
                                    .mtu_bytes = MTU,
                                    .frames = 1 << 15,
                                    .nic_frames = nic_frames,
                                    .udp_port = { WEIR_MAPPING_PORT },
                                    .capture = weir_soft_capture_frame,
                                    .capture_ctx = capture };
    struct weir_soft *soft;
    assert_int_equal(weir_soft_capture_open(capture, path, 0, &su.topo, &err), 0);
    for (uint32_t h = 0; h < su.topo.host_count; h++) {
        cable[h].count = 0;
        cable[h].got = 0;
        port[h] = (struct weir_soft_port){ .rx = rx, .tx = tx, .ctx = &cable[h] };
        address[h] = host_frames_address(h);
    }
    if (weir_soft_init(&soft, &cfg, &err) != 0)
        fail_msg("%s", err.text);
    for (uint32_t h = 0; h < su.topo.host_count; h++)
        assert_int_equal(weir_soft_address(soft, &address[h], h, &err), 0);
    return soft;
}

/* Sends all frames, those of BURST_PS together, and runs until the switch is empty. @return the time of the last step */
static uint64_t forward(struct weir_soft *soft, const struct host_frames *frames)
{
    uint64_t now_ps = 0;
    for (size_t i = 0; i < frames->count;) {
        now_ps = (frames->frame[i].at_ps / BURST_PS + 1) * BURST_PS;
        for (; i < frames->count && frames->frame[i].at_ps < now_ps; i++) {
            struct cable *c = &cable[frames->frame[i].host];
            assert_true(c->count < QUICK);
            c->waiting[c->count++] = &frames->frame[i];
        }
        while (weir_soft_step(soft, now_ps) == 0)
            now_ps++;
    }
    while (weir_soft_frames(soft) > 0)
        (void)weir_soft_step(soft, now_ps += BURST_PS / 3);
    return now_ps;
}

/* ---- the comparison ---- */

static void compare_causes(const struct weir_causes *is, const struct weir_causes *must)
{
    assert_int_equal(is->count, must->count);
    for (uint32_t i = 0; i < is->count; i++)
        if (weir_cause_times(&is->row[i]) != weir_cause_times(&must->row[i]))
            fail_msg("%s.%s: %" PRIu64 ", must be %" PRIu64, is->row[i].cause.feature, is->row[i].cause.rule->name,
                     weir_cause_times(&is->row[i]), weir_cause_times(&must->row[i]));
}

static uint32_t compare_counters(const struct weir_soft *soft, const struct weir_result *must)
{
    struct weir_feature_count is[64];
    uint32_t above = 0;
    assert_in_range(must->feature_counts, 0, 64);
    weir_soft_features(soft, is, must->feature_counts);
    for (uint32_t i = 0; i < must->feature_counts; i++) {
        above += is[i].value > 0;
        if (is[i].value != must->feature_count[i].value)
            fail_msg("%s.%s: %" PRIu64 ", must be %" PRIu64, is[i].feature, is[i].counter->name, is[i].value,
                     must->feature_count[i].value);
    }
    return above;
}

static void run_twin(struct wire_twin *twin, struct capture *capture, uint64_t end_ps)
{
    *twin = (struct wire_twin){ .setup = &su,
                                .capture = capture,
                                .address = address,
                                .address_count = su.topo.host_count,
                                .mtu_bytes = MTU,
                                .end_ps = end_ps };
    if (wire_twin_run(twin, &err) != 0)
        fail_msg("%s", err.text);
}

static void read_capture(struct capture *capture)
{
    const char *wrong = capture_read(capture, path);
    if (wrong != NULL)
        fail_msg("%s", wrong);
}

/* Sends the frames of the scenario that is loaded through a switch that writes a capture. @return the time of the last
 * step; the caller frees *soft */
static uint64_t record(struct weir_soft **soft, struct weir_soft_port *port, uint32_t nic_frames, size_t *sent)
{
    struct weir_soft_capture file;
    struct host_frames frames;
    uint64_t end_ps;
    assert_int_equal(host_frames_of(&frames, &su, QUICK, &err), 0);
    *soft = open_switch(port, &file, nic_frames);
    end_ps = forward(*soft, &frames);
    assert_true(weir_soft_capture_close(&file));
    assert_null(weir_soft_broken(*soft));
    *sent = frames.count;
    host_frames_free(&frames);
    return end_ps;
}

/* Compares what a switch has counted with what the twin did. */
static void compare_all(struct weir_soft *soft, const struct wire_twin *twin, const char *name)
{
    uint64_t got = 0, no_room = 0;
    for (uint32_t h = 0; h < su.topo.host_count; h++) {
        got += cable[h].got;
        no_room += weir_soft_host(soft, h)->dropped[WEIR_SOFT_NIC] + weir_soft_host(soft, h)->dropped[WEIR_SOFT_FRAMES];
    }
    assert_int_equal(twin->came, twin->packets);
    assert_int_equal(twin->left, got);
    assert_int_equal(twin->no_room, no_room);
    compare_causes(weir_soft_causes_of(soft), twin->result.causes);
    assert_int_equal(twin->inside, weir_causes_times(twin->result.causes, WEIR_FATE_DROPPED) +
                                       weir_causes_times(twin->result.causes, WEIR_FATE_LOST));
    (void)printf("%-16s %5" PRIu64 " frames, %5" PRIu64 " left, %4" PRIu64 " marked, %4" PRIu64 " dropped, %3" PRIu64
                 " deflected, %3" PRIu64 " paused, %4" PRIu64 " had no room, %2" PRIu32 " counters above 0\n",
                 name, twin->came, twin->left, twin->marked, twin->inside,
                 weir_causes_times(twin->result.causes, WEIR_FATE_DEFLECTED),
                 weir_causes_times(twin->result.causes, WEIR_FATE_PAUSED), no_room,
                 compare_counters(soft, &twin->result));
}

/* Sends the frames of the scenario that is loaded, and compares. @return how many found no room */
static uint64_t agrees(const char *name, uint32_t nic_frames)
{
    struct weir_soft_port port[HOSTS_MAX];
    struct capture capture;
    struct wire_twin twin;
    struct weir_soft *soft;
    size_t sent;
    uint64_t end_ps = record(&soft, port, nic_frames, &sent);
    read_capture(&capture);
    run_twin(&twin, &capture, end_ps + 1);
    if (twin.differences > 0)
        fail_msg("%s: %" PRIu64 " differences: %s", name, twin.differences, twin.first);
    assert_int_equal(twin.came, sent);
    compare_all(soft, &twin, name);
    wire_twin_free(&twin);
    capture_free(&capture);
    weir_soft_free(soft);
    return twin.no_room;
}

static void load_golden(const struct frames_scenario *row)
{
    struct frames_set set;
    char file[64];
    (void)snprintf(file, sizeof(file), "test/golden/%s.yaml", row->name);
    frames_set_of(&set, row);
    load(file, set.set, FRAMES_SETS);
}

static void each_feature_does_with_frames_what_the_engine_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < FRAMES_SCENARIOS; i++) {
        load_golden(&frames_scenarios[i]);
        (void)agrees(frames_scenarios[i].name, 1 << 14);
        unload();
    }
}

/* Lanes of a host's port do not escape: what waits there is the host's. */
static void a_paused_host_keeps_its_lane(void **state)
{
    static const char *const more[] = { "fabric.lanes=2", "fabric.deflect.tokens=1", "fabric.deflect.escape=paused",
                                        "fabric.pfc.xoff=4 KB" };
    enum { MORE = sizeof(more) / sizeof(more[0]) };
    struct weir_override set[FRAMES_SETS + MORE];
    struct frames_set golden;
    (void)state;
    frames_set_of(&golden, &frames_scenarios[4]);
    assert_string_equal(frames_scenarios[4].name, "lanes");
    memcpy(set, golden.set, sizeof(golden.set));
    for (size_t i = 0; i < MORE; i++)
        set[FRAMES_SETS + i] = (struct weir_override){ .text = more[i] };
    load("test/golden/lanes.yaml", set, FRAMES_SETS + MORE);
    (void)agrees("lanes that escape", 1 << 14);
    unload();
}

/* A frame that finds its NIC full is in the capture, with that cause, and the twin leaves it out. */
static void frames_without_room_are_left_out(void **state)
{
    (void)state;
    load_golden(&frames_scenarios[2]);
    assert_true(agrees("NICs of 3 frames", 3) > 0);
    unload();
}

/* ---- planted faults ---- */

static struct capture_frame *find(struct capture *c, enum weir_soft_event event, uint32_t number)
{
    for (uint32_t i = 0; i < c->frames; i++)
        if (c->frame[i].event == event && number-- == 0)
            return &c->frame[i];
    fail_msg("there are fewer such frames");
    return NULL;
}

static void take_out(struct capture *c, struct capture_frame *f)
{
    memmove(f, f + 1, (size_t)(c->frame + c->frames - f - 1) * sizeof(*f));
    c->frames--;
}

static void no_fault(struct capture *c)
{
    (void)c;
}

static void one_never_came(struct capture *c)
{
    take_out(c, find(c, WEIR_SOFT_CAME, 100));
}

static void one_did_not_leave(struct capture *c)
{
    take_out(c, find(c, WEIR_SOFT_LEFT, 100));
}

static void the_last_did_not_leave(struct capture *c)
{
    for (uint32_t i = c->frames; i > 0; i--)
        if (c->frame[i - 1].event == WEIR_SOFT_LEFT) {
            take_out(c, &c->frame[i - 1]);
            return;
        }
}

static void one_left_a_picosecond_late(struct capture *c)
{
    find(c, WEIR_SOFT_LEFT, 100)->at_ps++;
}

static void one_came_a_picosecond_late(struct capture *c)
{
    find(c, WEIR_SOFT_CAME, 0)->at_ps++;
}

static void one_byte_is_another(struct capture *c)
{
    struct capture_frame *f = find(c, WEIR_SOFT_LEFT, 100);
    f->bytes[f->length - 1] ^= 1;
}

static void one_mark_is_missing(struct capture *c)
{
    for (uint32_t i = 0; i < c->frames; i++)
        if (c->frame[i].event == WEIR_SOFT_LEFT && (c->frame[i].bytes[15] & 3) == 3) {
            c->frame[i].bytes[15] &= (unsigned char)~1u;
            return;
        }
    fail_msg("nothing is marked");
}

static void one_left_to_another_host(struct capture *c)
{
    struct capture_frame *f = find(c, WEIR_SOFT_LEFT, 100);
    f->host = f->host == 0;
}

static uint64_t differences_with(void (*fault)(struct capture *c))
{
    struct capture capture;
    struct wire_twin twin;
    uint64_t found;
    read_capture(&capture);
    fault(&capture);
    run_twin(&twin, &capture, 0);
    found = twin.differences;
    assert_true((found > 0) == (twin.first[0] != '\0'));
    wire_twin_free(&twin);
    capture_free(&capture);
    return found;
}

#define STAR(threshold)                                                                                                \
    "topology: {kind: star, hosts: 4, host_link: 10 Gbps}\nprotocol: dctcp\n"                                          \
    "framing: {payload: 1413 B, header: 105 B, ack_wire: 134 B, gap: 20 B, min_wire: 84 B}\n"                          \
    "traffic: [{kind: incast, fan_in: 3, size: 100 KB, load: 60%}]\nfabric: {ecn: {threshold: " threshold "}}\n"       \
    "run: {warmup: 0 us, measure: 2 ms}\n"

static void load_text(const char *text)
{
    if (weir_scenario_parse(&scn, "star.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&su, &scn, &err) != 0 ||
        weir_scenario_parse(&of_switch, "star.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_fabric(&net, &of_switch, &err) != 0)
        fail_msg("%s", err.text);
}

static void planted_faults_are_found(void **state)
{
    static void (*const fault[])(struct capture * c) = {
        one_never_came,
        one_did_not_leave,
        the_last_did_not_leave,
        one_left_a_picosecond_late,
        one_came_a_picosecond_late,
        one_byte_is_another,
        one_mark_is_missing,
        one_left_to_another_host,
    };
    struct weir_soft_port port[HOSTS_MAX];
    struct weir_soft *soft;
    size_t sent;
    (void)state;
    load_text(STAR("30 KB"));
    (void)record(&soft, port, 1 << 14, &sent);
    weir_soft_free(soft);
    assert_int_equal(differences_with(no_fault), 0);
    for (size_t i = 0; i < sizeof(fault) / sizeof(fault[0]); i++)
        if (differences_with(fault[i]) == 0)
            fail_msg("fault %zu is not found", i);
    unload();
    load_text(STAR("31 KB")); /* the switch had another threshold */
    assert_true(differences_with(no_fault) > 0);
    unload();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_feature_does_with_frames_what_the_engine_does),
        cmocka_unit_test(a_paused_host_keeps_its_lane),
        cmocka_unit_test(frames_without_room_are_left_out),
        cmocka_unit_test(planted_faults_are_found),
    };
    int file = mkstemp(path), failed;
    if (file < 0)
        return 1;
    (void)close(file);
    failed = cmocka_run_group_tests_name("twin/wire_twin", tests, NULL, NULL);
    (void)unlink(path);
    return failed;
}
