/* src/results/report/differ.c - see differ.h. At first all scenarios form one class. Keys are tried one after another.
 * A key is used if two scenarios of one class have different values of it: the key then divides that class. A key that
 * only follows from keys used before divides no class, and is not shown. For example, scenarios with different laws
 * also differ in the parameters of the law, but only the law is shown. */
#include "report/differ.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 4096      /* keys of one scenario that are compared; later ones are ignored */
#define NAME_KEY "name"    /* a key with the value weir_differing.name, whether or not the scenario has it */
#define PROGRAM_KEY "weir" /* a key for version and commit of Weir; no key of a scenario */
#define VALUE_MAX_BYTES 96 /* longer values are cut */

static const char *const first_keys[] = { NAME_KEY, "protocol.name", "protocol.preset" };
static const char *const plain_keys[] = { "name", "preset", "sizes", "load" }; /* shown as the value alone */
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

struct key {
    const char *name;
    uint64_t rank; /* keys are tried in ascending order of rank */
};

struct work {
    struct weir_differing *d;
    size_t count;
    struct key *key; /* the keys in which scenarios differ; at first all keys */
    size_t key_count;
    const char **every; /* the names of all keys, sorted */
    size_t every_count;
    size_t *class, *next; /* for each scenario its class, before and after the present key */
    size_t *first;        /* for each class its first scenario */
    bool *divided;        /* for each class whether the present key divides it */
};

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to compare scenarios");
}

static const char *value_of(const struct weir_differing *d, const char *key)
{
    if (strcmp(key, NAME_KEY) == 0)
        return d->name;
    return strcmp(key, PROGRAM_KEY) == 0 ? d->program : weir_settings_find(&d->settings, key);
}

static bool same_value(const struct work *w, size_t a, size_t b, const char *key)
{
    const char *x = value_of(&w->d[a], key), *y = value_of(&w->d[b], key);
    return x == y || (x != NULL && y != NULL && strcmp(x, y) == 0);
}

/* Tests whether --set gave this key: d->given has a line "key=..". */
static bool is_given(const struct weir_differing *d, const char *key)
{
    size_t length = strlen(key);
    const char *line = d->given;
    while (line != NULL && *line != '\0') {
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return true;
        line = strchr(line, '\n');
        if (line != NULL)
            line++;
    }
    return false;
}

static uint64_t rank_of(const struct work *w, const struct key *key)
{
    for (size_t i = 0; i < COUNT(first_keys); i++)
        if (strcmp(key->name, first_keys[i]) == 0)
            return i;
    for (size_t i = 0; i < w->count; i++)
        if (is_given(&w->d[i], key->name))
            return ((uint64_t)1 << 32) + key->rank; /* key->rank is below 2^32 */
    return ((uint64_t)2 << 32) + key->rank;
}

static int by_name(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static int by_rank(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : strcmp(a->name, b->name);
}

/* Collects the keys of all scenarios, each once. The rank of a key is its least position in any scenario. */
static int collect_keys(struct work *w, struct weir_err *err)
{
    size_t room = 2, kept = 0;
    for (size_t i = 0; i < w->count; i++)
        room += w->d[i].settings.count < KEYS_MAX ? w->d[i].settings.count : KEYS_MAX;
    w->key = malloc(room * sizeof(*w->key));
    w->every = malloc(room * sizeof(*w->every));
    if (w->key == NULL || w->every == NULL)
        return no_memory(err);
    w->key[w->key_count++] = (struct key){ NAME_KEY, 0 };
    w->key[w->key_count++] = (struct key){ PROGRAM_KEY, UINT32_MAX };
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = 0; k < w->d[i].settings.count && k < KEYS_MAX; k++)
            w->key[w->key_count++] = (struct key){ w->d[i].settings.item[k].key, k };
    qsort(w->key, w->key_count, sizeof(*w->key), by_name);
    for (size_t i = 0; i < w->key_count; i++)
        if (kept == 0 || strcmp(w->key[kept - 1].name, w->key[i].name) != 0)
            w->key[kept++] = w->key[i];
    for (size_t i = 0; i < kept; i++)
        w->every[i] = w->key[i].name;
    w->key_count = w->every_count = kept;
    return 0;
}

/* Removes run.seed, and the keys that have the same value in all scenarios. Sorts the other keys in the order in which
 * they are tried. */
static void choose_keys(struct work *w)
{
    size_t kept = 0;
    for (size_t k = 0; k < w->key_count; k++) {
        struct key key = w->key[k];
        size_t i = 1;
        while (i < w->count && same_value(w, 0, i, key.name))
            i++;
        if (i == w->count || strcmp(key.name, "run.seed") == 0)
            continue;
        key.rank = rank_of(w, &key);
        w->key[kept++] = key;
    }
    w->key_count = kept;
    qsort(w->key, w->key_count, sizeof(*w->key), by_rank);
}

/* Returns the shortest end of a key, beginning after a '.', with which no other key ends: "threshold", or
 * "fabric.alpha" if the law has an "alpha", too. If each end of the key is also the end of another key, returns the
 * whole key. */
static const char *short_key(const struct work *w, const char *key)
{
    for (const char *at = key + strlen(key); at > key; at--) {
        size_t ends = 0;
        for (size_t i = 0; at[-1] == '.' && i < w->every_count && ends < 2; i++)
            ends += weir_setting_fits(w->every[i], at);
        if (ends == 1)
            return at;
    }
    return key;
}

static bool is_plain(const char *shown)
{
    for (size_t i = 0; i < COUNT(plain_keys); i++)
        if (strcmp(shown, plain_keys[i]) == 0)
            return true;
    return false;
}

static void add_difference(struct weir_differing *d, const char *key, const char *shown)
{
    const struct weir_setting setting = { key, value_of(d, key) };
    size_t used = strlen(d->text), room = sizeof(d->text) - used;
    char value[VALUE_MAX_BYTES] = "none"; /* shown if this scenario does not have the key */
    bool is_name = strcmp(key, "protocol.name") == 0 || is_plain(shown);
    if (setting.value != NULL)
        weir_setting_text(value, sizeof(value), &setting);
    if ((size_t)snprintf(d->text + used, room, "%s%s%s%s", used > 0 ? ", " : "",
                         is_name && setting.value != NULL ? "" : shown,
                         is_name && setting.value != NULL ? ""
                         : strcmp(key, PROGRAM_KEY) == 0  ? " "
                                                          : "=",
                         value) >= room)
        memcpy(d->text + sizeof(d->text) - 4, "...", 4);
}

/* Divides each class by the value of a key: scenarios of the same class with the same value stay together. Sets
 * *classes to the new number of classes. */
static void divide(struct work *w, const char *key, size_t *classes)
{
    size_t *swap = w->class;
    *classes = 0;
    for (size_t i = 0; i < w->count; i++) {
        size_t k = 0;
        while (k < i && (w->class[k] != w->class[i] || !same_value(w, k, i, key)))
            k++;
        w->next[i] = k < i ? w->next[k] : *classes;
        if (k == i)
            (*classes)++;
    }
    w->class = w->next;
    w->next = swap;
    for (size_t i = w->count; i-- > 0;)
        w->first[w->class[i]] = i;
}

static void try_key(struct work *w, const char *key, size_t *classes)
{
    const char *shown = short_key(w, key);
    bool any = false;
    for (size_t c = 0; c < *classes; c++)
        w->divided[c] = false;
    for (size_t i = 0; i < w->count; i++)
        if (!same_value(w, w->first[w->class[i]], i, key))
            w->divided[w->class[i]] = any = true;
    for (size_t i = 0; i < w->count; i++)
        if (w->divided[w->class[i]])
            add_difference(&w->d[i], key, shown);
    if (any)
        divide(w, key, classes);
}

static int differ(struct work *w, struct weir_err *err)
{
    size_t classes = 1;
    int code = collect_keys(w, err);
    if (code != 0)
        return code;
    choose_keys(w);
    w->class = calloc(w->count, sizeof(*w->class));
    w->next = calloc(w->count, sizeof(*w->next));
    w->first = calloc(w->count, sizeof(*w->first));
    w->divided = calloc(w->count, sizeof(*w->divided));
    if (w->class == NULL || w->next == NULL || w->first == NULL || w->divided == NULL)
        return no_memory(err);
    for (size_t k = 0; k < w->key_count && classes < w->count; k++)
        try_key(w, w->key[k].name, &classes);
    return 0;
}

int weir_differ(struct weir_differing *d, size_t count, struct weir_err *err)
{
    struct work w = { .d = d, .count = count };
    int code = 0;
    for (size_t i = 0; i < count; i++)
        d[i].text[0] = '\0';
    if (count > 1)
        code = differ(&w, err);
    free(w.key);
    free(w.every);
    free(w.class);
    free(w.next);
    free(w.first);
    free(w.divided);
    return code;
}
