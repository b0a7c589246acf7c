/* src/scenario/workload/hosts.c - reads which hosts an item of traffic names: ranges, and groups of senders. */
#include "workload/text.h"
#include "workload/plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lets a range have every step-th host, as "0..1023/8" says. slash: in text. @return 0, or a code with b->err */
static int load_step(const struct weir_build *b, uint32_t i, const char *key, const char *text, size_t slash,
                     struct weir_host_range *range)
{
    const struct weir_field field = { .text = text + slash + 1, .length = (uint32_t)strlen(text + slash + 1) };
    uint64_t step;
    if (weir_text_u64(&field, &step) != WEIR_TEXT_OK || step == 0 || step > b->limits->hosts)
        return weir_fail(b->err, WEIR_E_SYNTAX, weir_build_where(b, i), "0..1023/8 is every eighth host",
                         "%s = %s: no step from host to host", key, text);
    range->step = (uint32_t)step;
    range->count = (range->count - 1) / range->step + 1;
    return 0;
}

int weir_build_range(const struct weir_build *b, uint32_t i, const char *key, const char *text,
                     struct weir_host_range *range)
{
    const char *dots = strstr(text, "..");
    struct weir_field first = { .text = text,
                                .length = (uint32_t)(dots != NULL ? (size_t)(dots - text) : strlen(text)) };
    struct weir_field last =
        dots == NULL ? first : (struct weir_field){ .text = dots + 2, .length = (uint32_t)strlen(dots + 2) };
    uint64_t lo, hi;
    *range = (struct weir_host_range){ 0, b->limits->hosts, 1 };
    if (text[0] == '\0')
        return 0;
    if (weir_text_u64(&first, &lo) != WEIR_TEXT_OK || weir_text_u64(&last, &hi) != WEIR_TEXT_OK || lo > hi)
        return weir_fail(b->err, WEIR_E_SYNTAX, weir_build_where(b, i), "hosts by number, as in 0..9 or 7",
                         "%s = %s: no range of hosts", key, text);
    if (hi >= b->limits->hosts)
        return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i), NULL,
                         "%s = %s: the topology has %u hosts (0 to %u)", key, text, b->limits->hosts,
                         b->limits->hosts - 1);
    *range = (struct weir_host_range){ (uint32_t)lo, (uint32_t)(hi - lo + 1), 1 };
    return 0;
}

int weir_build_range_step(const struct weir_build *b, uint32_t i, const char *key, const char *text,
                          struct weir_host_range *range)
{
    char hosts[WEIR_TEXT_MAX];
    size_t slash = strcspn(text, "/");
    int code;
    (void)snprintf(hosts, sizeof(hosts), "%.*s", (int)slash, text);
    code = weir_build_range(b, i, key, hosts, range);
    return code == 0 && text[slash] == '/' ? load_step(b, i, key, text, slash, range) : code;
}

/* ---- groups of senders ---- */

/* Adds a group to the workload, and announces its senders to protocols that read them. @return 0, or a code with
 * b->err */
static int add_group(struct weir_build *b, const struct weir_host_range *range)
{
    struct weir_workload *wl = b->wl;
    struct weir_session_group *larger =
        realloc(wl->session_group, ((size_t)wl->session_groups + 1) * sizeof(*wl->session_group));
    int code = 0;
    if (larger == NULL)
        return weir_fail_memory(b->err);
    wl->session_group = larger;
    larger[wl->session_groups++] =
        (struct weir_session_group){ .senders = *range, .group = b->plan.has_groups ? ++b->plan.group : 0 };
    for (uint32_t k = 0; k < range->count && code == 0; k++)
        code = weir_plan_announce(&b->plan, b->plan.group, range->first + k * range->step, b->err);
    return code;
}

int weir_build_groups(struct weir_build *b, uint32_t i)
{
    char text[sizeof(b->wl->item[i].groups)];
    (void)snprintf(text, sizeof(text), "%s", b->wl->item[i].groups);
    b->wl->session_first[i] = b->wl->session_groups;
    for (char *group = text[0] != '\0' ? text : NULL, *next; group != NULL; group = next) {
        struct weir_host_range range;
        char *comma = strchr(group, ',');
        int code;
        next = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL)
            *comma = '\0';
        group += strspn(group, " ");
        if (group[0] == '\0')
            return weir_fail(b->err, WEIR_E_SYNTAX, weir_build_where(b, i), "for example groups: [0..7, 8..15]",
                             "groups: a group has no senders");
        code = weir_build_range_step(b, i, "groups", group, &range);
        if (code == 0)
            code = add_group(b, &range);
        if (code != 0)
            return code;
    }
    b->wl->session_count[i] = b->wl->session_groups - b->wl->session_first[i];
    return 0;
}
