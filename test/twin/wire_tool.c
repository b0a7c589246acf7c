/* test/twin/wire_tool.c - steps of a test that sends frames through a switch in user space:
 *
 * wire_tool make SCENARIO FRAMES NET.yaml OUT.pcapng    what its hosts send, at a thousandth of the rates and a thousand
 *                                                       times the times, at most FRAMES; and the switch's file
 * wire_tool switch NET.yaml CAPTURE.pcapng               as `weir switch start --engine user`, but with features for which
 *                                                       no endpoint sends packets yet; it says `ready`
 * wire_tool send IN.pcapng DEVICE..                     sends those frames at their times, host i's at device i
 * wire_tool throw IN.pcapng SEED FRAMES RATE DEVICE..   sends frames of which most are broken, RATE in a second, and then a
 *                                                       good one per host; RATE 0: good ones of host 0 alone, at once
 * wire_tool check NET.yaml CAPTURE.pcapng               what left, computed again by the engine from what came
 *
 * The switch's ports are the devices p0, p1 and so on. Each step prints one line of JSON. */
#include "test/unit/weir_test.h"
#include "config/dump.h"
#include "core/feature_counter.h"
#include "core/math.h"
#include "soft/capture.h"
#include "soft/hosts.h"
#include "soft/process.h"
#include "test/oracle/frames.h"
#include "test/twin/host_frames.h"
#include "test/twin/wire_send.h"
#include "test/twin/wire_twin.h"
#include <inttypes.h>

enum { HOSTS_MAX = 256, MTU = 3000, LINES_MAX = 512, SCALE = 1000 };

static struct weir_scenario scn;
static struct weir_setup su;
static struct weir_err err;

static int complain(const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", what, err.text);
    return 1;
}

/* ---- make ---- */

/* Writes a line of a scenario: rates are a thousandth, times a thousand times as large, by their units. */
static void scale(FILE *out, const char *line)
{

    static const struct {
        const char *unit, *scaled;
    } units[] = { { " Gbps\n", " Mbps\n" }, { " Mbps\n", " Kbps\n" }, { " ps\n", " ns\n" }, { " ns\n", " us\n" },
                  { " us\n", " ms\n" },     { " ms\n", " s\n" },      { " s\n", "000 s\n" } };
    size_t length = strlen(line);
    for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
        size_t at = length - weir_min_u64(length, strlen(units[u].unit));
        if (strcmp(line + at, units[u].unit) == 0 && strchr("0123456789", line[at - 1]) != NULL) {
            (void)fprintf(out, "%.*s%s", (int)at, line, units[u].scaled);
            return;
        }
    }
    (void)fputs(line, out);
}

/* Writes the scenario, but for its traffic: topology, hosts and fabric are scaled, and the unit of delays in packets is not:
 * it is that of frames. keep: bit i = line i is not scaled either */
static void write_scaled(FILE *out, const char *text, const bool *keep)
{
    char line[512];
    bool scales = false, copies = true;
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    for (uint32_t i = 1; fgets(line, sizeof(line), in) != NULL; i++) {
        if (line[0] != ' ') {
            scales = strncmp(line, "topology:", 9) == 0 || strncmp(line, "fabric:", 7) == 0 ||
                     strncmp(line, "hosts:", 6) == 0;
            copies = strncmp(line, "traffic:", 8) != 0;
        }
        if (!copies)
            (void)fputs("\n", out);                       /* lines keep their numbers */
        else if (strcmp(line, "  int: quantised\n") == 0) /* records have no code for such rates */
            (void)fputs("  int: exact\n", out);
        else if (scales && (i >= LINES_MAX || !keep[i]) && strncmp(line, "    unit:", 9) != 0)
            scale(out, line);
        else
            (void)fputs(line, out);
    }
    (void)fclose(in);
}

/* Writes where hosts are. */
static void write_hosts(FILE *out)
{
    char name[32];
    for (int map = 0; map < 2; map++) {
        (void)fputs(map == 0 ? "switch: {ports: {" : "}, addresses: {", out);
        for (uint32_t h = 0; h < su.topo.host_count; h++) {
            struct weir_mapping_address a = host_frames_address(h);
            weir_topology_node_name(&su.topo, h, name, sizeof(name));
            if (map == 0)
                (void)fprintf(out, "%s%s: p%" PRIu32, h > 0 ? ", " : "", name, h);
            else
                (void)fprintf(out, "%s%s: %u.%u.%u.%u", h > 0 ? ", " : "", name, a.bytes[0], a.bytes[1], a.bytes[2],
                              a.bytes[3]);
        }
    }
    (void)fputs("}}\n", out);
}

/* Writes the file of the switch. A key whose range ends before the scaled value stays as it is. *kept: how many do
 * @return 0, or a code with err */
static int write_net(const char *path, uint32_t *kept)
{
    static bool keep[LINES_MAX];
    static struct weir_scenario net;
    char *text = NULL, *scaled;
    size_t size;
    int code;
    FILE *out = open_memstream(&text, &size);
    weir_scenario_dump(out, &scn);
    (void)fclose(out);
    for (;;) {
        out = open_memstream(&scaled, &size);
        write_scaled(out, text, keep);
        write_hosts(out);
        (void)fclose(out);
        code = weir_scenario_parse(&net, path, scaled, size, NULL, 0, &err);
        if (code != WEIR_E_RANGE || err.line == 0 || err.line >= LINES_MAX || keep[err.line])
            break;
        keep[err.line] = true;
        ++*kept;
        free(scaled);
    }
    if (code == 0) {
        out = fopen(path, "we");
        if (out == NULL || fputs(scaled, out) == EOF || fclose(out) != 0)
            code = weir_fail(&err, WEIR_E_FILE, NULL, NULL, "%s: cannot be written", path);
        weir_scenario_free(&net);
    }
    free(scaled);
    free(text);
    return code;
}

/* Loads a golden scenario that has frames. */
static int load(const char *name)
{
    char file[64];
    struct frames_set set;
    int code;
    (void)snprintf(file, sizeof(file), "test/golden/%s.yaml", name);
    for (size_t i = 0; i < FRAMES_SCENARIOS; i++)
        if (strcmp(frames_scenarios[i].name, name) == 0) {
            frames_set_of(&set, &frames_scenarios[i]);
            code = weir_scenario_load(&scn, file, set.set, FRAMES_SETS, &err);
            return code != 0 ? code : weir_setup_init(&su, &scn, &err);
        }
    return weir_fail(&err, WEIR_E_UNKNOWN, NULL, NULL, "its hosts have no frames");
}

static int make(char **arg)
{
    struct weir_soft_capture out;
    struct host_frames frames;
    uint32_t kept = 0;
    if (load(arg[0]) != 0 || write_net(arg[2], &kept) != 0 ||
        host_frames_of(&frames, &su, strtoul(arg[1], NULL, 10), &err) != 0 ||
        weir_soft_capture_open(&out, arg[3], 0, &su.topo, &err) != 0)
        return complain(arg[0]);
    for (size_t i = 0; i < frames.count; i++)
        weir_soft_capture_frame(&out, &(struct weir_soft_captured){ .bytes = frames.frame[i].bytes,
                                                                    .length = frames.frame[i].length,
                                                                    .host = frames.frame[i].host,
                                                                    .at_ps = SCALE * frames.frame[i].at_ps,
                                                                    .event = WEIR_SOFT_CAME });
    if (!weir_soft_capture_close(&out))
        return complain(arg[3]);
    (void)printf("{\"hosts\": %" PRIu32 ", \"frames\": %zu, \"unmade\": %zu, \"unscaled\": %" PRIu32
                 ", \"seconds\": %.3f}\n",
                 su.topo.host_count, frames.count, frames.unmade, kept,
                 frames.count > 0 ? SCALE * (double)frames.frame[frames.count - 1].at_ps / 1e12 : 0.0);
    host_frames_free(&frames);
    return 0;
}

/* ---- switch ---- */

static void say_ready(void *ctx)
{
    (void)ctx;
    (void)printf("ready\n");
    (void)fflush(stdout);
}

static int run_switch(char **arg)
{
    struct weir_soft_process process = { .setup = &su, .pcap = arg[1], .replays = true, .ready = say_ready };
    FILE *nowhere = fopen("/dev/null", "we");
    int code = weir_scenario_load(&scn, arg[0], NULL, 0, &err);
    if (code == 0)
        code = weir_setup_fabric(&su, &scn, &err);
    if (code == 0)
        code = weir_soft_process(&process, nowhere, &err);
    return code == 0 ? 0 : complain(arg[0]);
}

/* ---- check ---- */

static void print_causes(const struct weir_causes *causes)
{
    (void)printf("\"causes\": {");
    for (uint32_t i = 1; i < causes->count; i++)
        (void)printf("%s\"%s.%s\": %" PRIu64, i > 1 ? ", " : "", causes->row[i].cause.feature,
                     causes->row[i].cause.rule->name, weir_cause_times(&causes->row[i]));
    (void)printf("}, ");
}

/* Prints the counters that time alone does not change. */
static void print_counters(const struct weir_result *result)
{
    const char *comma = "";
    (void)printf("\"features\": {");
    for (uint32_t i = 0; i < result->feature_counts; i++) {
        const struct weir_feature_count *c = &result->feature_count[i];
        if (c->counter->how != WEIR_COUNT_SUM && c->counter->how != WEIR_COUNT_RATIO)
            continue;
        (void)printf("%s\"%s.%s\": %" PRIu64, comma, c->feature, c->counter->name, c->value);
        comma = ", ";
    }
    (void)printf("}, ");
}

static int check(char **arg)
{
    static struct weir_soft_site site[HOSTS_MAX];
    static struct weir_mapping_address address[HOSTS_MAX];
    struct capture c;
    struct wire_twin twin;
    const char *wrong = capture_read(&c, arg[1]);
    uint32_t known = 0;
    if (wrong != NULL) {
        (void)fprintf(stderr, "%s: %s\n", arg[1], wrong);
        return 1;
    }
    if (wire_twin_setup(&su, &scn, arg[0], &err) != 0 || c.hosts > HOSTS_MAX ||
        weir_soft_hosts(site, &su, true, &err) != 0)
        return complain(arg[0]);
    for (uint32_t h = 0; h < su.topo.host_count; h++) {
        bool made = site[h].device[0] == '\0';
        known += site[h].address.version != 0 || made;
        address[h] = made ? (struct weir_mapping_address){ .bytes = { 10, 87, 0, (uint8_t)(h + 1) }, .version = 4 }
                          : site[h].address;
    }
    twin = (struct wire_twin){ .setup = &su,
                               .capture = &c,
                               .address = address,
                               .address_count = known,
                               .mtu_bytes = site[0].device[0] == '\0' ? 1500 : MTU,
                               .learns = scn.deployed == NULL || site[0].address.version == 0 };
    if (wire_twin_run(&twin, &err) != 0)
        return complain(arg[0]);
    (void)printf("{\"came\": %" PRIu64 ", \"packets\": %" PRIu64 ", \"flooded\": %" PRIu64 ", \"refused\": %" PRIu64
                 ", \"no_room\": %" PRIu64 ", \"left\": %" PRIu64 ", \"ring\": %" PRIu64 ", \"marked\": %" PRIu64
                 ", \"ended\": %" PRIu64 ", ",
                 twin.came, twin.packets, twin.flooded, twin.refused, twin.no_room, twin.left, twin.ring, twin.marked,
                 twin.inside);
    print_causes(twin.result.causes);
    print_counters(&twin.result);
    (void)printf("\"differences\": %" PRIu64 ", \"first\": \"%s\"}\n", twin.differences, twin.first);
    wire_twin_free(&twin);
    capture_free(&c);
    return twin.differences > 0;
}

int main(int argc, char **argv)
{
    int code = 2;
    if (argc == 6 && strcmp(argv[1], "make") == 0)
        code = make(argv + 2);
    else if (argc > 3 && strcmp(argv[1], "send") == 0)
        code = wire_send(argc - 2, argv + 2);
    else if (argc > 6 && strcmp(argv[1], "throw") == 0)
        code = wire_throw(argc - 2, argv + 2);
    else if (argc == 4 && strcmp(argv[1], "switch") == 0)
        code = run_switch(argv + 2);
    else if (argc == 4 && strcmp(argv[1], "check") == 0)
        code = check(argv + 2);
    return code;
}
