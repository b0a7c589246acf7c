/* src/transport/driver/insn.h - BPF instructions for programs that are so small that the build needs no compiler for
 * BPF. Included by the files that have such a program alone: the names are short. */
#ifndef WEIR_DRIVER_INSN_H
#define WEIR_DRIVER_INSN_H
#include <linux/bpf.h>

/* The masks say to the compiler that a register fits its four bits. */
#define INSN(c, d, s, o, i)                                                                                            \
    {                                                                                                                  \
        .code = (c), .dst_reg = (d)&15u, .src_reg = (s)&15u, .off = (o), .imm = (i)                                    \
    }
#define LOAD(size, d, s, o) INSN(BPF_LDX | BPF_MEM | (size), d, s, o, 0)
#define MOVE(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define AND(d, i) INSN(BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, i)
#define UNLESS_EQUAL(d, i, skip) INSN(BPF_JMP32 | BPF_JNE | BPF_K, d, 0, skip, i)
#define IF_ABOVE(d, s, skip) INSN(BPF_JMP | BPF_JGT | BPF_X, d, s, skip, 0)
#define CALL(i) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, i)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#endif
