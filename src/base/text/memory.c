#include "text/memory.h"
#include <stdlib.h>

FILE *weir_memory_open(struct weir_memory *memory)
{
    *memory = (struct weir_memory){ 0 };
    memory->file = open_memstream(&memory->bytes, &memory->length);
    return memory->file;
}

bool weir_memory_close(struct weir_memory *memory)
{
    FILE *file = memory->file;
    bool is_whole = file != NULL && ferror(file) == 0;
    memory->file = NULL;
    return file != NULL && fclose(file) == 0 && is_whole;
}

char *weir_memory_text(void (*print)(FILE *out, const void *what), const void *what)
{
    struct weir_memory memory;
    FILE *out = weir_memory_open(&memory);
    if (out != NULL)
        print(out, what);
    if (weir_memory_close(&memory))
        return memory.bytes;
    free(memory.bytes);
    return NULL;
}
