/* test/unit/trace/chakra_fixture.h - writes Chakra traces in binary form: protobuf messages, each behind its length. */
#ifndef WEIR_TEST_CHAKRA_FIXTURE_H
#define WEIR_TEST_CHAKRA_FIXTURE_H
#include "test/unit/trace/trace_fixture.h"

enum { BYTES_MAX = 4096 };
enum { COMP = 4, SEND = 5, RECV = 6, COLL = 7 };

struct bytes {
    unsigned char at[BYTES_MAX];
    size_t used;
};
static struct bytes et, node; /* a file, and a node that is not yet in it */

static inline void put_varint(struct bytes *b, uint64_t value)
{
    assert_true(b->used + 10 < BYTES_MAX);
    for (; value > 127; value >>= 7)
        b->at[b->used++] = (unsigned char)(value & 127) | 128;
    b->at[b->used++] = (unsigned char)value;
}

static inline void put_number(struct bytes *b, uint32_t field, uint64_t value)
{
    put_varint(b, field << 3);
    put_varint(b, value);
}

static inline void put_bytes(struct bytes *b, uint32_t field, const void *data, size_t size)
{
    put_varint(b, field << 3 | 2);
    put_varint(b, size);
    assert_true(b->used + size < BYTES_MAX);
    memcpy(b->at + b->used, data, size);
    b->used += size;
}

/* Begins a file with metadata: the version, or none for "". */
static inline void begin_file(const char *version)
{
    struct bytes meta = { .used = 0 };
    et.used = 0;
    if (version[0] != '\0')
        put_bytes(&meta, 1, version, strlen(version));
    put_varint(&et, meta.used);
    memcpy(et.at + et.used, meta.at, meta.used);
    et.used += meta.used;
}

/* Begins a node. Of id 0 there is no field, as protobuf leaves it out. */
static inline void begin_node(uint64_t id, uint32_t type)
{
    node.used = 0;
    if (id != 0)
        put_number(&node, 1, id);
    put_number(&node, 3, type);
}

/* An attribute whose value is a number in a field of this width: 5 .. 27, see et_def.proto. */
static inline void put_attr(const char *name, uint32_t field, uint64_t value)
{
    struct bytes attr = { .used = 0 };
    put_bytes(&attr, 1, name, strlen(name));
    put_number(&attr, field, value);
    put_bytes(&node, 10, attr.at, attr.used);
}

static inline void put_text_attr(const char *name, const char *text)
{
    struct bytes attr = { .used = 0 };
    put_bytes(&attr, 1, name, strlen(name));
    put_bytes(&attr, 29, text, strlen(text));
    put_bytes(&node, 10, attr.at, attr.used);
}

static inline void end_node(void)
{
    put_varint(&et, node.used);
    assert_true(et.used + node.used < BYTES_MAX);
    memcpy(et.at + et.used, node.at, node.used);
    et.used += node.used;
}

/* A send to or a receive from a rank. */
static inline void put_message(uint64_t id, uint32_t type, uint64_t peer, uint64_t tag, uint64_t bytes)
{
    begin_node(id, type);
    put_attr(type == SEND ? "comm_dst" : "comm_src", 7, peer);
    put_attr("comm_tag", 7, tag);
    put_attr("comm_size", 9, bytes);
    end_node();
}

/* A collective of a group; "" = of all ranks. */
static inline void put_collective(uint64_t id, uint64_t op, uint64_t bytes, const char *group)
{
    begin_node(id, COLL);
    put_attr("comm_type", 9, op);
    put_attr("comm_size", 9, bytes);
    if (group[0] != '\0')
        put_text_attr("pg_name", group);
    end_node();
}

static inline void write_rank(uint32_t rank)
{
    char name[32];
    (void)snprintf(name, sizeof(name), "t.%u.et", rank);
    fix_write(name, et.at, et.used);
}
#endif
