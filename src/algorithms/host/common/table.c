/* src/algorithms/host/common/table.c - memory that grows: block tables, pools, hash maps and rings, all out of struct
 * weir_mem. The world takes no memory back. So memory that a structure has outgrown is kept as scrap, and later
 * requests take from the scrap first. */
#include "host/common/table.h"
#include <string.h>

struct host_scrap { /* header at the front of outgrown memory */
    struct host_scrap *next;
    size_t bytes; /* size with this header, a multiple of 64 */
};

static void copy(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static void *scrap_take(struct weir_host *h, size_t bytes)
{
    for (struct host_scrap **link = &h->scrap; *link != NULL; link = &(*link)->next) {
        if ((*link)->bytes < bytes)
            continue;
        size_t left = (*link)->bytes - bytes;
        unsigned char *p = (unsigned char *)*link + left;
        if (left == 0)
            *link = (*link)->next;
        else
            (*link)->bytes = left;
        for (size_t i = 0; i < bytes; i++)
            p[i] = 0;
        return p;
    }
    return NULL;
}

static void scrap_give(struct weir_host *h, void *p, size_t bytes)
{
    struct host_scrap *scrap = p;
    if (p == NULL)
        return;
    *scrap = (struct host_scrap){ h->scrap, whole_lines(bytes) };
    h->scrap = scrap;
}

/* Takes `bytes` of memory, zeroed and aligned to 64. @return NULL = the world has no more */
void *host_grow(struct weir_host *h, size_t bytes)
{
    size_t whole = whole_lines(bytes);
    WEIR_ASSERT(bytes > 0);
    void *p = scrap_take(h, whole);
    if (p != NULL)
        return p;
    p = h->mem.grow(h->mem.ctx, whole);
    if (p != NULL)
        h->stats.grown_bytes += whole;
    WEIR_ASSERT(((uintptr_t)p & 63) == 0); /* promised by struct weir_mem */
    return p;
}

/**
 * Moves an array to a larger block of memory; the old block becomes scrap.
 * @param old_bytes   size of old
 * @param used_bytes  bytes kept, from the front of old; <= old_bytes
 * @param bytes       size of the new block; > old_bytes
 * @return the new block, zeroed behind the kept bytes; NULL = no memory, and nothing has changed
 */
void *host_widen(struct weir_host *h, void *old, size_t old_bytes, size_t used_bytes, size_t bytes)
{
    WEIR_ASSERT(used_bytes <= old_bytes);
    WEIR_ASSERT(old_bytes < bytes);
    void *wide = host_grow(h, bytes);
    if (wide == NULL)
        return NULL;
    copy(wide, old, used_bytes);
    scrap_give(h, old, old_bytes);
    return wide;
}

static bool table_widen(struct weir_host *h, struct host_table *t)
{
    uint32_t room = t->room == 0 ? 8 : 2 * t->room;
    size_t old_bytes = t->room * sizeof(*t->block);
    unsigned char **block = host_widen(h, t->block, old_bytes, old_bytes, room * sizeof(*block));
    if (block == NULL)
        return false;
    t->block = block;
    t->room = room;
    return true;
}

/* Adds a zeroed record to a table whose blocks have 2^shift records, and sets *index. @return the record; NULL = no
 * memory, and nothing has changed */
void *host_table_add(struct weir_host *h, struct host_table *t, uint32_t shift, uint32_t *index)
{
    uint32_t i = t->count, b = i >> shift;
    WEIR_ASSERT(t->stride > 0);
    if (i == b << shift) {
        if (b == t->room && !table_widen(h, t))
            return NULL;
        t->block[b] = host_grow(h, (size_t)t->stride << shift);
        if (t->block[b] == NULL)
            return NULL;
    }
    t->count++;
    *index = i;
    return host_at(t, shift, i);
}

/* Takes a free record of a pool, or a new one, and sets *index. The first word of a record that was used before is 0;
 * its other bytes are as they were when it was given back. @return NULL = no memory */
void *host_pool_take(struct weir_host *h, struct host_table *t, uint32_t shift, uint32_t *index)
{
    if (t->free == HOST_NONE)
        return host_table_add(h, t, shift, index);
    WEIR_ASSERT(t->free < t->count);
    *index = t->free;
    uint32_t *record = host_at(t, shift, t->free);
    t->free = *record;
    *record = 0;
    return record;
}

void host_pool_give(struct host_table *t, void *record, uint32_t index)
{
    WEIR_ASSERT(index < t->count);
    WEIR_ASSERT(index != t->free); /* not given back twice */
    *(uint32_t *)record = t->free;
    t->free = index;
}

/* Doubles the list of pages until it has an entry for `page`. @return false = no memory */
static bool numbers_widen(struct weir_host *h, struct host_numbers *n, uint32_t page)
{
    uint32_t pages = n->pages == 0 ? HOST_NUMBERS_PAGES : n->pages;
    size_t old_bytes = n->pages * sizeof(*n->page);
    while (pages <= page)
        pages *= 2;
    uint16_t **wide = host_widen(h, n->page, old_bytes, old_bytes, pages * sizeof(*wide));
    if (wide == NULL)
        return false;
    n->page = wide;
    n->pages = pages;
    return true;
}

/* Returns the address of the map's entry for host id, and makes the page of the entry if needed. @return NULL = no
 * memory, or id >= WEIR_PKT_HOSTS_MAX */
uint16_t *host_number_slot(struct weir_host *h, struct host_numbers *n, uint32_t id)
{
    uint16_t **page = &n->first;
    if (id >= HOST_NUMBERS_PAGE) {
        uint32_t number = id / HOST_NUMBERS_PAGE;
        if (id >= WEIR_PKT_HOSTS_MAX || (number >= n->pages && !numbers_widen(h, n, number)))
            return NULL;
        page = &n->page[number];
    }
    if (*page == NULL)
        *page = host_grow(h, HOST_NUMBERS_PAGE * sizeof(**page));
    return *page != NULL ? &(*page)[id % HOST_NUMBERS_PAGE] : NULL;
}

static void map_insert(struct host_map *map, uint32_t tag, uint32_t value)
{
    uint32_t mask = UINT32_MAX >> map->shift, i = tag >> map->shift;
    while (map->slot[i].value != 0)
        i = (i + 1) & mask;
    map->slot[i] = (struct host_slot){ tag, value };
}

static bool map_widen(struct weir_host *h, struct host_map *map)
{
    uint64_t old = map->slot == NULL ? 0 : UINT64_C(1) << (32 - map->shift);
    struct host_map wide = { .count = map->count, .shift = map->slot == NULL ? 28 : map->shift - 1 };
    wide.slot = host_grow(h, (size_t)(UINT64_C(1) << (32 - wide.shift)) * sizeof(*wide.slot));
    if (wide.slot == NULL)
        return false;
    for (uint64_t i = 0; i < old; i++) {
        if (map->slot[i].value != 0)
            map_insert(&wide, map->slot[i].tag, map->slot[i].value);
    }
    scrap_give(h, map->slot, (size_t)old * sizeof(*map->slot));
    *map = wide;
    return true;
}

/* Removes the entry tag -> index, which must exist. Then moves back each entry behind it that would otherwise not be
 * found any more. */
void host_map_remove(struct host_map *map, uint32_t tag, uint32_t index)
{
    uint32_t mask = UINT32_MAX >> map->shift, hole = tag >> map->shift;
    WEIR_ASSERT(map->count > 0);
    while (map->slot[hole].value != index + 1)
        hole = (hole + 1) & mask;
    for (uint32_t i = (hole + 1) & mask; map->slot[i].value != 0; i = (i + 1) & mask) {
        uint32_t home = map->slot[i].tag >> map->shift;
        if (((i - home) & mask) < ((i - hole) & mask))
            continue; /* the hole lies before the entry's home slot */
        map->slot[hole] = map->slot[i];
        hole = i;
    }
    map->slot[hole] = (struct host_slot){ 0 };
    map->count--;
}

/* Adds the entry tag -> index, without a check for duplicates. @return false = no memory, and nothing has changed */
bool host_map_put(struct weir_host *h, struct host_map *map, uint32_t tag, uint32_t index)
{
    if (map->slot == NULL || 3 * ((uint64_t)map->count + 1) > UINT64_C(2) << (32 - map->shift)) {
        if (!map_widen(h, map))
            return false;
    }
    WEIR_ASSERT(index < UINT32_MAX); /* 0 is an empty slot */
    map_insert(map, tag, index + 1);
    map->count++;
    return true;
}

/* Moves a ring to more memory, for `need` entries; the general path of host_ring_room(). @return as host_ring_room() */
bool host_ring_grow(struct weir_host *h, struct host_ring *ring, uint32_t stride, uint32_t need, uint32_t most)
{
    uint32_t capacity = ring->capacity == 0 ? 8 : ring->capacity;
    WEIR_ASSERT(need > ring->capacity);
    WEIR_ASSERT(ring->count <= ring->capacity);
    if (need > most)
        return false;
    while (capacity < need)
        capacity *= 2;
    unsigned char *entry = host_grow(h, (size_t)capacity * stride);
    if (entry == NULL)
        return false;
    for (uint32_t i = 0; i < ring->count; i++)
        copy(entry + (size_t)i * stride, host_ring_at(ring, i, stride), stride);
    scrap_give(h, ring->entry, (size_t)ring->capacity * stride);
    *ring = (struct host_ring){ .entry = entry, .count = ring->count, .capacity = capacity };
    return true;
}

/* Returns the i-th entry of a ring; appends zeroed entries until there is one. stride: size of an entry. @return NULL =
 * i >= most, or no memory */
void *host_ring_entry(struct weir_host *h, struct host_ring *ring, uint32_t i, uint32_t stride, uint32_t most)
{
    if (i >= most || !host_ring_room(h, ring, stride, i + 1, most))
        return NULL;
    while (ring->count <= i)
        memset(host_ring_at(ring, ring->count++, stride), 0, stride);
    return host_ring_at(ring, i, stride);
}

/* Removes the packets to host dst from the queue `packets`, for a host that is forgotten: once restarted, it would take
 * them for packets of its new connections. parallel: a ring with one entry of `stride` bytes per packet, whose entries
 * are removed too; or NULL */
void host_packets_drop(struct host_ring *packets, struct host_ring *parallel, uint32_t stride, uint32_t dst)
{
    uint32_t kept = 0;
    WEIR_ASSERT(parallel == NULL || parallel->count == packets->count);
    for (uint32_t i = 0; i < packets->count; i++) {
        const struct weir_pkt *pkt = host_ring_at(packets, i, sizeof(*pkt));
        if (pkt->dst == dst)
            continue;
        if (parallel != NULL)
            copy(host_ring_at(parallel, kept, stride), host_ring_at(parallel, i, stride), stride);
        *(struct weir_pkt *)host_ring_at(packets, kept++, sizeof(*pkt)) = *pkt;
    }
    packets->count = kept;
    if (parallel != NULL)
        parallel->count = kept;
}
