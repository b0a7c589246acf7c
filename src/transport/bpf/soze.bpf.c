/* src/transport/bpf/soze.bpf.c - Soze in the kernel's TCP: proto/soze, fed by TCP's ACKs and by the delays that
 * switches write into the option of option.h. */
#include "bpf/soze_law.h"
#include "bpf/tcp_law.h"
#include "bpf/tcp_option.h"
#include "bpf/tcp_weights.h"

LAW_OPS("weir_soze", 0);
