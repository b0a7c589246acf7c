/* src/base/text/progress.c - see progress.h. */
#include "text/progress.h"
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ECHO 2u /* characters "^C" that the terminal adds to the line when Ctrl-C is pressed */

void weir_progress_begin(struct weir_progress_line *line, FILE *out, enum weir_progress_when when, uint64_t terminal_ns,
                         uint64_t now_ns)
{
    bool asked = when == WEIR_PROGRESS_ALWAYS;
    *line = (struct weir_progress_line){ .start_ns = now_ns, .due_ns = UINT64_MAX };
    if (when == WEIR_PROGRESS_NEVER)
        return;
    line->out = out;
    line->redraw = isatty(fileno(out)) == 1;
    line->every_ns = line->redraw ? terminal_ns : asked ? WEIR_PROGRESS_ASKED_NS : WEIR_PROGRESS_LOG_NS;
    line->due_ns = asked ? now_ns : now_ns + line->every_ns;
}

bool weir_progress_due(struct weir_progress_line *line, uint64_t now_ns)
{
    if (line->out == NULL || now_ns < line->due_ns)
        return false;
    line->due_ns = now_ns + line->every_ns;
    return true;
}

/* Returns the number of columns of the terminal, 80 if unknown. A longer line would wrap, and could not be
 * overwritten. */
static uint32_t terminal_width(FILE *out)
{
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

static void draw_over(struct weir_progress_line *line, char *text)
{
    uint32_t columns = terminal_width(line->out), width = (uint32_t)strlen(text), blank;
    uint32_t most = columns > ECHO + 1 ? columns - ECHO - 1 : 1;
    if (width > most) {
        text[most] = '\0';
        width = most;
    }
    blank = line->drawn_width > width && line->drawn_width <= most ? line->drawn_width - width : 0;
    (void)fprintf(line->out, "\r%s%*s", text, (int)blank, "");
    (void)fflush(line->out);
    line->drawn_width = width;
}

void weir_progress_draw(struct weir_progress_line *line, char *text)
{
    if (line->redraw)
        draw_over(line, text);
    else
        (void)fprintf(line->out, "%s\n", text);
    (void)fflush(line->out);
}

void weir_progress_clear(struct weir_progress_line *line)
{
    if (line->out == NULL || !line->redraw || line->drawn_width == 0)
        return;
    (void)fprintf(line->out, "\r%*s\r", (int)(line->drawn_width + ECHO), "");
    (void)fflush(line->out);
    line->drawn_width = 0;
}

void weir_progress_end(struct weir_progress_line *line)
{
    weir_progress_clear(line);
    line->out = NULL;
    line->due_ns = UINT64_MAX;
}
