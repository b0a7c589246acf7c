/* test/unit/session/test_play.c - calls as lines of JSON: what they do, and what is refused, with the place. A refused
 * line changes nothing, and the session goes on. */
#include "config/tree.h"
#include "session/play.h"
#include "test/unit/session/save_test.h"

struct desk { /* a player, and the events that it reported */
    struct weir_sim *sim;
    struct weir_session_player player;
    struct weir_sim_event event[512];
    long events;
};

static void on_events(void *ctx, const struct weir_sim_event *event, long count)
{
    struct desk *d = ctx;
    assert_true(d->events + count <= 512);
    memcpy(d->event + d->events, event, (size_t)count * sizeof(*event));
    d->events += count;
}

static int play(struct desk *d, const char *line)
{
    const struct weir_session_row *row;
    d->events = 0;
    return weir_session_play_line(&d->player, line, strlen(line), &row);
}

static void expect(struct desk *d, const char *line)
{
    if (play(d, line) != 0)
        fail_msg("%s: %s", line, d->player.error.text);
}

#define OPEN                                                                                                           \
    "{\"call\": \"open\", \"scenario\": \"topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\\n"   \
    "protocol: dctcp\\nframing: {payload: 1460 B, header: 58 B, ack_wire: 84 B}\\n"                                    \
    "traffic: [{kind: session}]\\nrun: {warmup: 0 us, measure: all}\\n\"}"
/* Of a message of 1460 B: 1538 B at 800 ps each over two links, and two delays of 2 us. */
#define ONE_PS UINT64_C(6460800)

static struct desk *make_desk(const char *open)
{
    struct desk *d = calloc(1, sizeof(*d));
    assert_non_null(d);
    d->player = (struct weir_session_player){ .sim = &d->sim, .file = "lines", .events = on_events, .ctx = d };
    if (open != NULL)
        expect(d, open);
    return d;
}

static void free_desk(struct desk *d)
{
    (void)weir_sim_close(d->sim, NULL, NULL);
    weir_session_player_free(&d->player);
    free(d);
}

static void each_call_does_its_work(void **state)
{
    struct desk *d = make_desk(OPEN);
    (void)state;
    assert_int_equal(weir_sim_hosts(d->sim), 3);
    expect(d, "{\"call\":\"inject\",\"src\":0,\"dst\":1,\"bytes\":1460,\"user\":18446744073709551615}");
    assert_int_equal(d->player.message, 0);
    expect(
        d,
        "{\"call\": \"inject\", \"src\": 2, \"dst\": 1, \"bytes\": 1460, \"start_ps\": 10000000, \"weight\": 1.0}\r");
    assert_int_equal(d->player.message, 1);
    expect(d, "{\"call\": \"inject\", \"src\": 2, \"dst\": 1, \"bytes\": 1460, \"start_ps\": 90000000}");
    expect(d, "{\"call\": \"cancel\", \"message\": 2}");
    expect(d, "{\"call\": \"at\", \"at_ps\": 1000, \"user\": 5}");
    expect(d, "{\"call\": \"host_at\", \"host\": 2, \"at_ps\": 2000, \"user\": 6}");
    expect(d, "{\"call\": \"advance\", \"until_ps\": 3000, \"times\": 9}");
    assert_int_equal(d->events, 2);
    assert_true(d->event[0].user == 5 && d->event[0].src == UINT32_MAX && d->event[1].user == 6 &&
                d->event[1].src == 2);
    expect(d, "{\"call\": \"advance\"}"); /* one instant */
    assert_int_equal(d->events, 1);
    assert_true(d->event[0].user == UINT64_MAX && d->event[0].at_ps == ONE_PS);
    expect(d, "{\"call\": \"advance\", \"times\": 9}");
    assert_int_equal(d->events, 1);
    assert_true(d->event[0].user == 1 && d->event[0].at_ps == 10 * US + ONE_PS); /* its number, as it has no user */
    expect(d, "{\"call\": \"counts\"}");
    assert_int_equal(d->player.counts.messages_delivered, 2);
    expect(d, "{\"call\": \"close\"}");
    assert_true(d->sim == NULL && d->player.counts.over == 1);
    expect(d, OPEN);
    expect(d, "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 1}");
    assert_int_equal(d->player.message, 0);
    free_desk(d);
}

/* A cable that the program cuts and mends; without at_ps as early as it may: a lead after the floor. */
static void lines_change_the_network(void **state)
{
    static const char open[] =
        "{\"call\": \"open\", \"scenario\": \"topology: {kind: star, hosts: 3, host_link: 10 Gbps, "
        "host_delay: 2 us}\\nprotocol: soze\\nfabric: {cuttable: all}\\n"
        "traffic: [{kind: session, weights: 1..4}]\\nrun: {warmup: 0 us, measure: all}\\n\"}";
    struct desk *d = make_desk(open);
    (void)state;
    expect(d, "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 100000}");
    expect(d, "{\"call\": \"set_weight\", \"message\": 0, \"weight\": 2.5}");
    assert_int_equal(play(d, "{\"call\": \"set_weight\", \"message\": 0, \"weight\": 5}"), WEIR_SIM_E_ARGUMENT);
    assert_int_equal(play(d, "{\"call\": \"set_weight\", \"message\": 1, \"weight\": 2}"), WEIR_SIM_E_ARGUMENT);
    expect(d, "{\"call\": \"cut\", \"part\": \"host 1 - switch 0\"}");
    expect(d, "{\"call\": \"hold\", \"part\": \"host 2 - switch 0\", \"at_ps\": 70000000}");
    assert_int_equal(play(d, "{\"call\": \"cut\", \"part\": \"host 9\"}"), WEIR_SIM_E_ARGUMENT);
    assert_int_equal(play(d, "{\"call\": \"cut\", \"part\": \"host 0\", \"at_ps\": 0}"), WEIR_SIM_E_PAST);
    expect(d, "{\"call\": \"advance\", \"until_ps\": 500000000, \"times\": 9}");
    assert_int_equal(d->events, 0); /* nothing arrives */
    expect(d, "{\"call\": \"mend\", \"part\": \"host 1 - switch 0\"}");
    expect(d, "{\"call\": \"advance\", \"times\": 9}");
    assert_int_equal(d->events, 1);
    expect(d, "{\"call\": \"set_weight\", \"message\": 0, \"weight\": 1}"); /* it has ended: nothing changes */
    free_desk(d);
}

/* What is saved by lines is restored by a line, and messages keep their numbers. */
static void saved_and_restored_by_lines(void **state)
{
    struct desk *d = make_desk(NULL), *r = make_desk(NULL);
    char open[1024], line[256];
    (void)state;
    (void)snprintf(open, sizeof(open), "%.*s, \"record\": true}", (int)sizeof(OPEN) - 2, OPEN);
    expect(d, open);
    for (uint32_t i = 0; i < 300; i++) { /* so many that those that have started are forgotten */
        (void)snprintf(line, sizeof(line),
                       "{\"call\": \"inject\", \"src\": %u, \"dst\": 1, \"bytes\": 9000, \"start_ps\": %u}",
                       2 * (i % 2), 10000000 * i);
        expect(d, line);
    }
    expect(d, "{\"call\": \"advance\", \"until_ps\": 1000000000, \"times\": 999}");
    (void)snprintf(line, sizeof(line), "{\"call\": \"save\", \"file\": \"%s\"}", saved);
    expect(d, line);
    (void)snprintf(line, sizeof(line), "{\"call\": \"restore\", \"file\": \"%s\"}", saved);
    assert_int_equal(play(d, line), WEIR_SIM_E_CALL);
    expect(r, line);
    for (uint32_t i = 0; i < 2; i++) {
        struct desk *one = i == 0 ? d : r;
        assert_int_equal(play(one, "{\"call\": \"cancel\", \"message\": 300}"), WEIR_SIM_E_ARGUMENT);
        assert_int_equal(play(one, "{\"call\": \"cancel\", \"message\": 20}"), WEIR_SIM_E_STARTED);
        expect(one, "{\"call\": \"cancel\", \"message\": 299}");
        expect(one, "{\"call\": \"inject\", \"src\": 0, \"dst\": 2, \"bytes\": 5, \"start_ps\": 4000000000}");
        assert_int_equal(one->player.message, 300);
        while (one->player.given[one->player.givens - 1].number < 600)
            expect(one, "{\"call\": \"inject\", \"src\": 0, \"dst\": 2, \"bytes\": 5, \"start_ps\": 4000000000}");
        assert_true(one->player.givens < 600);
        do
            expect(one, "{\"call\": \"advance\"}");
        while (one->events > 0);
        expect(one, "{\"call\": \"close\"}");
    }
    assert_int_equal(d->player.counts.digest, r->player.counts.digest);
    assert_int_equal(d->player.counts.messages_started, 299 + 301);
    free_desk(d);
    free_desk(r);
}

/* ---- what is refused ---- */

static const struct refusal {
    const char *line;
    int code;
    uint32_t column;
    const char *text;
} refusals[] = {
    { "", WEIR_SIM_E_ARGUMENT, 1, "not a JSON object" },
    { "advance", WEIR_SIM_E_ARGUMENT, 1, "not a JSON object" },
    { "[1, 2]", WEIR_SIM_E_ARGUMENT, 1, "not a JSON object" },
    { "{\"call\": \"advance\"", WEIR_SIM_E_ARGUMENT, 1, "not a JSON object" },
    { "{\"call\": \"advance\"} # now", WEIR_SIM_E_ARGUMENT, 1, "not a JSON object" },
    { "{\"call\": \"adv}", WEIR_SIM_E_ARGUMENT, 15, "not JSON: found unexpected end of stream" },
    { "{\"call\": \"advance\"} {}", WEIR_SIM_E_ARGUMENT, 21, "not JSON: did not find expected <document start>" },
    { "{\"call\": \"a\xe2\x80\xa8\"}", WEIR_SIM_E_ARGUMENT, 12, "a line break is in the line" },
    { "{\"call\": \"a\xc2\x85\"}", WEIR_SIM_E_ARGUMENT, 12, "a line break is in the line" },
    { "{\"call\":\r\"advance\"}", WEIR_SIM_E_ARGUMENT, 9, "a line break is in the line" },
    { "{\"call\": #advance}", WEIR_SIM_E_ARGUMENT, 19, "not JSON: did not find expected node content" },
    { "{\"call\": advance}", WEIR_SIM_E_ARGUMENT, 10, "call = advance: must be a text in quotes" },
    { "{\"call\": 'advance'}", WEIR_SIM_E_ARGUMENT, 10, "call = advance: must be a text in quotes" },
    { "{call: \"advance\"}", WEIR_SIM_E_ARGUMENT, 2, "not JSON: 'call' needs quotes" },
    { "{\"call\": \"advance\", \"call\": \"close\"}", WEIR_SIM_E_ARGUMENT, 21, "'call' is set twice, first at line 1" },
    { "{}", WEIR_SIM_E_ARGUMENT, 1, "the member call is missing" },
    { "{\"call\": {}}", WEIR_SIM_E_ARGUMENT, 10, "call: must be a text in quotes" },
    { "{\"call\": \"advancd\"}", WEIR_SIM_E_ARGUMENT, 10, "no call is named 'advancd'" },
    { "{\"call\": \"inject\", \"dst\": 1, \"bytes\": 5}", WEIR_SIM_E_ARGUMENT, 1, "inject needs the member src" },
    { "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": \"5\"}", WEIR_SIM_E_ARGUMENT, 49,
      "bytes = \"5\": must be a whole number, 0 to 18446744073709551615" },
    { "{\"call\": \"inject\", \"src\": -1, \"dst\": 1, \"bytes\": 5}", WEIR_SIM_E_ARGUMENT, 27,
      "src = -1: must be a whole number, 0 to 4294967295" },
    { "{\"call\": \"inject\", \"src\": 4294967296, \"dst\": 1, \"bytes\": 5}", WEIR_SIM_E_ARGUMENT, 27,
      "src = 4294967296: must be a whole number, 0 to 4294967295" },
    { "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 1.5}", WEIR_SIM_E_ARGUMENT, 49,
      "bytes = 1.5: must be a whole number, 0 to 18446744073709551615" },
    { "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 18446744073709551616}", WEIR_SIM_E_ARGUMENT, 49,
      "bytes = 18446744073709551616: must be a whole number, 0 to 18446744073709551615" },
    { "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": [5]}", WEIR_SIM_E_ARGUMENT, 49,
      "bytes: must be a whole number, 0 to 18446744073709551615" },
    { "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 5, \"weight\": 2x}", WEIR_SIM_E_ARGUMENT, 62,
      "weight = 2x: must be a number with up to 9 decimals" },
    { "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 5, \"weight\": 0}", WEIR_SIM_E_ARGUMENT, 0,
      "weight -1: must be from 0.001 to 1000000" },
    { "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 5, \"at_ps\": 3}", WEIR_SIM_E_ARGUMENT, 52,
      "inject has no member 'at_ps'" },
    { "{\"call\": \"inject\", \"src\": 3, \"dst\": 1, \"bytes\": 5}", WEIR_SIM_E_ARGUMENT, 0,
      "host 3: the topology has hosts 0 to 2" },
    { "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 5, \"start_ps\": 1999999}", WEIR_SIM_E_PAST, 0,
      "1999999 ps is in the past: nothing before 2000000 ps can be changed any more" },
    { "{\"call\": \"advance\", \"until_ps\": 1999999}", WEIR_SIM_E_PAST, 0,
      "1999999 ps is in the past: it is 2000000 ps" },
    { "{\"call\": \"cancel\", \"message\": 1}", WEIR_SIM_E_ARGUMENT, 0, "message 1: 1 were given so far" },
    { "{\"call\": \"save\", \"file\": \"/nowhere/x\"}", WEIR_SIM_E_CALL, 0,
      "the calls of this session are not recorded" },
    { "{\"call\": \"expect\", \"digest\": \"12\"}", WEIR_SIM_E_DIGEST, 0, NULL },
    { OPEN, WEIR_SIM_E_CALL, 0, "a session is open already" },
};

static void what_is_refused_changes_nothing(void **state)
{
    struct desk *d = make_desk(OPEN);
    (void)state;
    expect(d, "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 1460}");
    expect(d, "{\"call\": \"advance\", \"until_ps\": 2000000}");
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const struct refusal *r = &refusals[i];
        int code = play(d, r->line);
        if (code != r->code || (r->text != NULL && strcmp(d->player.error.text, r->text) != 0) ||
            d->player.error.column != r->column || d->player.error.code != code)
            fail_msg("%s: %d, column %u: %s", r->line, code, d->player.error.column, d->player.error.text);
    }
    expect(d, "{\"call\": \"advance\", \"times\": 2}");
    assert_int_equal(d->events, 1);
    assert_int_equal(d->event[0].at_ps, ONE_PS);
    free_desk(d);
}

/* The hint is of the members that this call needs or takes: those it needs, those it takes, and none of other calls. */
static void an_unknown_member_is_told_which_are_known(void **state)
{
    struct desk *d = make_desk(OPEN);
    (void)state;
    assert_int_equal(play(d, "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"byte\": 5}"), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(d->player.error.hint, "did you mean 'bytes'?");
    assert_int_equal(play(d, "{\"call\": \"advance\", \"time\": 5}"), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(d->player.error.hint, "did you mean 'times'?");
    assert_int_equal(play(d, "{\"call\": \"advance\", \"byte\": 5}"), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(d->player.error.hint, "known: until_ps, times");
    assert_int_equal(play(d, "{\"call\": \"cut\", \"prt\": 5}"), WEIR_SIM_E_ARGUMENT); /* the last of all members */
    assert_string_equal(d->player.error.hint, "did you mean 'part'?");
    free_desk(d);
}

static void a_call_needs_a_session(void **state)
{
    static const char *const open[] = {
        "{\"call\": \"open\", \"scenario\": \"protocol: dctcp\", \"events\": [\"deliverd\"]}",
        "{\"call\": \"open\", \"scenario\": \"protocol: dctcp\", \"events\": []}",
        "{\"call\": \"open\", \"scenario\": \"protocol: dctcp\", \"events\": [timer]}",
        "{\"call\": \"open\", \"scenario\": \"protocol: dctcp\", \"events\": \"timer\"}",
        "{\"call\": \"open\", \"scenario\": \"protocol: dctcp\", \"check\": \"true\"}",
        "{\"call\": \"open\", \"scenario\": \"protocol: dctcp\", \"check\": 1}",
        "{\"call\": \"open\", \"scenario\": 5}",
        "{\"call\": \"restore\", \"file\": \"/nowhere/at/all\"}",
    };
    static const char *const text[] = {
        "events: 'deliverd' is none of delivered, completed, timer",
        "events: the list is empty",
        "events: must be a list of texts in quotes",
        "events = \"timer\": must be a list of texts in quotes",
        "check = \"true\": must be true or false",
        "check = 1: must be true or false",
        "scenario = 5: must be a text in quotes",
        NULL,
    };
    struct desk *d = make_desk(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        int code = play(d, open[i]);
        assert_int_equal(code, i + 1 < sizeof(open) / sizeof(open[0]) ? WEIR_SIM_E_ARGUMENT : WEIR_SIM_E_FILE);
        if (text[i] != NULL)
            assert_string_equal(d->player.error.text, text[i]);
    }
    assert_int_equal(
        play(d, "{\"call\": \"open\", \"scenario\": \"topology: {kind: star, hosts: 2}\\nprotocol: dctpc\"}"),
        WEIR_SIM_E_SCENARIO);
    assert_string_equal(d->player.error.text, "unknown protocol 'dctpc'");
    assert_true(d->player.error.line == 2 && d->player.error.column == 11);
    assert_int_equal(play(d, "{\"call\": \"advance\"}"), WEIR_SIM_E_CALL);
    assert_string_equal(d->player.error.text, "advance: no session is open");
    expect(d, OPEN);
    expect(d, "{\"call\": \"close\"}");
    assert_int_equal(play(d, "{\"call\": \"counts\"}"), WEIR_SIM_E_CALL); /* used after it was closed */
    assert_int_equal(play(d, "{\"call\": \"close\"}"), WEIR_SIM_E_CALL);
    free_desk(d);
}

/* What JSON has in texts: escapes, letters beyond ASCII. A line that is written is read again as it was. */
static void lines_are_read_as_they_were_written(void **state)
{
    static const char *const set[] = { "name=\xc3\xa4 \"\\\x01\t\xe2\x80\xa8\xc2\x85\xef\xbb\xbf", "", NULL };
    const struct weir_session_args args = { .given = WEIR_SESSION_BIT(SCENARIO) | WEIR_SESSION_BIT(SET) |
                                                     WEIR_SESSION_BIT(NAME) | WEIR_SESSION_BIT(CHECK),
                                            .scenario = "a: \"b\"\n# \xe2\x82\xac {}\n",
                                            .name = "",
                                            .set = set,
                                            .check = false };
    const struct weir_session_row *open = weir_session_rows;
    struct weir_session_args back;
    char *line = NULL;
    size_t length = 0;
    struct weir_tree_arena *arena = weir_tree_arena_new();
    struct weir_err err = { 0 };
    FILE *out = open_memstream(&line, &length);
    (void)state;
    while (strcmp(open->name, "open") != 0)
        open++;
    weir_session_line_write(out, open, &args);
    assert_int_equal(fclose(out), 0);
    assert_true(line[length - 1] == '\n' && strchr(line, '\n') == line + length - 1); /* one line */
    assert_ptr_equal(weir_session_line_read(arena, "lines", line, length - 1, &back, &err), open);
    assert_int_equal(back.given, args.given);
    assert_string_equal(back.scenario, args.scenario);
    assert_string_equal(back.name, "");
    assert_string_equal(back.set[0], set[0]);
    assert_string_equal(back.set[1], "");
    assert_null(back.set[2]);
    weir_tree_arena_free(arena);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_does_its_work),
        cmocka_unit_test(lines_change_the_network),
        cmocka_unit_test(saved_and_restored_by_lines),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(an_unknown_member_is_told_which_are_known),
        cmocka_unit_test(a_call_needs_a_session),
        cmocka_unit_test(lines_are_read_as_they_were_written),
    };
    return cmocka_run_group_tests_name("session/play", tests, make_folder, remove_folder);
}
