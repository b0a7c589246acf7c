/* src/simulator/carrier/buffer.h - bytes that one process of a run sends to another: a buffer that grows, and a cursor
 * that reads one. Processes of a run are of one program on machines of one kind, so values are copied as they are. */
#ifndef WEIR_CARRIER_BUFFER_H
#define WEIR_CARRIER_BUFFER_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct weir_buffer { /* zeros = empty */
    unsigned char *data;
    size_t bytes, room;
    bool out_of_memory; /* something was not put: the content may not be used */
};

static inline void weir_buffer_free(struct weir_buffer *b)
{
    free(b->data);
    *b = (struct weir_buffer){ 0 };
}

/* Makes room for `bytes` more bytes. @return where they begin; NULL = no memory, and b->out_of_memory is set */
static inline void *weir_buffer_grow(struct weir_buffer *b, size_t bytes)
{
    void *at;
    if (b->room - b->bytes < bytes) {
        size_t room = 2 * b->room > b->bytes + bytes ? 2 * b->room : b->bytes + bytes + 1024;
        unsigned char *larger = realloc(b->data, room);
        if (larger == NULL) {
            b->out_of_memory = true;
            return NULL;
        }
        b->data = larger;
        b->room = room;
    }
    at = b->data + b->bytes;
    b->bytes += bytes;
    return at;
}

/* Appends `bytes` bytes. Without memory, sets b->out_of_memory. */
static inline void weir_buffer_put(struct weir_buffer *b, const void *from, size_t bytes)
{
    void *to = bytes > 0 ? weir_buffer_grow(b, bytes) : NULL;
    if (to != NULL)
        memcpy(to, from, bytes);
}

struct weir_cursor { /* what is left of a buffer that is read */
    const unsigned char *at, *end;
};

static inline struct weir_cursor weir_cursor_of(const struct weir_buffer *b)
{
    return (struct weir_cursor){ b->data, b->bytes > 0 ? b->data + b->bytes : b->data };
}

static inline size_t weir_cursor_left(const struct weir_cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* Copies the next `bytes` bytes to *to, which another process of the same program has put there. */
static inline void weir_cursor_take(struct weir_cursor *c, void *to, size_t bytes)
{
    WEIR_ASSERT(weir_cursor_left(c) >= bytes);
    if (bytes == 0)
        return;
    memcpy(to, c->at, bytes);
    c->at += bytes;
}
#endif
