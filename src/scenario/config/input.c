/* src/scenario/config/input.c - see input.h. */
#include "config/input.h"
#include "core/assert.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Reads the first byte of a pipe without blocking: only a read shows whether a program has the other end open. @return
 * the byte, or EOF; *why is set if no byte can come, and stays as it is if one may come later */
static int first_of_pipe(int fd, const char **why)
{
    unsigned char byte;
    ssize_t count = read(fd, &byte, 1);
    if (count == 0)
        *why = "no program writes to this pipe";
    else if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
        *why = strerror(errno);
    return count == 1 ? byte : EOF;
}

FILE *weir_input_open(const char *path, bool stream, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), first = EOF;
    struct stat there;
    FILE *file;
    WEIR_ASSERT(path != NULL);
    *why = NULL;
    if (fd < 0 || fstat(fd, &there) != 0)
        *why = strerror(errno);
    else if (!stream && !S_ISREG(there.st_mode))
        *why = "not a regular file";
    else if (S_ISFIFO(there.st_mode))
        first = first_of_pipe(fd, why);
    if (*why == NULL && fcntl(fd, F_SETFL, 0) != 0) /* clears O_NONBLOCK: from here on reading blocks */
        *why = strerror(errno);
    file = *why == NULL ? fdopen(fd, "rb") : NULL;
    if (file == NULL && *why == NULL)
        *why = strerror(errno);
    if (file == NULL && fd >= 0)
        (void)close(fd);
    if (file != NULL && first != EOF)
        (void)ungetc(first, file);
    return file;
}

char *weir_input_read(const char *path, bool stream, size_t max_bytes, size_t *length, const char **why)
{
    FILE *file = weir_input_open(path, stream, why);
    char *text = file != NULL ? malloc(max_bytes + 2) : NULL;
    *length = 0;
    if (text != NULL) {
        errno = 0;
        *length = fread(text, 1, max_bytes + 1, file);
        text[*length] = '\0';
        if (ferror(file)) {
            *why = strerror(errno);
            free(text);
            text = NULL;
        }
    }
    if (file != NULL)
        (void)fclose(file);
    return text;
}
