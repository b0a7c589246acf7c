/* src/results/report/heading.c - see heading.h. */
#include "report/heading.h"
#include "report/html.h"
#include "report/sets.h"
#include "report/traffic.h"
#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 4u /* of more sets the title has the number only */
#define TEXT_MAX_BYTES 512

/* Returns the text that all runs have; NULL = they differ, or have none. */
static const char *common(const struct weir_runs *runs, enum weir_run_text which)
{
    const char *first = weir_run_text_of(&runs->run[0], which);
    for (size_t i = 1; i < runs->count; i++)
        if (strcmp(first, weir_run_text_of(&runs->run[i], which)) != 0)
            return NULL;
    return first[0] != '\0' ? first : NULL;
}

static size_t append(char *out, size_t size, size_t at, const char *text)
{
    int length = at < size ? snprintf(out + at, size - at, "%s", text) : 0;
    return at + (length > 0 ? (size_t)length : 0);
}

/* Counts the protocols of all runs, up to NAMED_MAX + 1; law[]: their names. */
static size_t laws_of(const struct weir_runs *runs, const char *law[NAMED_MAX + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count && count <= NAMED_MAX; i++) {
        const char *name = weir_run_text_of(&runs->run[i], WEIR_RUN_PROTOCOL);
        size_t k = 0;
        while (k < count && strcmp(law[k], name) != 0)
            k++;
        if (k == count && name[0] != '\0')
            law[count++] = name;
    }
    return count;
}

/* Tests whether each set has a law of its own. */
static bool sets_are_laws(const struct weir_runs *runs)
{
    for (size_t i = 0; i < runs->count; i += weir_runs_set(&runs->run[i], runs->count - i))
        for (size_t k = 0; k < i; k += weir_runs_set(&runs->run[k], runs->count - k))
            if (strcmp(weir_run_text_of(&runs->run[i], WEIR_RUN_PROTOCOL),
                       weir_run_text_of(&runs->run[k], WEIR_RUN_PROTOCOL)) == 0)
                return false;
    return true;
}

/* Appends "dctcp, homa or sird? 12 sets" if the sets are many and their laws few, else "which of 12 laws?". */
static void append_laws(char *out, size_t size, size_t at, const struct weir_runs *runs, size_t sets)
{
    const char *law[NAMED_MAX + 1];
    size_t laws = laws_of(runs, law);
    if (laws < 2 || laws > NAMED_MAX) {
        (void)snprintf(out + (at < size ? at : size - 1), at < size ? size - at : 1, "which of %zu %s?", sets,
                       sets_are_laws(runs) ? "laws" : "sets");
        return;
    }
    for (size_t i = 0; i < laws; i++) {
        at = append(out, size, at, i == 0 ? "" : i + 1 == laws ? " or " : ", ");
        at = append(out, size, at, law[i]);
    }
    (void)snprintf(out + (at < size ? at : size - 1), at < size ? size - at : 1, "? %zu sets", sets);
}

/* Appends "dctcp, hpcc or sird?". */
static void append_sets(char *out, size_t size, size_t at, const struct weir_runs *runs, size_t sets)
{
    size_t put = 0;
    for (size_t i = 0; i < runs->count; i += weir_runs_set(&runs->run[i], runs->count - i)) {
        at = append(out, size, at, put == 0 ? "" : put + 1 == sets ? " or " : ", ");
        at = append(out, size, at, runs->run[i].text[WEIR_RUN_LABEL]);
        put++;
    }
    (void)append(out, size, at, "?");
}

void weir_heading_title(char *out, size_t size, const struct weir_runs *runs)
{
    size_t sets = weir_set_count(runs->run, runs->count), at;
    const char *name = common(runs, WEIR_RUN_NAME), *experiment = common(runs, WEIR_RUN_EXPERIMENT);
    const char *label = runs->run[0].text[WEIR_RUN_LABEL], *law = weir_run_text_of(&runs->run[0], WEIR_RUN_PROTOCOL);
    bool one = common(runs, WEIR_RUN_FIGURE) != NULL || common(runs, WEIR_RUN_EXPERIMENT) == NULL;
    at = append(out, size, 0, name != NULL ? name : experiment != NULL ? experiment : "");
    if (sets == 1 && strcmp(label, name != NULL ? name : "") == 0)
        label = law;
    at = append(out, size, at, at > 0 ? ": " : "");
    if (sets == 1)
        (void)append(out, size, at, label);
    else if (sets <= NAMED_MAX && one)
        append_sets(out, size, at, runs, sets);
    else if (name != NULL && one)
        append_laws(out, size, at, runs, sets);
    else
        (void)snprintf(out + (at < size ? at : size - 1), at < size ? size - at : 1, "%zu runs", runs->count);
}

static void put_traffic(FILE *out, const struct weir_runs *runs)
{
    char first[TEXT_MAX_BYTES], other[TEXT_MAX_BYTES];
    weir_traffic_text(first, sizeof(first), weir_run_text_of(&runs->run[0], WEIR_RUN_SCENARIO));
    for (size_t i = 1; i < runs->count; i++) {
        weir_traffic_text(other, sizeof(other), weir_run_text_of(&runs->run[i], WEIR_RUN_SCENARIO));
        if (strcmp(first, other) != 0)
            return;
    }
    if (first[0] == '\0')
        return;
    (void)fputs("; ", out);
    weir_html_text(out, first);
}

/* Writes the number of runs, and what there is of: "15 runs: 3 sets, up to 5 seeds". */
static void put_runs(FILE *out, const struct weir_runs *runs)
{
    size_t sets = weir_set_count(runs->run, runs->count), most = 0;
    for (size_t i = 0, n; i < runs->count; i += n) {
        n = weir_runs_set(&runs->run[i], runs->count - i);
        most = n > most ? n : most;
    }
    (void)fprintf(out, "%zu run%s", runs->count, runs->count == 1 ? "" : "s");
    if (most > 1)
        (void)fprintf(out, ": %zu set%s of %s%zu seeds", sets, sets == 1 ? "" : "s",
                      sets * most > runs->count ? "up to " : "", most);
}

void weir_heading_lead(FILE *out, const struct weir_runs *runs)
{
    const char *topology = common(runs, WEIR_RUN_TOPOLOGY), *hosts = common(runs, WEIR_RUN_HOSTS);
    put_runs(out, runs);
    if (topology != NULL) {
        (void)fputs("; ", out);
        weir_html_text(out, topology);
    }
    if (hosts != NULL) {
        (void)fputs(topology != NULL ? ", " : "; ", out);
        weir_html_text(out, hosts);
        (void)fputs(" hosts", out);
    }
    put_traffic(out, runs);
    (void)fputs(". Simulated packet by packet with Weir; from ", out);
    for (size_t i = 0; i < runs->db_count; i++) {
        (void)fputs(i == 0 ? "" : ", ", out);
        weir_html_text(out, weir_runs_file(runs, &runs->db[i]));
    }
    (void)fputc('.', out);
}
