/* src/transport/driver/udp_steer.c - see udp_steer.h. The program is of type sk_reuseport: the kernel runs it for each
 * datagram that comes to the port. */
#define _GNU_SOURCE
#include "driver/udp_steer.h"
#include "driver/insn.h"
#include "core/assert.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    INSNS = 128,   /* room for the program */
    UDP_BYTES = 8, /* offsets of a datagram count from its UDP header */
    BYTES = -8,    /* on the program's stack: bytes of the datagram .. */
    KEY = -16,     /* .. and a key of a table */
    CTX = 6,       /* registers that calls keep: the context .. */
    A = 7,         /* .. and what is computed */
    B = 8,
    ROUND = 9,
};

static long call(enum bpf_cmd command, union bpf_attr *attr)
{
    long result = syscall(SYS_bpf, command, attr, sizeof(*attr));
    return result < 0 ? -errno : result;
}

static uint64_t address_of(const void *memory)
{
    return (uint64_t)(uintptr_t)memory;
}

/* --- the tables --- */

static const struct {
    uint32_t type, value_bytes, entries;
} tables[WEIR_UDP_TABLES] = {
    [WEIR_UDP_SOCKETS] = { BPF_MAP_TYPE_REUSEPORT_SOCKARRAY, sizeof(uint64_t), 2 * WEIR_NET_SHARDS },
    [WEIR_UDP_TAGS] = { BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), WEIR_NET_SHARDS },
};

int weir_udp_steer_make(enum weir_udp_table which)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.map_type = tables[which].type;
    attr.key_size = sizeof(uint32_t);
    attr.value_size = tables[which].value_bytes;
    attr.max_entries = tables[which].entries;
    memcpy(attr.map_name, "weir_shards", sizeof("weir_shards"));
    return (int)call(BPF_MAP_CREATE, &attr);
}

bool weir_udp_steer_is(int map, enum weir_udp_table which)
{
    struct bpf_map_info info;
    union bpf_attr attr;
    memset(&info, 0, sizeof(info));
    memset(&attr, 0, sizeof(attr));
    attr.info.bpf_fd = (uint32_t)map;
    attr.info.info_len = sizeof(info);
    attr.info.info = address_of(&info);
    return call(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0 && info.type == tables[which].type &&
           info.key_size == sizeof(uint32_t) && info.value_size == tables[which].value_bytes &&
           info.max_entries == tables[which].entries;
}

int weir_udp_steer_pin(int map, const char *path)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.pathname = address_of(path);
    attr.bpf_fd = (uint32_t)map;
    return (int)call(BPF_OBJ_PIN, &attr);
}

int weir_udp_steer_get(const char *path)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.pathname = address_of(path);
    return (int)call(BPF_OBJ_GET, &attr);
}

static int update(int map, uint32_t key, const void *value)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.map_fd = (uint32_t)map;
    attr.key = address_of(&key);
    attr.value = address_of(value);
    attr.flags = BPF_ANY;
    return (int)call(BPF_MAP_UPDATE_ELEM, &attr);
}

/* Returns the key of a shard's socket. */
static uint32_t key_of(uint32_t shard, bool strangers)
{
    WEIR_ASSERT(shard < WEIR_NET_SHARDS);
    return 2 * shard + strangers;
}

int weir_udp_steer_put(int sockets, uint32_t shard, bool strangers, int fd)
{
    uint64_t value = (uint64_t)fd;
    WEIR_ASSERT(fd >= 0);
    return update(sockets, key_of(shard, strangers), &value);
}

bool weir_udp_steer_has(int sockets, uint32_t shard)
{
    uint32_t key = key_of(shard, false);
    uint64_t cookie;
    union bpf_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.map_fd = (uint32_t)sockets;
    attr.key = address_of(&key);
    attr.value = address_of(&cookie);
    return call(BPF_MAP_LOOKUP_ELEM, &attr) == 0;
}

int weir_udp_steer_tags(int tags, uint32_t shard, uint16_t tag, uint16_t last)
{
    uint32_t value = (uint32_t)tag << 16 | last;
    WEIR_ASSERT(tag >> WEIR_NET_SHARD_SHIFT == shard && last >> WEIR_NET_SHARD_SHIFT == shard);
    return update(tags, shard, &value);
}

/* --- the program --- */

struct program {
    struct bpf_insn insn[INSNS];
    uint32_t count;
    uint32_t lost[16]; /* jumps to where no shard was found; their targets are not known yet */
    uint32_t lost_count;
};

static void add(struct program *p, struct bpf_insn insn)
{
    WEIR_ASSERT(p->count < INSNS);
    p->insn[p->count++] = insn;
}

#define ADD_INSN(p, ...) add(p, (struct bpf_insn)__VA_ARGS__)

/* Adds a jump if a register compares so with a number; its target is set by land(). @return its index */
static uint32_t jump(struct program *p, uint8_t how, uint8_t reg, int32_t number)
{
    ADD_INSN(p, INSN(BPF_JMP | how | BPF_K, reg, 0, 0, number));
    return p->count - 1;
}

/* Makes the next instruction the target of a jump. */
static void land(struct program *p, uint32_t from)
{
    p->insn[from].off = (int16_t)(p->count - from - 1);
}

/* Adds a jump to where no shard was found, if a register compares so with a number. */
static void lose_if(struct program *p, uint8_t how, uint8_t reg, int32_t number)
{
    WEIR_ASSERT(p->lost_count < sizeof(p->lost) / sizeof(p->lost[0]));
    p->lost[p->lost_count++] = jump(p, how, reg, number);
}

/* Adds the load of a 64-bit register with a table. */
static void add_table(struct program *p, uint8_t reg, int table)
{
    ADD_INSN(p, INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, table));
    ADD_INSN(p, INSN(0, 0, 0, 0, 0));
}

/* Adds the load of `count` bytes of the datagram at offset A to the stack; one that is too short finds no shard. */
static void add_load(struct program *p, int32_t count)
{
    ADD_INSN(p, MOVE(1, CTX));
    ADD_INSN(p, MOVE(2, A));
    ADD_INSN(p, MOVE(3, 10));
    ADD_INSN(p, ADD(3, BYTES));
    ADD_INSN(p, SET(4, count));
    ADD_INSN(p, CALL(BPF_FUNC_skb_load_bytes));
    lose_if(p, BPF_JNE, 0, 0);
}

/* Adds the key B of a table to the stack, and its address to register `reg`. */
static void add_key(struct program *p, uint8_t reg)
{
    ADD_INSN(p, INSN(BPF_STX | BPF_MEM | BPF_W, 10, B, KEY, 0));
    ADD_INSN(p, MOVE(reg, 10));
    ADD_INSN(p, ADD(reg, KEY));
}

/* Adds the end of the program: the datagram goes to the socket that was selected. */
static void add_end(struct program *p)
{
    ADD_INSN(p, SET(0, SK_PASS));
    ADD_INSN(p, EXIT());
}

/* Adds the selection of socket B, which is the end if there is such a socket. */
static void add_select(struct program *p, int sockets)
{
    uint32_t none;
    ADD_INSN(p, MOVE(1, CTX));
    add_table(p, 2, sockets);
    add_key(p, 3);
    ADD_INSN(p, SET(4, 0));
    ADD_INSN(p, CALL(BPF_FUNC_sk_select_reuseport));
    none = jump(p, BPF_JNE, 0, 0);
    add_end(p);
    land(p, none);
}

static struct bpf_insn compute(uint8_t how, uint8_t reg, int32_t number)
{
    return (struct bpf_insn)INSN(BPF_ALU64 | how | BPF_K, reg, 0, 0, number);
}

/* Adds: B = the shard that the 16 bits named in the datagram at offset A; A = these bits. */
static void add_shard(struct program *p)
{
    add_load(p, 2);
    ADD_INSN(p, LOAD(BPF_H, A, 10, BYTES));
    ADD_INSN(p, INSN(BPF_ALU | BPF_END | BPF_TO_BE, A, 0, 0, 16));
    ADD_INSN(p, MOVE(B, A));
    add(p, compute(BPF_RSH, B, WEIR_NET_SHARD_SHIFT));
}

/* Adds what becomes of an OPEN: it goes to the shard that gave its cookie. */
static void add_open(struct program *p, const int table[WEIR_UDP_TABLES])
{
    uint32_t plain;
    ADD_INSN(p, SET(A, UDP_BYTES + WEIR_NET_PROTECTION_AT));
    add_load(p, 1);
    ADD_INSN(p, SET(A, UDP_BYTES + WEIR_NET_COOKIE_TAG_AT));
    ADD_INSN(p, LOAD(BPF_B, B, 10, BYTES));
    plain = jump(p, BPF_JEQ, B, 0);
    ADD_INSN(p, SET(A, UDP_BYTES + WEIR_NET_KEYED_COOKIE_TAG_AT));
    land(p, plain);
    add_shard(p);
    add(p, compute(BPF_LSH, B, 1));
    ADD_INSN(p, ADD(B, 1));
    add_select(p, table[WEIR_UDP_SOCKETS]);
}

/* Adds what becomes of a packet whose token has a tag of its receiver: A = its byte 2, which says where. */
static void add_tagged(struct program *p, const int table[WEIR_UDP_TABLES])
{
    uint32_t present, last;
    uint32_t plain = jump(p, BPF_JGE, A, 1 << WEIR_NET_KIND_SHIFT), sized;
    ADD_INSN(p, SET(A, UDP_BYTES + WEIR_NET_TAG_AT));
    sized = jump(p, BPF_JA, 0, 0);
    land(p, plain);
    add(p, compute(BPF_AND, A, WEIR_NET_SLOTS_MASK));
    add(p, compute(BPF_LSH, A, WEIR_NET_SLOT_SHIFT));
    ADD_INSN(p, ADD(A, UDP_BYTES + WEIR_NET_TAG_AT + WEIR_NET_SIGNAL_BYTES));
    land(p, sized);
    add_shard(p);
    add_table(p, 1, table[WEIR_UDP_TAGS]);
    add_key(p, 2);
    ADD_INSN(p, CALL(BPF_FUNC_map_lookup_elem));
    lose_if(p, BPF_JEQ, 0, 0);
    add(p, compute(BPF_LSH, B, 1));
    ADD_INSN(p, LOAD(BPF_W, 1, 0, 0));
    ADD_INSN(p, MOVE(2, 1));
    add(p, compute(BPF_RSH, 2, 16));
    ADD_INSN(p, INSN(BPF_JMP | BPF_JEQ | BPF_X, 2, A, 0, 0));
    present = p->count - 1;
    add(p, compute(BPF_AND, 1, 0xffff));
    ADD_INSN(p, INSN(BPF_JMP | BPF_JEQ | BPF_X, 1, A, 0, 0));
    last = p->count - 1;
    ADD_INSN(p, ADD(B, 1));
    land(p, present);
    land(p, last);
    add_select(p, table[WEIR_UDP_SOCKETS]);
}

/* Adds what becomes of all others: shards are tried in an order that the hash of the addresses gives. So the same
 * addresses find the same shard while that is there. All below the next power of two above `most` are tried: first A,
 * then by steps of B, which is odd. */
static void add_any(struct program *p, int sockets, uint32_t most)
{
    uint32_t rounds = 1, again;
    while (rounds <= most)
        rounds *= 2;
    ADD_INSN(p, LOAD(BPF_W, A, CTX, offsetof(struct sk_reuseport_md, hash)));
    ADD_INSN(p, SET(ROUND, 0));
    again = p->count;
    ADD_INSN(p, MOVE(B, A));
    add(p, compute(BPF_AND, B, (int32_t)rounds - 1));
    add(p, compute(BPF_LSH, B, 1));
    ADD_INSN(p, ADD(B, 1));
    add_select(p, sockets);
    ADD_INSN(p, LOAD(BPF_W, B, CTX, offsetof(struct sk_reuseport_md, hash)));
    add(p, compute(BPF_RSH, B, 16));
    add(p, compute(BPF_OR, B, 1));
    ADD_INSN(p, INSN(BPF_ALU64 | BPF_ADD | BPF_X, A, B, 0, 0));
    ADD_INSN(p, ADD(ROUND, 1));
    ADD_INSN(p, INSN(BPF_JMP | BPF_JLT | BPF_K, ROUND, 0, (int16_t)((int32_t)again - (int32_t)p->count - 1),
                     (int32_t)rounds));
    add_end(p); /* no shard: the kernel takes any socket of the port */
}

static void write_program(struct program *p, const int table[WEIR_UDP_TABLES], uint32_t most)
{
    uint32_t message, peers;
    ADD_INSN(p, MOVE(CTX, 1));
    ADD_INSN(p, SET(A, UDP_BYTES));
    add_load(p, WEIR_NET_FRONT_BYTES);
    ADD_INSN(p, LOAD(BPF_B, A, 10, BYTES + 2));
    ADD_INSN(p, LOAD(BPF_B, B, 10, BYTES));
    add(p, compute(BPF_AND, B, WEIR_NET_OWN));
    message = jump(p, BPF_JEQ, B, 0);
    ADD_INSN(p, LOAD(BPF_B, B, 10, BYTES + 1));
    ADD_INSN(p, MOVE(1, B));
    add(p, compute(BPF_AND, 1, WEIR_NET_PEERS));
    peers = jump(p, BPF_JNE, 1, 0);
    lose_if(p, BPF_JNE, B, WEIR_NET_OPEN);
    add_open(p, table);
    lose_if(p, BPF_JA, 0, 0);
    land(p, message);
    land(p, peers);
    add_tagged(p, table);
    for (uint32_t i = 0; i < p->lost_count; i++)
        land(p, p->lost[i]);
    add_any(p, table[WEIR_UDP_SOCKETS], most);
}

int weir_udp_steer_attach(int fd, const int table[WEIR_UDP_TABLES], uint32_t most)
{
    struct program p = { .count = 0 };
    union bpf_attr attr;
    int prog, status;
    WEIR_ASSERT(most < WEIR_NET_SHARDS);
    write_program(&p, table, most);
    memset(&attr, 0, sizeof(attr));
    attr.prog_type = BPF_PROG_TYPE_SK_REUSEPORT;
    attr.insns = address_of(p.insn);
    attr.insn_cnt = p.count;
    attr.license = address_of("BSD");
    attr.expected_attach_type = BPF_SK_REUSEPORT_SELECT;
    memcpy(attr.prog_name, "weir_shards", sizeof("weir_shards"));
    prog = (int)call(BPF_PROG_LOAD, &attr);
    if (prog < 0)
        return prog;
    status = setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF, &prog, sizeof(prog)) == 0 ? 0 : -errno;
    (void)close(prog); /* the port keeps it, until its last socket is closed */
    return status;
}
