/* test/unit/driver/test_udp_shards.c - endpoints that share a UDP port: what the program in the kernel gives to whom,
 * by real sockets on the loopback device of a namespace of our own. */
#define _GNU_SOURCE
#include "test/unit/refusal.h"
#include "driver/net.h"
#include "driver/udp_shards.h"
#include "wire/wire.h"
#include "test/unit/driver/bpf_space.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PATIENCE_NS UINT64_C(20000000000) /* for a datagram that must come */
#define PORT 7001

enum { SHARDS = 3, SENDERS = 8, DATAGRAMS = 4000, BYTES = 600 };

static const char *missing; /* why nothing can be tested; NULL = it can */
static struct weir_net *shards[WEIR_NET_SHARDS], *senders[SENDERS];
static unsigned char bytes[BYTES];
static uint64_t random_state = 88172645463325252u; /* fixed: a failure repeats */

static uint32_t draw(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % below;
}

static void need(void)
{
    if (missing != NULL) {
        print_message("%s: not tested\n", missing);
        skip();
    }
}

static int open_net(struct weir_net **net, const char *address, bool shared, bool steered, struct weir_err *err)
{
    struct weir_net_config cfg = { .shared = shared || steered, .steered = steered };
    *err = (struct weir_err){ 0 };
    assert_int_equal(weir_net_addr_parse(address, &cfg.bind), 0);
    if (cfg.bind.port == 0 && cfg.shared)
        cfg.bind.port = PORT;
    return weir_net_udp.open(net, &cfg, err);
}

static uint16_t tag_of(uint32_t shard, uint32_t secret)
{
    return (uint16_t)(shard << WEIR_NET_SHARD_SHIFT | secret);
}

/* Opens a shard with tags that its number gives. */
static struct weir_net *open_shard(const char *address)
{
    struct weir_err err;
    struct weir_net *net;
    if (open_net(&net, address, true, true, &err) != 0)
        fail_msg("%s", err.text);
    assert_true(net->steered);
    assert_int_equal(net->driver->guard(net, tag_of(net->shard, 101), tag_of(net->shard, 201)), 0);
    return net;
}

static void close_net(struct weir_net **net)
{
    if (*net != NULL)
        (*net)->driver->close(*net);
    *net = NULL;
}

static void refuses(const char *address, bool shared, bool steered, int code, enum weir_err_code kind, const char *key)
{
    struct weir_net *net;
    struct weir_err err;
    assert_int_equal(open_net(&net, address, shared, steered, &err), code);
    assert_null(net);
    assert_refusal(&err, kind, "", key);
}

/* @return how many names are in the BPF file system */
static uint32_t names_left(void)
{
    DIR *folder = opendir("/sys/fs/bpf");
    uint32_t count = 0;
    assert_non_null(folder);
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder))
        count += strncmp(e->d_name, "weir", 4) == 0;
    (void)closedir(folder);
    return count;
}

static int close_all(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WEIR_NET_SHARDS; i++)
        close_net(&shards[i]);
    for (uint32_t i = 0; i < SENDERS; i++)
        close_net(&senders[i]);
    return missing == NULL && names_left() != 0;
}

struct place { /* where a datagram came */
    uint32_t shard;
    bool strangers;
};

/* Sends a datagram from a sender, and takes it out of the shard that it comes to. */
static struct place place_of(struct weir_net *from, uint32_t length)
{
    struct weir_net *some = NULL;
    struct weir_net_out out = { .head = bytes, .head_bytes = (uint16_t)length };
    struct weir_net_in in;
    for (uint32_t i = 0; i < SHARDS; i++)
        some = shards[i] != NULL ? shards[i] : some;
    out.to = &some->local;
    assert_int_equal(from->driver->send(from, &out, 1), 1);
    for (uint64_t until_ns = some->now_ns(some) + PATIENCE_NS; some->now_ns(some) < until_ns;) {
        for (uint32_t i = 0; i < SHARDS; i++) {
            if (shards[i] == NULL)
                continue;
            bool strange = shards[i]->driver->recv_strangers(shards[i], &in, 1) == 1;
            if (strange || shards[i]->driver->recv(shards[i], &in, 1) == 1) {
                assert_int_equal(in.length, length);
                return (struct place){ i, strange };
            }
        }
    }
    fail_msg("a datagram did not come");
    return (struct place){ 0, false };
}

/* Writes a datagram: random, but mostly of a kind that matters. @return its length */
static uint32_t make_datagram(void)
{
    uint32_t secrets[] = { 101, 201, 301, draw(1024) }, kinds[] = { 0x40, 0x41, draw(256) };
    uint32_t length = draw(4) == 0 ? draw(20) : draw(BYTES), at;
    uint16_t tag = tag_of(draw(SHARDS + 1), secrets[draw(4)]);
    for (uint32_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)draw(256);
    bytes[0] = (unsigned char)kinds[draw(3)];
    bytes[1] = (unsigned char)(draw(3) == 0 ? WEIR_NET_OPEN : 30 + draw(16));
    bytes[2] = (unsigned char)(draw(2) == 0 ? draw(1 << WEIR_NET_KIND_SHIFT) : draw(256));
    bytes[WEIR_NET_PROTECTION_AT] = (unsigned char)draw(3);
    at = weir_net_tag_at(bytes);
    if ((bytes[0] & WEIR_NET_OWN) != 0 && bytes[1] == WEIR_NET_OPEN)
        at = bytes[WEIR_NET_PROTECTION_AT] == 0 ? WEIR_NET_COOKIE_TAG_AT : WEIR_NET_KEYED_COOKIE_TAG_AT;
    if (at + 2 <= BYTES) {
        bytes[at] = (unsigned char)(tag >> 8);
        bytes[at + 1] = (unsigned char)tag;
        length = draw(2) == 0 ? at + draw(4) : length;
    }
    return length < BYTES ? length : BYTES;
}

/* @return the shard that a stranger's datagram names; SHARDS = none that is there */
static uint32_t named_by_stranger(uint32_t length)
{
    uint32_t at = 0, shard;
    if (length < WEIR_NET_FRONT_BYTES)
        return SHARDS;
    if ((bytes[0] & WEIR_NET_OWN) == 0 || (bytes[1] & WEIR_NET_PEERS) != 0)
        at = weir_net_tag_at(bytes);
    else if (bytes[1] == WEIR_NET_OPEN && length > WEIR_NET_PROTECTION_AT)
        at = bytes[WEIR_NET_PROTECTION_AT] == 0 ? WEIR_NET_COOKIE_TAG_AT : WEIR_NET_KEYED_COOKIE_TAG_AT;
    if (at == 0 || at + 2 > length)
        return SHARDS;
    shard = bytes[at] >> 2;
    return shard < SHARDS && shards[shard] != NULL ? shard : SHARDS;
}

/* Sends random datagrams, and compares where they come with the rule: the peers' socket of a shard gets exactly those
 * that are no strangers by its tags. */
static void compare(void)
{
    uint32_t any[SENDERS], counts[3] = { 0 };
    for (uint32_t s = 0; s < SENDERS; s++)
        any[s] = SHARDS;
    for (uint32_t n = 0; n < DATAGRAMS; n++) {
        uint32_t sender = draw(SENDERS), length = make_datagram(), owner = SHARDS, named;
        struct place place = place_of(senders[sender], length);
        for (uint32_t i = 0; i < SHARDS; i++)
            if (shards[i] != NULL && !weir_net_is_stranger(bytes, length, tag_of(i, 101), tag_of(i, 201)))
                owner = i;
        named = named_by_stranger(length);
        assert_int_equal(place.strangers, owner == SHARDS);
        if (owner == SHARDS && named == SHARDS) { /* by the addresses: always to the same one */
            assert_true(any[sender] == SHARDS || any[sender] == place.shard);
            any[sender] = place.shard;
        } else {
            assert_int_equal(place.shard, owner != SHARDS ? owner : named);
        }
        counts[owner != SHARDS ? 0 : named != SHARDS ? 1 : 2]++;
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_true(counts[i] > DATAGRAMS / 40);
}

static void open_senders(const char *address)
{
    struct weir_err err;
    for (uint32_t i = 0; i < SENDERS; i++)
        assert_int_equal(open_net(&senders[i], address, false, false, &err), 0);
}

static void the_kernel_steers_by_the_rule_of_strangers(void **state)
{
    (void)state;
    need();
    for (uint32_t i = 0; i < SHARDS; i++) {
        shards[i] = open_shard("127.0.0.1:0");
        assert_int_equal(shards[i]->shard, i);
    }
    open_senders("127.0.0.1:0");
    compare();
    close_net(&shards[1]);
    compare();
    close_net(&shards[0]);
    compare();
    shards[0] = open_shard("127.0.0.1:0");
    assert_int_equal(shards[0]->shard, 0);
    compare();
}

static void ipv6_is_steered_too(void **state)
{
    (void)state;
    need();
    for (uint32_t i = 0; i < SHARDS; i++)
        shards[i] = open_shard("[::1]:0");
    open_senders("[::1]:0");
    compare();
}

static void new_tags_replace_the_old_ones(void **state)
{
    struct place place;
    (void)state;
    need();
    for (uint32_t i = 0; i < 2; i++)
        shards[i] = open_shard("127.0.0.1:0");
    open_senders("127.0.0.1:0");
    memset(bytes, 0, sizeof(bytes));
    bytes[WEIR_NET_TAG_AT] = (unsigned char)(tag_of(1, 301) >> 8);
    bytes[WEIR_NET_TAG_AT + 1] = (unsigned char)tag_of(1, 301);
    place = place_of(senders[0], 40);
    assert_true(place.shard == 1 && place.strangers);
    assert_int_equal(shards[1]->driver->guard(shards[1], tag_of(1, 301), tag_of(1, 101)), 0);
    place = place_of(senders[0], 40);
    assert_true(place.shard == 1 && !place.strangers);
    bytes[WEIR_NET_TAG_AT + 1] = (unsigned char)tag_of(1, 201);
    bytes[WEIR_NET_TAG_AT] = (unsigned char)(tag_of(1, 201) >> 8);
    place = place_of(senders[0], 40);
    assert_true(place.shard == 1 && place.strangers);
}

static void strangers_are_spread_over_all_shards_and_few_move_when_one_goes(void **state)
{
    enum { MANY = 200 };
    uint32_t at[MANY], count[SHARDS] = { 0 };
    struct weir_net *many[MANY];
    struct weir_err err;
    (void)state;
    need();
    for (uint32_t i = 0; i < SHARDS; i++)
        shards[i] = open_shard("127.0.0.1:0");
    memset(bytes, 0, sizeof(bytes));
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(open_net(&many[i], "127.0.0.1:0", false, false, &err), 0);
        at[i] = place_of(many[i], 3).shard;
        count[at[i]]++;
    }
    for (uint32_t i = 0; i < SHARDS; i++)
        assert_in_range(count[i], MANY / 8, MANY / 2);
    close_net(&shards[1]);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t now = place_of(many[i], 3).shard;
        assert_true(at[i] == 1 ? now != 1 : now == at[i]);
    }
    for (uint32_t i = 0; i < MANY; i++)
        close_net(&many[i]);
}

static void a_port_has_64_shards_at_most_and_free_numbers_are_taken_again(void **state)
{
    (void)state;
    need();
    for (uint32_t i = 0; i < WEIR_NET_SHARDS; i++) {
        shards[i] = open_shard("127.0.0.1:0");
        assert_int_equal(shards[i]->shard, i);
    }
    refuses("127.0.0.1:0", true, true, -EADDRINUSE, WEIR_E_RUN, "shard");
    close_net(&shards[63]);
    close_net(&shards[5]);
    shards[5] = open_shard("127.0.0.1:0");
    assert_int_equal(shards[5]->shard, 5);
    assert_int_equal(names_left(), 1);
}

static void the_last_shard_removes_the_names_of_the_tables(void **state)
{
    (void)state;
    need();
    shards[0] = open_shard("127.0.0.1:0");
    shards[1] = open_shard("127.0.0.1:0");
    shards[2] = open_shard("127.0.0.2:0");
    assert_int_equal(names_left(), 2); /* a folder per port */
    close_net(&shards[0]);
    assert_int_equal(names_left(), 2);
    close_net(&shards[1]);
    assert_int_equal(names_left(), 1);
    close_net(&shards[2]);
    assert_int_equal(names_left(), 0);
}

static int ended(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void what_a_crash_leaves_is_taken_by_the_next(void **state)
{
    pid_t child;
    (void)state;
    need();
    child = fork();
    if (child == 0) {
        struct weir_net *net;
        struct weir_err err;
        _exit(open_net(&net, "127.0.0.1:0", true, true, &err) != 0 || net->driver->guard(net, 1, 2) != 0);
    }
    assert_int_equal(ended(child), 0);
    assert_int_equal(names_left(), 1);
    shards[0] = open_shard("127.0.0.1:0");
    assert_int_equal(shards[0]->shard, 0);
    open_senders("127.0.0.1:0");
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(place_of(senders[0], 40).shard, 0);
}

static void a_child_that_closes_its_copy_removes_nothing(void **state)
{
    pid_t child;
    (void)state;
    need();
    shards[0] = open_shard("127.0.0.1:0");
    child = fork();
    if (child == 0) {
        close_net(&shards[0]);
        _exit(0);
    }
    assert_int_equal(ended(child), 0);
    assert_int_equal(names_left(), 1);
    shards[1] = open_shard("127.0.0.1:0");
    assert_int_equal(shards[1]->shard, 1);
}

/* Processes that come and go at once: each always finds tables that the others have, too. */
static void shards_come_and_go_at_once(void **state)
{
    enum { PROCESSES = 4, TIMES = 40 };
    pid_t child[PROCESSES];
    (void)state;
    need();
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] != 0)
            continue;
        for (int k = 0; k < TIMES; k++) {
            struct weir_net *net;
            struct weir_err err;
            if (open_net(&net, "127.0.0.1:0", true, true, &err) != 0)
                _exit(1);
            close_net(&net);
        }
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(ended(child[i]), 0);
    assert_int_equal(names_left(), 0);
}

/* driver/net.h says where an OPEN has its protection and the end of its cookie, as the format has them. */
static void an_open_names_its_shard_where_the_program_reads_it(void **state)
{
    struct weir_wire_handshake open = { .type = WEIR_WIRE_OPEN,
                                        .version = WEIR_WIRE_VERSION,
                                        .ports = 1,
                                        .mss_bytes = 1000,
                                        .cookie = UINT64_C(0x11223344556677aa) };
    (void)state;
    for (uint8_t keyed = 0; keyed < 2; keyed++) {
        uint32_t at = keyed ? WEIR_NET_KEYED_COOKIE_TAG_AT : WEIR_NET_COOKIE_TAG_AT;
        open.protection = keyed ? WEIR_WIRE_MAC : WEIR_WIRE_NONE;
        open.cipher = keyed;
        assert_true(weir_wire_encode_handshake(&open, bytes, WEIR_WIRE_OPEN_BYTES) > 0);
        assert_int_equal(bytes[1], WEIR_NET_OPEN);
        assert_int_equal(bytes[WEIR_NET_PROTECTION_AT], open.protection);
        assert_int_equal(bytes[at] << 8 | bytes[at + 1], 0x77aa);
    }
}

static void both_kinds_of_sharing_refuse_each_other(void **state)
{
    struct weir_err err;
    (void)state;
    need();
    shards[0] = open_shard("127.0.0.1:0");
    refuses("127.0.0.1:0", true, false, -EADDRINUSE, WEIR_E_CONFLICT, "127.0.0.1:7001");
    refuses("127.0.0.1:7001", false, false, -EADDRINUSE, WEIR_E_CONFLICT, "127.0.0.1:7001");
    shards[1] = open_shard("127.0.0.1:0");
    assert_int_equal(shards[1]->shard, 1); /* the refused ones left no name */
    close_net(&shards[0]);
    close_net(&shards[1]);
    assert_int_equal(open_net(&shards[0], "127.0.0.1:0", true, false, &err), 0);
    assert_int_equal(shards[0]->driver->guard(shards[0], 1, 2), -ENOTSUP);
    refuses("127.0.0.1:0", true, true, -EADDRINUSE, WEIR_E_CONFLICT, "127.0.0.1:7001");
    assert_int_equal(open_net(&shards[1], "127.0.0.1:0", true, false, &err), 0);
    close_net(&shards[0]);
    refuses("127.0.0.1:0", true, true, -EADDRINUSE, WEIR_E_CONFLICT, "127.0.0.1:7001");
}

static void what_is_no_table_of_ours_is_refused(void **state)
{
    char folder[320], path[340];
    struct dirent *entry;
    DIR *names;
    (void)state;
    need();
    shards[0] = open_shard("127.0.0.1:0");
    names = opendir("/sys/fs/bpf");
    assert_non_null(names);
    do
        entry = readdir(names);
    while (entry != NULL && strncmp(entry->d_name, "weir", 4) != 0);
    assert_non_null(entry);
    (void)snprintf(folder, sizeof(folder), "/sys/fs/bpf/%s", entry->d_name);
    (void)closedir(names);
    (void)snprintf(path, sizeof(path), "%s/tags", folder);
    assert_int_equal(unlink(path), 0); /* another table of this name is not that of the shards */
    int wrong = weir_udp_steer_make(WEIR_UDP_SOCKETS);
    assert_true(wrong >= 0);
    assert_int_equal(weir_udp_steer_pin(wrong, path), 0);
    (void)close(wrong);
    refuses("127.0.0.1:0", true, true, -EEXIST, WEIR_E_RUN, "bpf");
    (void)snprintf(path, sizeof(path), "%s/sockets", folder);
    assert_int_equal(unlink(path), 0); /* and with other tables the first shard would get nothing */
    refuses("127.0.0.1:0", true, true, -EEXIST, WEIR_E_RUN, "bpf");
    (void)snprintf(path, sizeof(path), "%s/tags", folder);
    assert_int_equal(unlink(path), 0);
    refuses("127.0.0.1:0", true, true, -EADDRINUSE, WEIR_E_RUN, "BPF");
    assert_int_equal(chmod(folder, 0777), 0);
    refuses("127.0.0.1:0", true, true, -EPERM, WEIR_E_RUN, "bpf");
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(chown(folder, 12345, 0), 0);
    refuses("127.0.0.1:0", true, true, -EPERM, WEIR_E_RUN, "bpf");
    assert_int_equal(chown(folder, 0, 0), 0);
}

/* Without the privilege, or without a BPF file system, the endpoint says so; sharing without steering works. */
static void without_the_privilege_a_sentence_says_so(void **state)
{
    pid_t child;
    (void)state;
    need();
    child = fork();
    if (child == 0) {
        struct weir_net *net, *two;
        struct weir_err err;
        if (!bpf_space_drop())
            _exit(1);
        if (open_net(&net, "127.0.0.1:0", true, true, &err) != -EPERM || strstr(err.text, "not allowed") == NULL ||
            strstr(err.hint, "CAP_BPF") == NULL)
            _exit(2);
        if (open_net(&net, "127.0.0.1:0", true, false, &err) != 0 ||
            open_net(&two, "127.0.0.1:0", true, false, &err) != 0)
            _exit(3);
        _exit(0);
    }
    assert_int_equal(ended(child), 0);
    assert_int_equal(names_left(), 0);
    child = fork();
    if (child == 0) {
        struct weir_net *net;
        struct weir_err err;
        if (unshare(CLONE_NEWNS) != 0)
            _exit(1);
        while (umount2("/sys/fs/bpf", MNT_DETACH) == 0) /* ours, and what the machine has there */
            continue;
        if (open_net(&net, "127.0.0.1:0", true, true, &err) != -ENOTSUP || strstr(err.text, "/sys/fs/bpf") == NULL ||
            strstr(err.hint, "mount") == NULL)
            _exit(2);
        _exit(0);
    }
    assert_int_equal(ended(child), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_kernel_steers_by_the_rule_of_strangers, close_all),
        cmocka_unit_test_teardown(ipv6_is_steered_too, close_all),
        cmocka_unit_test_teardown(new_tags_replace_the_old_ones, close_all),
        cmocka_unit_test_teardown(strangers_are_spread_over_all_shards_and_few_move_when_one_goes, close_all),
        cmocka_unit_test_teardown(a_port_has_64_shards_at_most_and_free_numbers_are_taken_again, close_all),
        cmocka_unit_test_teardown(the_last_shard_removes_the_names_of_the_tables, close_all),
        cmocka_unit_test_teardown(what_a_crash_leaves_is_taken_by_the_next, close_all),
        cmocka_unit_test_teardown(a_child_that_closes_its_copy_removes_nothing, close_all),
        cmocka_unit_test_teardown(shards_come_and_go_at_once, close_all),
        cmocka_unit_test(an_open_names_its_shard_where_the_program_reads_it),
        cmocka_unit_test_teardown(both_kinds_of_sharing_refuse_each_other, close_all),
        cmocka_unit_test_teardown(what_is_no_table_of_ours_is_refused, close_all),
        cmocka_unit_test_teardown(without_the_privilege_a_sentence_says_so, close_all),
    };
    missing = bpf_space_enter();
    return cmocka_run_group_tests_name("driver/udp_shards", tests, NULL, NULL);
}
