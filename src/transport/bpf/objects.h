/* src/transport/bpf/objects.h - the programs for the kernel as they lie in this binary. */
#ifndef WEIR_BPF_OBJECTS_H
#define WEIR_BPF_OBJECTS_H
#include <stddef.h>

struct weir_bpf_object { /* a compiled NAME.bpf.c */
    const char *name;    /* NULL ends the table */
    const unsigned char *bytes;
    size_t size;
};
extern const struct weir_bpf_object weir_bpf_objects[];
#endif
