/* src/transport/bpf/law_keys.h - the keys of a law in the kernel: from "soze m=0.25" and the rate of the slowest port. */
#ifndef WEIR_BPF_LAW_KEYS_H
#define WEIR_BPF_LAW_KEYS_H
#include "bpf/law_loader.h"

/* Fills the keys and the name of the law, and finds its protocol. @return 0, or a code with err */
int weir_law_keys_read(const struct weir_law_options *options, struct weir_law_loaded *loaded, struct weir_err *err);
#endif
