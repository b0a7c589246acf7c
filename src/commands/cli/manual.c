/* src/commands/cli/manual.c - prints the manual page of a command, made of its usage: so it has the options and the
 * text of `--help`. */
#include "cli/manual.h"
#include "cli/usage.h"
#include "config/help.h"
#include "config/mdoc.h"
#include "param/suggest.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TITLE = 64, HINT = 512 };

#define EXIT_STATUS "exit status:"

enum block { PROSE, ITEMS, LITERAL }; /* the block of the page that is open */

struct page {
    FILE *out;
    enum block block;
    bool paragraph; /* the next prose begins a new paragraph */
};

static void enter(struct page *p, enum block block)
{
    static const char *const begin[] = { "", ".Bl -tag -width indent\n", ".Bd -literal -offset indent\n" };
    static const char *const end[] = { "", ".El\n", ".Ed\n" };
    if (p->block == block)
        return;
    p->paragraph = p->paragraph || (block == PROSE && p->block == ITEMS);
    (void)fprintf(p->out, "%s%s", end[p->block], begin[block]);
    p->block = block;
}

static void section(struct page *p, const char *title)
{
    enter(p, PROSE);
    (void)fprintf(p->out, ".Sh %s\n", title);
    p->paragraph = false;
}

static void prose(struct page *p, const char *text, size_t length)
{
    enter(p, PROSE);
    if (p->paragraph)
        (void)fputs(".Pp\n", p->out);
    p->paragraph = false;
    weir_mdoc_text(p->out, text, length);
}

/* Prints prose. If the text has "exit status:", prints the part behind it in a section of its own. */
static void prose_or_status(struct page *p, const char *text, size_t length)
{
    const char *status = strstr(text, EXIT_STATUS);
    size_t before = status != NULL && status < text + length ? (size_t)(status - text) : length;
    if (before > 0)
        prose(p, text, before);
    if (before == length)
        return;
    section(p, "EXIT STATUS");
    text = status + strlen(EXIT_STATUS);
    length -= before + strlen(EXIT_STATUS);
    if (length > 1) /* without the blank after the colon */
        prose(p, text + 1, length - 1);
}

static void print_option(struct page *p, const struct weir_usage_line *line)
{
    struct weir_usage_option option;
    int at = 0, used;
    enter(p, ITEMS);
    while ((used = weir_usage_option(line->head + at, line->head_length - at, &option)) > 0) {
        (void)fputs(at == 0 ? ".It Fl " : " , Fl ", p->out); /* .Fl prints the first dash */
        weir_mdoc_escape(p->out, option.name + 1, (size_t)option.name_length - 1);
        if (option.value_length > 0) {
            (void)fputs(" Ar \"\\&", p->out);
            weir_mdoc_escape(p->out, option.value, (size_t)option.value_length);
            (void)fputc('"', p->out);
        }
        at += used;
    }
    (void)fputc('\n', p->out);
    weir_mdoc_text(p->out, line->text, (size_t)line->text_length);
}

static void print_line(struct page *p, const struct weir_usage_line *line)
{
    size_t length = (size_t)line->text_length;
    switch (line->kind) {
    case WEIR_USAGE_BLANK:
        p->paragraph = true;
        break;
    case WEIR_USAGE_TEXT:
        if (length == 8 && strncmp(line->text, "options:", length) == 0)
            section(p, "OPTIONS");
        else
            prose_or_status(p, line->text, length);
        break;
    case WEIR_USAGE_OPTION:
        print_option(p, line);
        break;
    case WEIR_USAGE_GOES_ON:
        weir_mdoc_text(p->out, line->text, length);
        break;
    case WEIR_USAGE_AS_IS:
        enter(p, LITERAL);
        (void)fputs("\\&", p->out);
        weir_mdoc_escape(p->out, line->text, length);
        (void)fputc('\n', p->out);
        break;
    }
}

/* Prints the synopsis of "weir run FILE [options]": FILE as an argument, an optional argument in brackets. */
static void print_synopsis(FILE *out, const struct weir_usage *usage)
{
    const char *at = usage->call + strlen("weir ") + strlen(usage->name);
    (void)fprintf(out, ".Sh SYNOPSIS\n.Nm weir %s\n", usage->name);
    while (*(at += strspn(at, " ")) != '\0') {
        size_t length = strcspn(at, " ");
        bool optional = *at == '[';
        (void)fputs(optional ? ".Op Ar \"\\&" : ".Ar \"\\&", out);
        for (size_t i = 0; i < length; i++)
            if (strchr("[]", at[i]) == NULL)
                weir_mdoc_escape(out, &at[i], 1);
        (void)fputs("\"\n", out);
        at += length;
    }
    if (strstr(usage->more, "options:\n") != NULL && strstr(usage->call, "[options]") == NULL)
        (void)fputs(".Op Ar options\n", out);
}

static void print_command(FILE *out, const struct weir_usage *usage)
{
    struct page p = { .out = out };
    struct weir_usage_line line;
    const char *at = usage->more;
    char title[TITLE], name[TITLE];
    (void)snprintf(name, sizeof(name), "weir-%s", usage->name);
    for (size_t i = 0; i <= strlen(name); i++)
        title[i] = (char)toupper((unsigned char)name[i]);
    weir_mdoc_begin(out, title, 1, name, usage->does);
    print_synopsis(out, usage);
    (void)fprintf(out, ".Sh DESCRIPTION\n%c", toupper((unsigned char)usage->does[0]));
    weir_mdoc_escape(out, usage->does + 1, strlen(usage->does) - 1);
    (void)fputs(".\n", out);
    p.paragraph = true;
    while ((at = weir_usage_next(at, &line)) != NULL)
        print_line(&p, &line);
    section(&p, "SEE ALSO");
    (void)fputs(".Xr weir 1 ,\n.Xr weir-scenario 5\n", out);
}

int weir_cli_manual(const char *name, struct weir_err *err)
{
    const struct weir_usage *usage = weir_usage_find(name);
    struct weir_suggest near;
    char hint[HINT];
    if (usage != NULL)
        print_command(stdout, usage);
    else if (strcmp(name, "scenario") == 0)
        weir_help_scenario(stdout, WEIR_HELP_MANUAL);
    else {
        weir_suggest_init(&near, name);
        weir_suggest_add(&near, "scenario");
        for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++)
            weir_suggest_add(&near, usage->name);
        weir_suggest_hint(&near, hint, sizeof(hint));
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "--man %.80s: no such command", name);
    }
    return 0;
}
