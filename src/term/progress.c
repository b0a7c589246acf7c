/* src/term/progress.c - see progress.h. */
#include "term/progress.h"
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ECHO 2u /* what the terminal itself puts behind the line when someone presses Ctrl-C */

void weir_progress_begin(struct weir_progress_line *line, FILE *out, bool show, uint64_t now_ns)
{
    *line = (struct weir_progress_line){ .out = show ? out : NULL, .start_ns = now_ns };
    line->redraw = show && isatty(fileno(out)) == 1;
}

/* A line that wrapped could not be drawn over. */
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

void weir_progress_end(struct weir_progress_line *line)
{
    if (line->out != NULL && line->redraw && line->drawn_width > 0) {
        (void)fprintf(line->out, "\r%*s\r", (int)(line->drawn_width + ECHO), "");
        (void)fflush(line->out);
    }
    line->out = NULL;
}
