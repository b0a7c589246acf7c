/* src/commands/web/platform.wasm.c - the platform layer of the WebAssembly module: what JavaScript calls, what it is
 * called with, and what a page lacks of POSIX. In no native build; tools/web compiles it. */
#include "core/assert.h"
#include "state/arena.h"
#include "web/module.h"
#include "web/posix.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("weir"), import_name(name)))

/* JavaScript's functions. Times are in picoseconds; -1 = the run ends with its last message. */
IMPORT("frame") void weir_js_frame(const double *value, uint32_t count);
IMPORT("progress")
void weir_js_progress(double now_ps, double end_ps, double hops, double started, double completed);
IMPORT("out_of_memory") _Noreturn void weir_js_out_of_memory(void);

/* --- POSIX --- */

int pthread_create(pthread_t *id, const void *attributes, void *(*start)(void *), void *arg)
{
    (void)id, (void)attributes, (void)start, (void)arg;
    return 1;
}

int pthread_join(pthread_t id, void **result)
{
    (void)id, (void)result;
    return 0;
}

int pthread_cancel(pthread_t id)
{
    (void)id;
    return 0;
}

_Noreturn void longjmp(jmp_buf to, int value)
{
    (void)to, (void)value;
    weir_js_out_of_memory();
}

_Noreturn void weir_assert_failed(const char *file, int line, const char *condition)
{
    (void)condition;
    (void)fprintf(stderr, "%s:%d: an assertion does not hold\n", file, line);
    abort();
}

/* --- memory: in the place of state/arena.c, which maps blocks and lets the kernel clear them --- */

enum { ALIGN = 64, BLOCK_BYTES = 1 << 20 };

struct weir_arena_block {
    struct weir_arena_block *older;
};

/* Allocates a zeroed block with room for `payload` bytes. @return the first byte of the room; NULL = no memory */
static unsigned char *arena_block(struct weir_arena *arena, size_t payload)
{
    struct weir_arena_block *block = payload > SIZE_MAX - ALIGN ? NULL : aligned_alloc(ALIGN, payload + ALIGN);
    if (block == NULL)
        return NULL;
    memset(block, 0, payload + ALIGN);
    block->older = arena->block;
    arena->block = block;
    return (unsigned char *)block + ALIGN;
}

void *weir_arena_take(void *ctx, size_t size)
{
    struct weir_arena *arena = ctx;
    unsigned char *got;
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (size > BLOCK_BYTES / 4) {
        got = arena_block(arena, size);
    } else {
        if ((size_t)(arena->end - arena->next) < size) {
            arena->next = arena_block(arena, BLOCK_BYTES);
            arena->end = arena->next != NULL ? arena->next + BLOCK_BYTES : NULL;
        }
        got = arena->next;
        arena->next = got != NULL ? got + size : NULL;
    }
    arena->used_bytes += got != NULL ? size : 0;
    return got;
}

void weir_arena_free(struct weir_arena *arena)
{
    while (arena->block != NULL) {
        struct weir_arena_block *older = arena->block->older;
        free(arena->block);
        arena->block = older;
    }
    arena->next = arena->end = NULL;
}

/* --- what JavaScript calls. There is one simulation at a time. --- */

static struct weir_web *web;
static char *text; /* the last text that was asked for; owned */
static size_t text_length;

/* Returns memory for a text, which JavaScript fills. */
EXPORT("weir_take") void *weir_wasm_take(size_t size)
{
    return malloc(size);
}

EXPORT("weir_give") void weir_wasm_give(void *memory)
{
    free(memory);
}

EXPORT("weir_text") const char *weir_wasm_text(void)
{
    return text;
}

EXPORT("weir_text_length") size_t weir_wasm_text_length(void)
{
    return text_length;
}

static FILE *text_open(void)
{
    FILE *out;
    free(text);
    text = NULL;
    text_length = 0;
    out = open_memstream(&text, &text_length);
    if (out == NULL)
        weir_js_out_of_memory();
    return out;
}

static int refused(const struct weir_err *err)
{
    FILE *out = text_open();
    weir_web_refusal(out, err);
    (void)fclose(out);
    return err->code;
}

/* Opens a scenario. set: set_count settings, a text after the other. @return 0, and the text is its description; or a
 * code, and the text is the refusal */
EXPORT("weir_open")
int weir_wasm_open(const char *scenario, size_t length, const char *law, const char *set, uint32_t set_count)
{
    struct weir_override *each = calloc((size_t)set_count + 1, sizeof(*each));
    const struct weir_web_source source = { scenario, length, law, each, set_count };
    struct weir_err err = { 0 };
    FILE *out;
    int code;
    if (each == NULL)
        weir_js_out_of_memory();
    for (uint32_t i = 0; i < set_count; i++, set += strlen(set) + 1)
        each[i].text = set;
    weir_web_close(web);
    web = NULL;
    code = weir_web_open(&web, &source, &err);
    free(each);
    if (code != 0)
        return refused(&err);
    out = text_open();
    weir_web_describe(out, web);
    (void)fclose(out);
    return 0;
}

static void give_frame(void *ctx, const double *value, uint32_t count)
{
    (void)ctx;
    weir_js_frame(value, count);
}

static void give_progress(void *ctx, const struct weir_progress *p)
{
    (void)ctx;
    weir_js_progress((double)p->now_ps, p->end_ps == UINT64_MAX ? -1 : (double)p->end_ps, (double)p->packet_hops,
                     (double)p->messages_started, (double)p->messages_completed);
}

/* Runs the open scenario. @return 0, and the text is what `weir run --json` prints; or a code, and the refusal */
EXPORT("weir_run") int weir_wasm_run(void)
{
    static const struct weir_web_sink sink = { .frame = give_frame, .progress = give_progress };
    struct weir_err err = { 0 };
    FILE *out;
    WEIR_ASSERT(web != NULL);
    if (weir_web_run(web, &sink, &err) != 0)
        return refused(&err);
    out = text_open();
    weir_web_result(out, web);
    (void)fclose(out);
    return 0;
}

/* Runs the open scenario until a time. packet: "" = what packets did at that time. @return 0, and the text is what
 * `weir run --digest-until` prints; or a code, and the refusal */
EXPORT("weir_packets") int weir_wasm_packets(uint64_t until_ps, const char *packet)
{
    struct weir_err err = { 0 };
    FILE *out;
    int code;
    WEIR_ASSERT(web != NULL);
    out = text_open();
    code = weir_web_packets(web, until_ps, packet[0] != '\0' ? packet : NULL, out, &err);
    (void)fclose(out);
    return code != 0 ? refused(&err) : 0;
}

/* Makes the file of `weir run --links` the text, after a run. */
EXPORT("weir_links") void weir_wasm_links(void)
{
    FILE *out = text_open();
    (void)weir_web_links(out, web);
    (void)fclose(out);
}

/* Makes the distribution of slowdown the text, after a run. */
EXPORT("weir_slowdown") void weir_wasm_slowdown(void)
{
    FILE *out = text_open();
    weir_web_slowdown(out, web);
    (void)fclose(out);
}

/* Makes the list of laws the text. */
EXPORT("weir_laws") void weir_wasm_laws(void)
{
    FILE *out = text_open();
    weir_web_laws(out);
    (void)fclose(out);
}
