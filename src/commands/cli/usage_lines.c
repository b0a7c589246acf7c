/* src/commands/cli/usage_lines.c - splits the text of a usage into lines, and the head of a line into options. */
#include "cli/usage.h"
#include <string.h>

/* INDENT: blanks before an option. GAP: fewest blanks between the head of an option and its text. GOES_ON_MIN: fewest
 * blanks before a line that continues a text. */
enum { INDENT = 2, GAP = 2, GOES_ON_MIN = 20 };

/* Returns the length of the head of an option: the part before two blanks. A single blank may be part of the head. */
static int head_length(const char *head, int length)
{
    for (int i = 0; i + GAP <= length; i++)
        if (strncmp(head + i, "  ", GAP) == 0)
            return i;
    return length;
}

const char *weir_usage_next(const char *more, struct weir_usage_line *line)
{
    int length = (int)strcspn(more, "\n"), blanks = (int)strspn(more, " ");
    if (*more == '\0')
        return NULL;
    *line = (struct weir_usage_line){ .text = more + blanks, .text_length = length - blanks };
    if (length == 0)
        line->kind = WEIR_USAGE_BLANK;
    else if (blanks == 0)
        line->kind = WEIR_USAGE_TEXT;
    else if (blanks >= GOES_ON_MIN)
        line->kind = WEIR_USAGE_GOES_ON;
    else if (blanks == INDENT && line->text[0] == '-') {
        line->kind = WEIR_USAGE_OPTION;
        line->head = line->text;
        line->head_length = head_length(line->head, line->text_length);
        line->text += line->head_length;
        line->text_length -= line->head_length;
        while (line->text_length > 0 && *line->text == ' ')
            line->text++, line->text_length--;
    } else {
        line->kind = WEIR_USAGE_AS_IS;
        line->text = more + INDENT;
        line->text_length = length - INDENT;
    }
    return more + length + (more[length] == '\n');
}

int weir_usage_option(const char *head, int length, struct weir_usage_option *option)
{
    int end = 0;
    if (length <= 0)
        return 0;
    *option = (struct weir_usage_option){ .name = head };
    while (option->name_length < length && strchr(" ,", head[option->name_length]) == NULL)
        option->name_length++;
    for (end = option->name_length; end < length; end++)
        if (end + 2 < length && strncmp(head + end, ", -", 3) == 0)
            break;
    if (end > option->name_length) { /* the value begins after the blank */
        option->value = head + option->name_length + 1;
        option->value_length = end - option->name_length - 1;
    }
    return end < length ? end + 2 : end;
}
