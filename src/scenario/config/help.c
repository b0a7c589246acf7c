/* src/scenario/config/help.c - prints the reference of scenario files, from the rows that read a scenario. */
#include "config/help.h"
#include "config/glossary.h"
#include "config/mdoc.h"
#include "config/names.h"
#include "config/recommended.h"
#include "config/scenario.h"
#include "config/table.h"
#include "core/cause.h"
#include "core/feature.h"
#include "param/param.h"
#include "param/suggest.h"
#include <ctype.h>
#include <string.h>

enum { CELL = 512, NAME = 128 };

struct page { /* output stream and format */
    FILE *out;
    enum weir_help_form form;
};

/* --- parts of a page --- */

static void print_heading(const struct page *p, int level, const char *kind, const char *name)
{
    if (p->form == WEIR_HELP_MARKDOWN)
        (void)fprintf(p->out, "\n%s %s`%s`\n\n", level == 1 ? "#" : level == 2 ? "##" : "###", kind, name);
    else if (p->form == WEIR_HELP_MANUAL)
        (void)fprintf(p->out, ".Ss %s%s\n", kind, name);
    else
        (void)fprintf(p->out, "\n%s%s\n", kind, name);
}

static void print_text(const struct page *p, const char *text)
{
    if (p->form == WEIR_HELP_MANUAL)
        weir_mdoc_text(p->out, text, strlen(text));
    else
        weir_table_text(p->out, p->form == WEIR_HELP_MARKDOWN, 2, text);
}

/* Prints the separator between two parts of a section. */
static void print_gap(const struct page *p)
{
    (void)fputs(p->form == WEIR_HELP_MANUAL ? ".Pp\n" : "\n", p->out);
}

/* Prints the separator between a text and a table; none in a manual page, where a list separates itself. */
static void print_gap_to_rows(const struct page *p)
{
    if (p->form != WEIR_HELP_MANUAL)
        print_gap(p);
}

/* Prints the values that a row allows into out, cut to size: "size, 1 B to 1 TB | unlimited". */
static void print_allowed(const struct weir_param *row, char *out, size_t size)
{
    char kind[CELL / 2], range[NAME];
    weir_param_print_kind(row, kind, sizeof(kind));
    weir_param_print_range(row, range, sizeof(range));
    (void)snprintf(out, size, "%s%s%s", kind, range[0] != '\0' ? ", " : "", range);
    for (const struct weir_keyword *k = NULL; (k = weir_param_keyword(row, k)) != NULL;) {
        size_t used = strlen(out);
        (void)snprintf(out + used, size - used, " | %s", k->text);
    }
}

static void print_row(struct weir_table *t, const struct weir_param *row)
{
    char allowed[CELL], fallback[CELL];
    print_allowed(row, allowed, sizeof(allowed));
    weir_param_print_default(row, fallback, sizeof(fallback));
    weir_table_row(t, (const char *const[]){ row->key, allowed, fallback[0] != '\0' ? fallback : "-", row->hint });
}

/* Prints a row in a manual page as an item of a list, because columns would not fit: the key, then below it the other
 * cells of a table. */
static void print_item(FILE *out, const struct weir_param *row)
{
    char allowed[CELL], fallback[CELL];
    print_allowed(row, allowed, sizeof(allowed));
    weir_param_print_default(row, fallback, sizeof(fallback));
    (void)fputs(".It Cm \"\\&", out);
    weir_mdoc_escape(out, row->key, strlen(row->key));
    (void)fputs("\"\n", out);
    weir_mdoc_text(out, allowed, strlen(allowed));
    if (fallback[0] != '\0') {
        (void)fputs("(default ", out);
        weir_mdoc_escape(out, fallback, strlen(fallback));
        (void)fputs(")\n", out);
    }
    (void)fputs(".br\n", out);
    weir_mdoc_text(out, row->hint, strlen(row->hint));
}

static void print_items(FILE *out, const struct weir_section *s)
{
    const struct weir_param *table;
    (void)fputs(".Bl -tag -width indent\n", out);
    for (uint32_t i = 0; (table = weir_section_table(s, i)) != NULL; i++)
        for (const struct weir_param *row = table; row->key != NULL; row++)
            print_item(out, row);
    (void)fputs(".El\n", out);
}

/* Prints the rows of a section's tables. kind: prints only keys that this kind uses; NULL = of all kinds. key: prints
 * only this key; NULL = all keys. A manual page always gets all rows. */
static void print_tables(const struct page *p, const struct weir_section *s, const uint32_t *kind, const char *key)
{
    const struct weir_param *table;
    struct weir_table t = { .out = p->out, .markdown = p->form == WEIR_HELP_MARKDOWN, .columns = 4 };
    if (p->form == WEIR_HELP_MANUAL) { /* only the whole reference is printed as a manual page */
        print_items(p->out, s);
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        t.measuring = pass == 0;
        weir_table_row(&t, (const char *const[]){ "key", "allowed", "default", "meaning" });
        weir_table_rule(&t);
        for (uint32_t i = 0; (table = weir_section_table(s, i)) != NULL; i++)
            for (const struct weir_param *row = table; row->key != NULL; row++)
                if ((key == NULL || strcmp(key, row->key) == 0) && (kind == NULL || weir_section_uses(row, *kind)))
                    print_row(&t, row);
    }
}

static void print_rows(const struct page *p, const struct weir_param *rows, const uint32_t *kind, const char *key)
{
    print_tables(p, &(struct weir_section){ .rows = rows }, kind, key);
}

static void print_preset(const struct page *p, const struct weir_preset *preset, bool is_first)
{
    char line[2 * CELL];
    bool markdown = p->form == WEIR_HELP_MARKDOWN;
    size_t used = (size_t)snprintf(line, sizeof(line), "%s%s%s%s: %s", markdown ? "* `" : "preset ", preset->name,
                                   markdown ? "`" : "", is_first ? " (default)" : "", preset->hint);
    for (const char *const *v = preset->values; v != NULL && *v != NULL && used < sizeof(line); v++)
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", v == preset->values ? " {" : ", ", *v);
    if (preset->values != NULL && preset->values[0] != NULL && used < sizeof(line))
        (void)snprintf(line + used, sizeof(line) - used, "}");
    if (p->form == WEIR_HELP_MANUAL)
        print_gap(p);
    print_text(p, line);
}

static void print_presets(const struct page *p, const struct weir_preset *presets)
{
    for (const struct weir_preset *row = presets; row != NULL && row->name != NULL; row++) {
        if (p->form == WEIR_HELP_MARKDOWN && row == presets)
            print_gap(p);
        print_preset(p, row, row == presets);
    }
}

static void print_section(const struct page *p, const struct weir_section *s)
{
    print_heading(p, 2, "section ", s->path);
    print_text(p, s->text);
    print_gap_to_rows(p);
    print_tables(p, s, NULL, NULL);
    if (s->rows == weir_framing_params)
        print_presets(p, weir_framing_presets);
}

#define LINE_MAX 150 /* columns of a line of a Markdown page; a renderer joins the lines */

/* Prints the settings that `weir compare` makes for a protocol. */
static void print_recommended(const struct page *p, const struct weir_protocol *row)
{
    const char *recommended, *preset = weir_recommended_preset(row);
    char line[2 * CELL];
    size_t used =
        (size_t)snprintf(line, sizeof(line), "Recommended, and set by weir compare unless the preset says otherwise:");
    size_t begin = 0; /* offset of the current line in line[] */
    for (uint32_t i = 0; (recommended = weir_recommended_line(row, NULL, i)) != NULL && used < sizeof(line); i++) {
        bool fits = p->form != WEIR_HELP_MARKDOWN || used - begin + strlen(recommended) < LINE_MAX;
        begin = fits ? begin : used;
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s%s", i > 0 ? "," : "", fits ? " " : "\n",
                                 recommended);
    }
    if (preset != NULL && used < sizeof(line))
        (void)snprintf(line + used, sizeof(line) - used, "; preset %s", preset);
    if (p->form != WEIR_HELP_TERMINAL)
        print_gap(p);
    print_text(p, line);
}

static void print_protocol(const struct page *p, const struct weir_protocol *row)
{
    char line[CELL];
    print_heading(p, 3, "protocol ", row->name);
    (void)snprintf(line, sizeof(line), "%s. Source: %s", row->hint, row->source);
    print_text(p, line);
    print_gap_to_rows(p);
    if (row->params != NULL && row->params->key != NULL)
        print_rows(p, row->params, NULL, NULL);
    else
        print_text(p, "It has no keys.");
    print_presets(p, row->presets);
    if (row->recommends != NULL)
        print_recommended(p, row);
}

/* --- the whole reference --- */

static const char *const intro[] = {
    "A scenario is a YAML file: a map of the sections below. Everything has a default but `traffic`. A key that is not "
    "listed here, "
    "a key given twice, a missing or wrong unit and a value out of range are refused.",
    "Values: times in ps, ns, us, ms, s; rates in bps, Kbps, Mbps, Gbps, Tbps; sizes in B, KB, MB, GB, TB (powers of "
    "1000) or "
    "KiB, MiB, GiB, some of them also in BDP, the bandwidth-delay product of `topology.bdp`, and some times "
    "in RTT, the base round trip of the longest path; fractions as 0.05 or 5%. "
    "Only 0 needs "
    "no unit. A value with more digits than its unit can hold (a picosecond, a byte, a millionth) is refused, never "
    "rounded.",
    "What counts, the later over the earlier: defaults, preset of the framing, preset of the protocol, the file, "
    "`--set` "
    "(`--set protocol.g=0.08 --set 'traffic[0].load=80%'`). A framing named in the file replaces the one of a "
    "protocol's "
    "preset. "
    "The first preset listed is the one used when none is named.",
    "`name` is what results call the run; without it the file's own name serves.",
    "`variants` has protocols with keys of their own, by names: `variants: {slow: {protocol.name: dctcp, "
    "protocol.g: 0.02}}`. They are checked, and a run does not use them. `weir compare --protocols dctcp,slow` does, "
    "and `--set protocol=slow` runs one: doc/compare.md.",
};

static void print_intro(const struct page *p)
{
    if (p->form == WEIR_HELP_MANUAL) {
        weir_mdoc_begin(p->out, "WEIR-SCENARIO", 5, "weir-scenario", "what a scenario file of Weir may say");
        (void)fputs(".Sh DESCRIPTION\n", p->out);
    } else
        (void)fprintf(p->out, "%s\n", p->form == WEIR_HELP_MARKDOWN ? "# Scenario files" : "Scenario files");
    for (size_t i = 0; i < sizeof(intro) / sizeof(intro[0]); i++) {
        if (p->form == WEIR_HELP_MARKDOWN || (p->form == WEIR_HELP_MANUAL && i > 0))
            print_gap(p);
        print_text(p, intro[i]);
    }
    if (p->form == WEIR_HELP_MANUAL)
        (void)fputs(".Sh SECTIONS\n", p->out);
}

void weir_help_scenario(FILE *out, enum weir_help_form form)
{
    const struct page p = { out, form };
    print_intro(&p);
    struct weir_section s;
    for (uint32_t i = 0; weir_section_get(i, &s); i++)
        print_section(&p, &s);
    print_heading(&p, 2, "section ", "protocol");
    print_text(&p,
               "`protocol: dctcp` is short for `protocol: {name: dctcp}`; `preset` names a set of values, further keys "
               "are the protocol's own.");
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++)
        print_protocol(&p, row);
    if (form == WEIR_HELP_MANUAL)
        (void)fputs(".Sh SEE ALSO\n.Xr weir 1 ,\n.Xr weir-run 1\n", out);
}

/* --- one name --- */

struct search { /* a search for one name; or, with each, a listing of all names */
    struct page page;
    const char *name;         /* the name that is searched */
    struct weir_suggest near; /* the nearest of the names that were compared */
    bool found;
    void (*each)(void *ctx, const char *name); /* gets every name, and nothing is printed; NULL = search for name */
    void *ctx;
};

static bool is_hit(struct search *s, const char *name)
{
    bool hit = strcmp(s->name, name) == 0;
    if (s->each != NULL) {
        s->each(s->ctx, name);
        return false;
    }
    weir_suggest_add(&s->near, name);
    s->found = s->found || hit;
    return hit;
}

/* Prints those rows of a section whose key, or whose path "section.key", is the name: "load" and "traffic.load" give
 * the same row. */
static void search_keys(struct search *s, const char *section, const struct weir_param *rows)
{
    for (const struct weir_param *row = rows; row != NULL && row->key != NULL; row++) {
        char path[NAME];
        (void)snprintf(path, sizeof(path), "%s.%s", section, row->key);
        if (strcmp(path, s->name) == 0 ? (s->found = true) : is_hit(s, row->key)) {
            print_heading(&s->page, 2, "key ", path);
            print_rows(&s->page, rows, NULL, row->key);
        }
    }
}

static void search_sections(struct search *s)
{
    struct weir_section section;
    for (uint32_t i = 0; weir_section_get(i, &section); i++) {
        const char *dot = strchr(section.path, '.');
        if (is_hit(s, section.path) || (dot != NULL && is_hit(s, dot + 1)))
            print_section(&s->page, &section);
        for (uint32_t k = 0; weir_section_table(&section, k) != NULL; k++)
            search_keys(s, section.path, weir_section_table(&section, k));
    }
}

static void search_protocols(struct search *s)
{
    bool all = is_hit(s, "protocol");
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++) {
        if (is_hit(s, row->name) || all)
            print_protocol(&s->page, row);
        search_keys(s, row->name, row->params);
        for (const struct weir_preset *preset = row->presets; preset != NULL && preset->name != NULL; preset++) {
            if (!is_hit(s, preset->name))
                continue;
            print_heading(&s->page, 2, "preset of protocol ", row->name);
            print_preset(&s->page, preset, preset == row->presets);
        }
    }
}

static void search_kinds(struct search *s, const char *what, const char *const *kinds, const struct weir_param *rows)
{
    for (uint32_t kind = 0; kinds[kind] != NULL; kind++) {
        if (!is_hit(s, kinds[kind]))
            continue;
        print_heading(&s->page, 2, what, kinds[kind]);
        print_rows(&s->page, rows, &kind, NULL);
    }
}

static void print_example(const struct page *p, const struct weir_preset *example)
{
    char line[2 * CELL];
    size_t used = (size_t)snprintf(line, sizeof(line), "example, %s:", example->hint);
    for (const char *const *v = example->values; *v != NULL && used < sizeof(line); v++)
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s %s%s", v == example->values ? "" : ",",
                                 weir_feature_key_prefix(*v), *v);
    print_text(p, line);
}

/* Prints a rule and its paragraph, then why it applies. */
static void print_rule(const struct page *p, const struct weir_feature *row, const struct weir_rule *rule)
{
    static const char *const does[WEIR_FATES] = {
        [WEIR_FATE_DROPPED] = "drops packets",      [WEIR_FATE_LOST] = "loses packets",
        [WEIR_FATE_MARKED] = "marks packets",       [WEIR_FATE_UNMARKED] = "takes marks",
        [WEIR_FATE_DEFLECTED] = "deflects packets", [WEIR_FATE_PAUSED] = "pauses classes"
    };
    (void)fprintf(p->out, "  %s: %s.%s, doc/model.md [%s]\n", does[rule->fate], row->name, rule->name, rule->paragraph);
    if (rule->reason != NULL)
        (void)fprintf(p->out, "    because %s\n", rule->reason);
}

static void print_feature(const struct page *p, const struct weir_feature *row)
{
    char line[CELL];
    print_heading(p, 2, "feature ", row->name);
    (void)snprintf(line, sizeof(line), "%s%s%s", row->hint, row->source != NULL ? ". Source: " : "",
                   row->source != NULL ? row->source : "");
    print_text(p, line);
    weir_feature_keys(row, line, sizeof(line));
    (void)fprintf(p->out, "  keys: %s\n", line);
    if (row->extension != NULL)
        (void)fprintf(p->out, "  packets carry: %s\n", row->extension->name);
    for (uint32_t i = 0; i < weir_feature_rules(row); i++)
        print_rule(p, row, &row->rules[i]);
    for (const struct weir_preset *e = row->examples; e != NULL && e->name != NULL; e++)
        print_example(p, e);
}

/* Tests whether the name is a rule of this feature, in the form that results use: "shared-buffer.alpha". Sets s->found
 * if so. */
static bool is_rule(struct search *s, const struct weir_feature *row)
{
    size_t length = strlen(row->name);
    bool hit = false;
    for (uint32_t i = 0; i < weir_feature_rules(row); i++)
        hit |= strncmp(s->name, row->name, length) == 0 && s->name[length] == '.' &&
               strcmp(s->name + length + 1, row->rules[i].name) == 0;
    s->found = s->found || hit;
    return hit;
}

static void search_rest(struct search *s)
{
    for (const struct weir_preset *row = weir_framing_presets; row->name != NULL; row++) {
        if (is_hit(s, row->name)) {
            print_heading(&s->page, 2, "framing ", row->name);
            print_preset(&s->page, row, row == weir_framing_presets);
        }
    }
    for (const struct weir_feature *const *row = weir_features; *row != NULL; row++)
        if (is_hit(s, (*row)->name) || is_rule(s, *row))
            print_feature(&s->page, *row);
    for (const struct weir_cdf_info *row = weir_cdf_infos; row->name != NULL; row++) {
        if (is_hit(s, row->name)) {
            print_heading(&s->page, 2, "workload ", row->name);
            print_text(&s->page, row->hint);
            (void)fprintf(s->page.out, "  data: %s\n  use: traffic: [{kind: poisson, sizes: %s, load: 50%%}]\n",
                          row->file, row->name);
        }
    }
}

/* Copies the first term of names into out, cut to size, as one argument of a command line: "base RTT" becomes
 * "base-RTT". @return the beginning of the next term; NULL = there is none */
static const char *copy_term(const char *names, char *out, size_t size)
{
    size_t length = strcspn(names, ",");
    (void)snprintf(out, size, "%.*s", (int)length, names);
    for (char *c = out; *c != '\0'; c++)
        *c = *c == ' ' ? '-' : *c;
    return names[length] == ',' ? names + length + strspn(names + length, ", ") : NULL;
}

/* Tests whether two names are the same term. Upper and lower case count as equal, and so do '-', '_' and a blank. */
static bool is_same_term(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char x = *a == '_' || *a == ' ' ? '-' : *a, y = *b == '_' || *b == ' ' ? '-' : *b;
        if (tolower((unsigned char)x) != tolower((unsigned char)y))
            return false;
    }
    return *a == *b;
}

static void print_term(const struct page *p, const struct weir_term *term)
{
    print_heading(p, 2, "term ", term->names);
    print_text(p, term->text);
    if (term->where[0] != '\0') {
        char line[CELL];
        (void)snprintf(line, sizeof(line), "see: %s", term->where);
        print_text(p, line);
    }
}

static void search_terms(struct search *s)
{
    for (const struct weir_term *term = weir_glossary; term->names != NULL; term++) {
        char name[NAME];
        bool hit = false;
        for (const char *at = term->names; at != NULL;) {
            at = copy_term(at, name, sizeof(name));
            hit = is_hit(s, name) || (s->each == NULL && is_same_term(s->name, name)) || hit;
        }
        s->found = s->found || hit;
        if (hit)
            print_term(&s->page, term);
    }
}

static void search(struct search *s)
{
    if (is_hit(s, "scenario"))
        weir_help_scenario(s->page.out, WEIR_HELP_TERMINAL);
    search_sections(s);
    search_protocols(s);
    search_kinds(s, "topology ", weir_topology_kinds, weir_topology_params);
    search_kinds(s, "traffic ", weir_traffic_kinds, weir_traffic_params);
    search_rest(s);
    search_terms(s);
}

void weir_help_names(void (*each)(void *ctx, const char *name), void *ctx)
{
    struct search s = { .name = "", .each = each, .ctx = ctx };
    search(&s);
}

bool weir_help_name(FILE *out, const char *name, const struct weir_suggest *more, struct weir_err *err)
{
    struct search s = { .page = { out, WEIR_HELP_TERMINAL }, .name = name };
    char hint[CELL];
    if (more != NULL)
        s.near = *more;
    else
        weir_suggest_init(&s.near, name);
    search(&s);
    if (s.found)
        return true;
    weir_suggest_hint(&s.near, hint, sizeof(hint));
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, s.near.best[0] != '\0' ? hint : "weir help scenario shows all there is",
                    "nothing is called '%.80s'", name);
    return false;
}
