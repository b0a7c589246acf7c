/* examples/kv/store.c - keys and values in memory, in a chained hash table, up to a bound. */
#include "kv.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { BUCKETS_MIN = 1024, RECORD_BYTES = 32 }; /* RECORD_BYTES: what a key costs in the table, roughly */

struct entry {
    struct entry *next;
    struct kv_value *value;
    uint64_t hash;
    uint32_t key_bytes;
    unsigned char key[];
};

struct kv_store {
    struct kv_budget budget;
    struct entry **bucket;
    size_t buckets; /* a power of two */
    uint64_t seed;  /* random: whoever chooses keys cannot choose collisions */
    struct kv_counts counts;
};

struct kv_value *kv_value_new(struct kv_budget *budget, const void *data, size_t bytes)
{
    const size_t cost = sizeof(struct kv_value) + bytes;
    struct kv_value *value;
    if (budget != NULL && cost > budget->most - budget->used)
        return NULL;
    value = malloc(cost);
    if (value == NULL)
        return NULL;
    *value = (struct kv_value){ .budget = budget, .bytes = bytes, .owners = 1 };
    if (bytes > 0)
        memcpy(value->data, data, bytes);
    if (budget != NULL)
        budget->used += cost;
    return value;
}

struct kv_value *kv_value_own(struct kv_value *value)
{
    if (value != NULL)
        value->owners++;
    return value;
}

void kv_value_drop(struct kv_value *value)
{
    if (value == NULL || --value->owners > 0)
        return;
    if (value->budget != NULL)
        value->budget->used -= sizeof(*value) + value->bytes;
    free(value);
}

static uint64_t hash_of(uint64_t seed, const unsigned char *key, size_t bytes)
{
    uint64_t hash = seed;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ key[i]) * UINT64_C(1099511628211); /* FNV-1a */
    return hash ^ hash >> 32;
}

uint32_t kv_server_of(const char *key, uint32_t n)
{
    return (uint32_t)(hash_of(UINT64_C(14695981039346656037), (const unsigned char *)key, strlen(key)) % n);
}

struct kv_store *kv_store_new(size_t most_bytes)
{
    struct kv_store *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->budget.most = most_bytes;
    s->buckets = BUCKETS_MIN;
    s->bucket = calloc(s->buckets, sizeof(struct entry *));
    if (s->bucket == NULL || getrandom(&s->seed, sizeof(s->seed), 0) != (ssize_t)sizeof(s->seed)) {
        free(s->bucket);
        free(s);
        return NULL;
    }
    return s;
}

/* Returns the pointer that leads to a key's entry, or to where it would be appended. */
static struct entry **find(const struct kv_store *s, uint64_t hash, const unsigned char *key, size_t bytes)
{
    struct entry **at = &s->bucket[hash & (s->buckets - 1)];
    while (*at != NULL && ((*at)->hash != hash || (*at)->key_bytes != bytes || memcmp((*at)->key, key, bytes) != 0))
        at = &(*at)->next;
    return at;
}

/* Doubles the table. Without memory for that it stays as it is, and its chains get longer. */
static void grow(struct kv_store *s)
{
    const size_t buckets = 2 * s->buckets;
    struct entry **bucket = calloc(buckets, sizeof(struct entry *)), *next;
    if (bucket == NULL)
        return;
    for (size_t i = 0; i < s->buckets; i++) {
        for (struct entry *e = s->bucket[i]; e != NULL; e = next) {
            next = e->next;
            e->next = bucket[e->hash & (buckets - 1)];
            bucket[e->hash & (buckets - 1)] = e;
        }
    }
    free(s->bucket);
    s->bucket = bucket;
    s->buckets = buckets;
}

static int add(struct kv_store *s, uint64_t hash, const unsigned char *key, size_t key_bytes, struct kv_value *value)
{
    const size_t cost = sizeof(struct entry) + RECORD_BYTES + key_bytes;
    struct entry *e = cost <= s->budget.most - s->budget.used ? malloc(sizeof(*e) + key_bytes) : NULL;
    struct entry **at;
    if (e == NULL)
        return KV_FULL;
    *e = (struct entry){ .value = value, .hash = hash, .key_bytes = (uint32_t)key_bytes };
    memcpy(e->key, key, key_bytes);
    s->budget.used += cost;
    if (s->counts.keys >= s->buckets)
        grow(s);
    at = &s->bucket[hash & (s->buckets - 1)];
    e->next = *at;
    *at = e;
    s->counts.keys++;
    return 0;
}

static int put(struct kv_store *s, uint64_t hash, const unsigned char *key, size_t key_bytes, size_t value_bytes)
{
    struct entry *e = *find(s, hash, key, key_bytes);
    struct kv_value *value = kv_value_new(&s->budget, key + key_bytes, value_bytes);
    int error;
    if (value == NULL)
        return KV_FULL;
    if (e != NULL) {
        kv_value_drop(e->value);
        e->value = value;
        return 0;
    }
    error = add(s, hash, key, key_bytes, value);
    if (error != 0)
        kv_value_drop(value);
    return error;
}

static void remove_entry(struct kv_store *s, struct entry **at)
{
    struct entry *e = *at;
    *at = e->next;
    s->budget.used -= sizeof(*e) + RECORD_BYTES + e->key_bytes;
    s->counts.keys--;
    kv_value_drop(e->value);
    free(e);
}

static int execute(struct kv_store *s, const unsigned char *request, size_t bytes, struct kv_value **value)
{
    const size_t key_bytes = bytes >= 2 ? request[1] : 0;
    struct entry **at;
    uint64_t hash;
    if (key_bytes == 0 || bytes < 2 + key_bytes || bytes - 2 - key_bytes > KV_VALUE_MAX || request[0] > KV_DELETE ||
        request[0] < KV_GET || (request[0] != KV_PUT && bytes != 2 + key_bytes))
        return KV_BAD_REQUEST;
    hash = hash_of(s->seed, request + 2, key_bytes);
    if (request[0] == KV_PUT)
        return put(s, hash, request + 2, key_bytes, bytes - 2 - key_bytes);
    at = find(s, hash, request + 2, key_bytes);
    if (*at == NULL)
        return KV_NO_KEY;
    if (request[0] == KV_GET)
        *value = kv_value_own((*at)->value);
    else
        remove_entry(s, at);
    return 0;
}

int kv_store_execute(struct kv_store *s, const unsigned char *request, size_t bytes, struct kv_value **value)
{
    int error;
    *value = NULL;
    error = execute(s, request, bytes, value);
    if (error != 0)
        s->counts.errors[error]++;
    else
        s->counts.done[request[0]]++;
    return error;
}

struct kv_counts kv_store_counts(const struct kv_store *s)
{
    struct kv_counts counts = s->counts;
    counts.used_bytes = s->budget.used;
    return counts;
}

void kv_store_free(struct kv_store *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->buckets; i++)
        while (s->bucket[i] != NULL)
            remove_entry(s, &s->bucket[i]);
    free(s->bucket);
    free(s);
}
