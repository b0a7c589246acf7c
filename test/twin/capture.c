/* test/twin/capture.c - see capture.h. */
#include "test/twin/capture.h"
#include "core/assert.h"
#include "core/math.h"
#include "text/pcapng_format.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 28 /* of a packet's block, before its bytes */ };

static uint32_t word(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

/* Reads the options of a packet. @return false = they are not those that a switch writes */
static bool read_options(struct capture_frame *f, const unsigned char *at, const unsigned char *end)
{
    static const char verb[] = "dropped: ";
    bool has_flags = false, has_cause = false;
    while (end - at >= 4 && word(at) != WEIR_PCAPNG_OPT_END) {
        uint32_t option = word(at) & 0xffff, length = word(at) >> 16;
        const unsigned char *value = at + 4;
        if ((size_t)(end - value) < ((length + 3) & ~3u))
            return false;
        if (option == WEIR_PCAPNG_OPT_FLAGS && length == 4) {
            has_flags = true;
            f->event = word(value) == WEIR_PCAPNG_INBOUND    ? WEIR_SOFT_CAME
                       : word(value) == WEIR_PCAPNG_OUTBOUND ? WEIR_SOFT_LEFT
                                                             : WEIR_SOFT_DROPPED;
        }
        for (uint32_t c = 0; c < WEIR_SOFT_CAUSES && option == WEIR_PCAPNG_OPT_COMMENT; c++)
            if (length == sizeof(verb) - 1 + strlen(weir_soft_causes[c]) &&
                memcmp(value, verb, sizeof(verb) - 1) == 0 &&
                memcmp(value + sizeof(verb) - 1, weir_soft_causes[c], length - (sizeof(verb) - 1)) == 0) {
                has_cause = true;
                f->cause = (enum weir_soft_cause)c;
            }
        at = value + ((length + 3) & ~3u);
    }
    return has_flags && has_cause == (f->event == WEIR_SOFT_DROPPED);
}

/* Reads a block of `size` bytes. @return NULL, or what is wrong */
static const char *read_block(struct capture *c, unsigned char *at, uint32_t size)
{
    struct capture_frame *f = &c->frame[c->frames];
    if (word(at) == WEIR_PCAPNG_INTERFACE) {
        if (size < 24 || word(at + size - 12) != WEIR_PCAPNG_PICOSECONDS)
            return "an interface without picoseconds";
        c->hosts++;
    }
    if (word(at) != WEIR_PCAPNG_PACKET)
        return NULL;
    if (size < HEAD + 4)
        return "a short packet";
    *f = (struct capture_frame){ .at_ps = (uint64_t)word(at + 12) << 32 | word(at + 16),
                                 .bytes = at + HEAD,
                                 .length = word(at + 20),
                                 .host = word(at + 8) };
    if (f->host >= c->hosts || f->length != word(at + 24) || f->length > size - HEAD - 4)
        return "a packet that is not whole";
    if (!read_options(f, f->bytes + ((f->length + 3) & ~3u), at + size - 4))
        return "a packet without direction, or with another cause";
    c->last_ps = weir_max_u64(c->last_ps, f->at_ps);
    c->frames++;
    return NULL;
}

static const char *read_blocks(struct capture *c, size_t size)
{
    const char *wrong = NULL;
    for (size_t at = 0; at < size && wrong == NULL;) {
        uint32_t block = size - at >= 12 ? word(c->data + at + 4) : 0;
        if (block < 12 || block % 4 != 0 || block > size - at)
            return "a block that is not whole";
        wrong = read_block(c, c->data + at, block);
        at += block;
    }
    return wrong;
}

const char *capture_read(struct capture *c, const char *path)
{
    const char *wrong = "cannot be read";
    FILE *file = fopen(path, "rbe");
    long size = 0;
    *c = (struct capture){ 0 };
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
        c->data = malloc((size_t)size);
        c->frame = malloc(((size_t)size / (HEAD + 4) + 1) * sizeof(*c->frame));
        WEIR_ASSERT(c->data != NULL && c->frame != NULL);
        if (fread(c->data, 1, (size_t)size, file) == (size_t)size)
            wrong = read_blocks(c, (size_t)size);
    }
    if (file != NULL)
        (void)fclose(file);
    if (wrong != NULL)
        capture_free(c);
    return wrong;
}

void capture_free(struct capture *c)
{
    free(c->data);
    free(c->frame);
    *c = (struct capture){ 0 };
}
