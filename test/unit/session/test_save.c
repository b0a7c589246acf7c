/* test/unit/session/test_save.c - saved sessions: what is restored goes on as what was saved, for any number of threads;
 * and what does not is refused. */
#include "core/rng.h"
#include "core/math.h"
#include "session/session.h"
#include "test/unit/session/save_test.h"

enum { HOSTS = 8, LIST = 120, HALF = 60 };

#define LEAF_HEAD                                                                                                      \
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 200 Gbps, "           \
    "host_delay: 1 us, core_delay: 1 us}\n"
#define TAIL "traffic: [{kind: session, sizes: 30 KB}]\nrun: {warmup: 0 us, measure: all}\n"

/* ---- a list of messages, given bit by bit ---- */

struct drive {
    struct weir_sim *sim;
    uint32_t next, steps;
    uint64_t hash; /* of all events */
};

static struct weir_sim_message message(uint32_t i)
{
    uint64_t x = weir_rng_at(77, i);
    uint32_t src = (uint32_t)(x % HOSTS);
    return (struct weir_sim_message){ .size = sizeof(struct weir_sim_message),
                                      .src = src,
                                      .dst = (uint32_t)(src + 1 + (x >> 8) % (HOSTS - 1)) % HOSTS,
                                      .bytes = 1 + (x >> 16) % 40000,
                                      .start_ps = 3 * US * i,
                                      .user = i };
}

/* Gives messages up to number `end`, and advances in between. after_event: stops at the first event then */
static void go_on(struct drive *d, uint32_t end, bool after_event)
{
    const struct weir_sim_event *event = NULL;
    long count;
    while (d->next < end) {
        uint64_t until_ps = weir_sim_now(d->sim) + weir_rng_below(weir_rng_at(5, d->steps++), (uint32_t)(9 * US));
        for (; d->next < end && 3 * US * d->next < until_ps + weir_sim_reaction(d->sim); d->next++) {
            struct weir_sim_message m = message(d->next);
            m.start_ps = weir_max_u64(m.start_ps, weir_sim_floor(d->sim));
            assert_int_equal(weir_sim_inject(d->sim, &m, NULL), 0);
        }
        do {
            count = advance(d->sim, until_ps, &event);
            for (long i = 0; i < count; i++)
                d->hash = weir_mix_u64(weir_mix_u64(d->hash ^ event[i].at_ps) ^ event[i].user << 8 ^ event[i].kind);
        } while (count > 0);
    }
    while (after_event && advance(d->sim, WEIR_SIM_NEVER, &event) > 0) {
        d->hash = weir_mix_u64(d->hash ^ event->at_ps);
        return;
    }
}

/* Gives the rest of the list, and closes. @return the digest */
static uint64_t finish(struct drive *d)
{
    go_on(d, LIST, false);
    while (advance(d->sim, WEIR_SIM_NEVER, NULL) > 0)
        ;
    return close_session(d->sim);
}

static struct weir_sim_opts options(uint32_t threads)
{
    return (struct weir_sim_opts){ .size = sizeof(struct weir_sim_opts),
                                   .threads = threads,
                                   .events = WEIR_SIM_DELIVERED | WEIR_SIM_COMPLETED,
                                   .record = 1 };
}

static void check_law(const char *law, bool after_event)
{
    char text[1024], *first = NULL;
    uint64_t digest = 0, hash = 0;
    (void)snprintf(text, sizeof(text), LEAF_HEAD "protocol: %s\n" TAIL, law);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const struct weir_sim_opts opts = options(threads);
        const struct weir_sim_opts again = { .size = sizeof(again), .threads = 4 - threads };
        struct drive d = { .sim = open_session(text, &opts) }, r;
        struct weir_sim_error error = { 0 };
        char *content;
        uint64_t whole;
        go_on(&d, HALF, after_event);
        r = d;
        save(d.sim);
        content = read_saved();
        if (weir_sim_restore(saved, &again, &r.sim, &error) != 0)
            fail_msg("%s: %s:%u: %s", law, error.file, error.line, error.text);
        assert_int_equal(weir_sim_now(r.sim), weir_sim_now(d.sim));
        assert_int_equal(weir_sim_floor(r.sim), weir_sim_floor(d.sim));
        whole = finish(&d);
        if (threads == 1)
            first = content, digest = whole, hash = d.hash;
        assert_string_equal(content, first); /* the same file, byte for byte */
        assert_int_equal(whole, digest);
        assert_int_equal(finish(&r), digest);
        assert_true(r.hash == hash && d.hash == hash);
        if (threads > 1)
            free(content);
    }
    free(first);
}

/* In `check` four laws, two of them saved after an event; all in both ways with --all, as `./dev soak` wants. */
static bool run_all;

static void what_is_restored_goes_on_as_what_was_saved(void **state)
{
    static const char *const law[] = { "dctcp", "sird", "hpcc", "homa", "ndp", "swift", "dart", "newreno", "dcqcn" };
    (void)state;
    for (size_t l = 0; l < (run_all ? sizeof(law) / sizeof(law[0]) : 4); l++) {
        if (run_all || l % 2 == 0)
            check_law(law[l], false);
        if (run_all || l % 2 != 0)
            check_law(law[l], true);
    }
}

/* A save changes nothing: the digest is that without it. */
static void saving_changes_nothing(void **state)
{
    uint64_t digest[2];
    (void)state;
    for (uint32_t saves = 0; saves < 2; saves++) {
        const struct weir_sim_opts opts = options(1);
        struct drive d = { .sim = open_session(LEAF_HEAD "protocol: dctcp\n" TAIL, &opts) };
        for (uint32_t i = 10; i < LIST; i += 10) {
            go_on(&d, i, i % 20 == 0);
            if (saves > 0)
                save(d.sim);
        }
        digest[saves] = finish(&d) + d.hash;
    }
    assert_int_equal(digest[0], digest[1]);
}

/* ---- what the file has ---- */

static struct weir_sim_message small(uint32_t src, uint64_t start_ps, uint64_t user)
{
    return (struct weir_sim_message){
        .size = sizeof(struct weir_sim_message), .src = src, .dst = 1, .bytes = 1460, .start_ps = start_ps, .user = user
    };
}

static void each_call_is_a_line(void **state)
{
    static const char *const set[] = { "run.seed=5", NULL };
    const struct weir_sim_opts opts = { .size = sizeof(opts), .record = 1, .name = "a \"b\".yaml", .set = set };
    static const char text[] =
        "topology: {kind: star, hosts: 3}\nprotocol: soze\n"
        "traffic: [{kind: session}, {kind: session, weights: 1..4}]\nrun: {warmup: 0 us, measure: all}\n";
    static const char middle[] =
        "{\"call\": \"inject\", \"src\": 0, \"dst\": 1, \"bytes\": 1460, \"start_ps\": 5000000, \"user\": 7}\n"
        "{\"call\": \"inject\", \"src\": 2, \"dst\": 1, \"bytes\": 1460, \"start_ps\": 9000000, "
        "\"user\": 18446744073709551615, \"item\": 1, \"weight\": 2.500000000}\n"
        "{\"call\": \"at\", \"at_ps\": 4000000}\n"
        "{\"call\": \"host_at\", \"user\": 3, \"host\": 2, \"at_ps\": 4000000}\n"
        "{\"call\": \"cancel\", \"message\": 1}\n"
        "{\"call\": \"advance\", \"until_ps\": 6000000, \"times\": 3}\n"
        "{\"call\": \"advance\"}\n"
        "{\"call\": \"expect\", \"digest\": \"";
    struct weir_sim *sim = open_session(text, &opts), *again = NULL;
    struct weir_sim_message m = small(0, 5 * US, 7);
    const struct weir_sim_opts plain = { .size = sizeof(plain), .record = 1 };
    char *content, *after, *twice;
    uint64_t id;
    (void)state;
    assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    m = small(2, 9 * US, UINT64_MAX);
    m.item = 1, m.weight = 2.5;
    assert_int_equal(weir_sim_inject(sim, &m, &id), 0);
    m.weight = 9; /* what is refused is not there */
    assert_int_equal(weir_sim_inject(sim, &m, NULL), WEIR_SIM_E_ARGUMENT);
    assert_int_equal(weir_sim_at(sim, 4 * US, 0), 0);
    assert_int_equal(weir_sim_host_at(sim, 2, 4 * US, 3), 0);
    assert_int_equal(weir_sim_cancel(sim, id), 0);
    assert_int_equal(advance(sim, 6 * US, NULL), 1);
    assert_int_equal(advance(sim, 6 * US, NULL), 1);
    assert_int_equal(advance(sim, 6 * US, NULL), 0);
    assert_int_equal(weir_sim_advance(sim, 6 * US - 1, NULL), WEIR_SIM_E_PAST);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    save(sim);
    content = read_saved();
    assert_non_null(strstr(content, "\\nprotocol: soze\\n"));
    assert_non_null(strstr(content, "\"name\": \"a \\\"b\\\".yaml\", \"set\": [\"run.seed=5\"], "
                                    "\"events\": [\"delivered\", \"timer\"], \"reaction_ps\": "));
    after = strchr(content, '\n') + 1;
    assert_memory_equal(after, middle, sizeof(middle) - 1);
    assert_int_equal(strlen(after + sizeof(middle) - 1), 16 + sizeof("\"}\n") - 1);
    assert_int_equal(weir_sim_restore(saved, &plain, &again, NULL), 0); /* and is recorded again */
    save(again);
    twice = read_saved();
    assert_string_equal(twice, content);
    free(content);
    free(twice);
    assert_int_equal(close_session(again), close_session(sim));
}

/* Weights of messages and the network change, before the session is saved and after. */
static uint64_t change_and_close(struct weir_sim *sim)
{
    assert_int_equal(weir_sim_mend(sim, "leaf 0 - spine 0", 150 * US), 0);
    assert_int_equal(weir_sim_mend(sim, "leaf 1 - spine 1", 160 * US), 0);
    while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
        ;
    return close_session(sim);
}

static void changes_are_saved(void **state)
{
    static const char text[] =
        LEAF_HEAD "protocol: soze\nfabric: {cuttable: all, reroute_delay: 5 us}\n"
                  "traffic: [{kind: session, weights: 1..8}]\nrun: {warmup: 0 us, measure: all}\n";
    static const char *const lines[] = {
        "{\"call\": \"set_weight\", \"weight\": 4.500000000, \"message\": 2, \"at_ps\": 30000000}\n",
        "{\"call\": \"cut\", \"at_ps\": 60000000, \"part\": \"leaf 0 - spine 0\"}\n",
        "{\"call\": \"hold\", \"at_ps\": 70000000, \"part\": \"leaf 1 - spine 1\"}\n",
    };
    char *content[4];
    uint64_t digest[4];
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const struct weir_sim_opts opts = options(threads), again = { .size = sizeof(again), .threads = 4 - threads };
        struct weir_sim *sim = open_session(text, &opts), *other = NULL;
        uint64_t id[12];
        for (uint32_t i = 0; i < 12; i++) {
            struct weir_sim_message m = small(i % 4, i * US, i);
            m.dst = 4 + i % 3;
            m.bytes = i == 11 ? 500 : 400000;
            assert_int_equal(weir_sim_inject(sim, &m, &id[i]), 0);
        }
        assert_int_equal(weir_sim_set_weight(sim, id[2], 30 * US, 4.5), 0);
        while (advance(sim, 40 * US, NULL) > 0)
            ;
        assert_int_equal(weir_sim_set_weight(sim, id[11], 45 * US, 2), 0); /* it has ended: there is nothing to save */
        assert_int_equal(weir_sim_cut(sim, "leaf 0 - spine 0", 60 * US), 0);
        assert_int_equal(weir_sim_cut(sim, "leaf 7 - spine 0", 60 * US), WEIR_SIM_E_ARGUMENT);
        assert_int_equal(weir_sim_hold(sim, "leaf 1 - spine 1", 70 * US), 0);
        while (advance(sim, 80 * US, NULL) > 0)
            ;
        save(sim);
        content[threads] = read_saved();
        assert_int_equal(weir_sim_restore(saved, &again, &other, NULL), 0);
        digest[threads] = change_and_close(sim);
        assert_int_equal(change_and_close(other), digest[threads]);
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_non_null(strstr(content[1], lines[i]));
    assert_null(strstr(content[1], "\"message\": 11"));
    assert_string_equal(content[1], content[2]);
    assert_string_equal(content[1], content[3]);
    assert_true(digest[1] == digest[2] && digest[1] == digest[3]);
    for (uint32_t threads = 1; threads <= 3; threads++)
        free(content[threads]);
}

/* Events come in the order of time after a session was saved, too: hosts have gone on to the floor then, beyond a timer. By
 * hand: 1460 B over two cables of 10 Gb/s and 2 us arrive after 2 * 1.2304 + 4 us. */
static void a_saved_session_keeps_the_order_of_time(void **state)
{
    static const char text[] =
        "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 2 us}\nprotocol: dctcp\n"
        "framing: {payload: 1460 B, header: 58 B, ack_wire: 84 B}\n"
        "traffic: [{kind: session}]\nrun: {warmup: 0 us, measure: all}\n";
    const struct weir_sim_opts opts = { .size = sizeof(opts), .record = 1, .reaction_ps = 10 * US };
    static const uint64_t at_ps[] = { 6460800, 7 * US, 9460800 };
    struct weir_sim *sim = open_session(text, &opts);
    const struct weir_sim_event *event = NULL;
    (void)state;
    for (uint32_t h = 0; h < 2; h++) {
        const struct weir_sim_message m = {
            .size = sizeof(m), .src = h, .dst = 3 - h, .bytes = 1460, .start_ps = h * 3 * US
        };
        assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    }
    assert_int_equal(weir_sim_at(sim, 7 * US, 5), 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(weir_sim_advance(sim, WEIR_SIM_NEVER, &event), 1);
        assert_int_equal(event->at_ps, at_ps[i]);
        assert_int_equal(weir_sim_now(sim), at_ps[i]);
        save(sim);
    }
    (void)close_session(sim);
}

/* ---- call-backs ---- */

struct relay { /* what a host gets, it sends on */
    struct weir_sim *sim;
    uint32_t left, refused;
};

static void on_relay(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct relay *r = ctx;
    struct weir_sim_message m = small(here, event->at_ps + US, 0);
    m.dst = (here + 1) % 3;
    if (event->kind != WEIR_SIM_DELIVERED || r->left == 0)
        return;
    r->left--;
    r->refused += weir_sim_inject(r->sim, &m, NULL) != 0;
    r->refused += weir_sim_save(r->sim, saved) != WEIR_SIM_E_CALL;
}

static void call_backs_are_called_again(void **state)
{
    struct relay first = { .left = 20 }, second = { .left = 20 };
    struct weir_sim_opts opts = { .size = sizeof(opts), .record = 1, .on_event = on_relay, .ctx = &first };
    struct weir_sim_message m = small(0, 0, 0);
    struct weir_sim_error error = { 0 };
    (void)state;
    first.sim = open_session(PAIR_TEXT, &opts);
    assert_int_equal(weir_sim_inject(first.sim, &m, NULL), 0);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(advance(first.sim, WEIR_SIM_NEVER, NULL), 1);
    save(first.sim);
    opts.ctx = &second;
    assert_int_equal(weir_sim_restore(saved, &opts, &second.sim, &error), 0);
    assert_true(second.left == first.left && second.left > 0);
    while (advance(first.sim, WEIR_SIM_NEVER, NULL) > 0)
        assert_int_equal(advance(second.sim, WEIR_SIM_NEVER, NULL), 1);
    assert_int_equal(advance(second.sim, WEIR_SIM_NEVER, NULL), 0);
    assert_int_equal(close_session(first.sim), close_session(second.sim));
    assert_true(first.refused == 0 && second.refused == 0);
    opts.on_event = NULL;
    assert_int_equal(weir_sim_restore(saved, &opts, &second.sim, &error), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(error.text, "the session had a call-back, and there is none now");
    assert_int_equal(error.line, 1);
    opts.on_event = on_relay;
    second.left = 0; /* it acts otherwise */
    assert_int_equal(weir_sim_restore(saved, &opts, &second.sim, &error), WEIR_SIM_E_DIGEST);
    assert_null(second.sim);
}

struct keeper { /* gives one message when a timer is due, and keeps its id */
    struct weir_sim *sim;
    uint64_t id;
};

static void on_timer(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct keeper *k = ctx;
    const struct weir_sim_message m = small(here, event->at_ps + 90 * US, 0);
    if (event->kind == WEIR_SIM_TIMER)
        assert_int_equal(weir_sim_inject(k->sim, &m, &k->id), 0);
}

static void a_message_of_a_call_back_is_not_cancelled_from_outside(void **state)
{
    struct keeper k = { .id = 0 };
    const struct weir_sim_opts opts = { .size = sizeof(opts), .record = 1, .on_event = on_timer, .ctx = &k };
    struct weir_sim *sim = open_session(PAIR_TEXT, &opts);
    (void)state;
    k.sim = sim;
    assert_int_equal(weir_sim_host_at(sim, 2, US, 0), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    save(sim);
    assert_int_equal(weir_sim_cancel(sim, k.id), 0);
    assert_int_equal(weir_sim_save(sim, saved), WEIR_SIM_E_CALL);
    assert_string_equal(weir_sim_error(sim)->text,
                        "a message of a call-back was changed or cancelled from outside, which cannot be saved");
    (void)close_session(sim);
}

/* ---- what is refused ---- */

static void check_refused(const char *text, size_t length, int code, const char *sentence, uint32_t line)
{
    struct weir_sim *sim = (struct weir_sim *)folder; /* no session, but not NULL */
    struct weir_sim_error error = { 0 };
    write_saved(text, length);
    assert_int_equal(weir_sim_restore(saved, NULL, &sim, &error), code);
    assert_null(sim);
    assert_int_equal(error.code, code);
    if (sentence != NULL)
        assert_string_equal(error.text, sentence);
    assert_int_equal(error.line, line);
    assert_string_equal(error.file, saved);
}

/* Saves a session in which marks cut a window. @return the content of the file, to be freed */
static char *save_marked(void)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .record = 1 };
    struct weir_sim *sim = open_session("topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 2 us}\n"
                                        "protocol: {name: dctcp, g: 0.0625}\nfabric: {ecn: {threshold: 20 KB}}\n" TAIL,
                                        &opts);
    for (uint32_t h = 0; h < 4; h++) {
        struct weir_sim_message m = small(h, 0, 0);
        m.bytes = 400000;
        m.dst = 1;
        if (h != 1)
            assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    }
    assert_int_equal(advance(sim, 700 * US, NULL), 0); /* all are on their way */
    save(sim);
    (void)close_session(sim);
    return read_saved();
}

/* Replaces a text by one of the same length. */
static void patch(char *content, const char *from, const char *to)
{
    char *at = strstr(content, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
}

static void another_law_is_refused(void **state)
{
    char *content = save_marked(), *copy = strdup(content);
    struct weir_sim *sim = NULL;
    (void)state;
    assert_non_null(copy);
    patch(copy, "0.0625", "0.0626");
    check_refused(copy, strlen(copy), WEIR_SIM_E_DIGEST, NULL, 6);
    patch(copy, "0.0626", "0.0625");
    patch(copy, "\"format\": 1", "\"format\": 2");
    check_refused(copy, strlen(copy), WEIR_SIM_E_FILE, NULL, 1);
    patch(copy, "\"format\": 2", "\"format\": 1");
    write_saved(copy, strlen(copy));
    assert_int_equal(weir_sim_restore(saved, NULL, &sim, NULL), 0);
    (void)close_session(sim);
    free(content);
    free(copy);
}

static void a_truncated_file_is_refused(void **state)
{
    char *content = save_marked();
    size_t length = strlen(content);
    uint32_t lines = 0;
    (void)state;
    for (size_t end = 1; end < length; end++) {
        if (content[end - 1] != '\n')
            continue;
        lines++;
        check_refused(content, end, WEIR_SIM_E_FILE, "the saved session is truncated", lines);
        check_refused(content, end - 2, WEIR_SIM_E_ARGUMENT, "not a JSON object", lines);
    }
    assert_int_equal(lines, 5);
    check_refused(content, length - 2, WEIR_SIM_E_ARGUMENT, "not a JSON object", 6);
    check_refused("", 0, WEIR_SIM_E_FILE, "the saved session is truncated", 0);
    check_refused("{\"call\": \"close\"}\n", 18, WEIR_SIM_E_FILE, "a saved session has no call close", 1);
    free(content);
}

static void what_cannot_be_saved(void **state)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .record = 1 };
    struct weir_sim_opts old = { .size = (uint32_t)offsetof(struct weir_sim_opts, record) };
    struct weir_sim *sim = open_session(PAIR_TEXT, &old); /* of a program that does not know the last field */
    struct weir_sim_error error = { 0 };
    const char *const set[] = { NULL };
    (void)state;
    assert_int_equal(weir_sim_save(sim, saved), WEIR_SIM_E_CALL);
    assert_string_equal(weir_sim_error(sim)->text, "the calls of this session are not recorded");
    (void)close_session(sim);
    sim = open_session(PAIR_TEXT, &opts);
    assert_int_equal(weir_sim_save(sim, folder), WEIR_SIM_E_FILE); /* a folder */
    assert_int_equal(weir_sim_error(sim)->code, WEIR_SIM_E_FILE);
    save(sim); /* nothing has been done: that can be saved, too */
    (void)close_session(sim);
    old.set = set;
    assert_int_equal(weir_sim_restore(saved, &old, &sim, &error), WEIR_SIM_E_ARGUMENT);
    old = (struct weir_sim_opts){ .size = 4 };
    assert_int_equal(weir_sim_restore(saved, &old, &sim, &error), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(error.text, "opts.size is 4");
    assert_int_equal(weir_sim_restore("/nowhere/at/all", NULL, &sim, &error), WEIR_SIM_E_FILE);
    assert_null(sim);
    assert_int_equal(weir_sim_restore(saved, NULL, &sim, &error), 0);
    (void)close_session(sim);
    old = (struct weir_sim_opts){ .size = sizeof(old), .record = 1 };
    assert_null(weir_sim_open("protocol: dctcp\0", 16, &old, &error));
    assert_string_equal(error.text, "the scenario has a NUL character, so it cannot be saved");
}

/* ---- what a record costs ---- */

static void a_recorded_message_takes_a_few_bytes(void **state)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .record = 1 };
    struct weir_sim *sim = open_session(PAIR_TEXT, &opts);
    uint64_t floor_ps = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        const struct weir_sim_message m = small(i % 3 == 1 ? 0 : i % 3, weir_sim_floor(sim), i);
        assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
        assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
        assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 0);
    }
    floor_ps = weir_sim_floor(sim);
    assert_in_range(floor_ps, 1, UINT64_C(1) << 35); /* so a start has 5 bytes at most */
    /* inject: row, members, src, dst, 2 of bytes, 5 of the start, 2 of user; advance: row, 2 of members, times */
    assert_in_range(sim->record->length, 1000, 1000 * (13 + 4));
    (void)close_session(sim);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_session_keeps_the_order_of_time),
        cmocka_unit_test(what_is_restored_goes_on_as_what_was_saved),
        cmocka_unit_test(saving_changes_nothing),
        cmocka_unit_test(each_call_is_a_line),
        cmocka_unit_test(changes_are_saved),
        cmocka_unit_test(call_backs_are_called_again),
        cmocka_unit_test(a_message_of_a_call_back_is_not_cancelled_from_outside),
        cmocka_unit_test(another_law_is_refused),
        cmocka_unit_test(a_truncated_file_is_refused),
        cmocka_unit_test(what_cannot_be_saved),
        cmocka_unit_test(a_recorded_message_takes_a_few_bytes),
    };
    run_all = argc > 1 && strcmp(argv[1], "--all") == 0;
    return cmocka_run_group_tests_name("session/save", tests, make_folder, remove_folder);
}
