/* src/results/report/traffic.c - see traffic.h. */
#include "report/traffic.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *out;
    size_t size, at;
};

static void put(struct text *w, const char *text, size_t length)
{
    if (w->at + length >= w->size) { /* full: at == size stops all later calls */
        (void)snprintf(w->out + (w->at + 4 > w->size ? w->size - 4 : w->at), 4, "...");
        w->at = w->size;
        return;
    }
    memcpy(w->out + w->at, text, length);
    w->at += length;
    w->out[w->at] = '\0';
}

/* Returns the text after "traffic:" in a scenario, and sets *end to the end of this section, which is before the next
 * key that is not indented. Returns NULL if there is no such section. */
static const char *section(const char *scenario, const char **end)
{
    const char *at = strncmp(scenario, "traffic:", 8) == 0 ? scenario : strstr(scenario, "\ntraffic:");
    if (at == NULL)
        return NULL;
    at = strchr(at, ':') + 1;
    *end = at;
    do
        *end += strcspn(*end, "\n") + 1;
    while ((*end)[-1] != '\0' && strchr(" -#\n", **end) != NULL && **end != '\0');
    (*end)--;
    return at;
}

/* Appends a value, without the quotes around it. is_share: show a fraction in percent */
static void put_readable(struct text *w, const char *value, size_t length, bool is_share)
{
    char number[40];
    char *end;
    double share = is_share ? strtod(value, &end) : 0;
    if (is_share && end == value + length) {
        (void)snprintf(number, sizeof(number), "%.4g%%", share * 100);
        put(w, number, strlen(number));
    } else if (length >= 2 && value[0] == '"' && value[length - 1] == '"') {
        put(w, value + 1, length - 2);
    } else {
        put(w, value, length);
    }
}

/* Appends the value of one "key: value" of a traffic item if its key is in wanted[]. */
static void put_value(struct text *w, const char *key, size_t key_length, const char *value, size_t value_length)
{
    static const struct {
        const char *key;
        bool is_share;
        const char *behind;
    } wanted[] = { { "kind", false, "" }, { "sizes", false, "" }, { "fan_in", false, ":1" },
                   { "size", false, "" }, { "load", true, "" },   { "share", true, "" } };
    bool is_kind = key_length == 4 && strncmp(key, "kind", 4) == 0;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (strlen(wanted[i].key) != key_length || strncmp(wanted[i].key, key, key_length) != 0)
            continue;
        if (w->at > 0)
            put(w, is_kind ? ", " : " ", is_kind ? 2 : 1);
        put_readable(w, value, value_length, wanted[i].is_share);
        put(w, wanted[i].behind, strlen(wanted[i].behind));
        return;
    }
}

void weir_traffic_text(char *out, size_t size, const char *scenario)
{
    struct text w = { .out = out, .size = size };
    const char *end, *at = scenario != NULL ? section(scenario, &end) : NULL;
    out[0] = '\0';
    while (at != NULL && at < end) {
        const char *key = at + strspn(at, " \t\n-[{,}]"), *value;
        size_t key_length = strcspn(key, ":#,{}[]\n"), length;
        if (key >= end)
            break;
        if (key[key_length] != ':') { /* a comment, or a value of a list */
            at = key + (key[key_length] == '#' ? strcspn(key, "\n") : key_length);
            at += at < end && *at != '\0';
            continue;
        }
        value = key + key_length + 1;
        value += strspn(value, " \t");
        length = strcspn(value, ",}]#\n");
        at = value + length;
        while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t'))
            length--;
        if (length > 0 && *value != '{' && *value != '[')
            put_value(&w, key, key_length, value, length);
        else
            at = value;
    }
}
