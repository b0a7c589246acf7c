/* src/transport/driver/xdp_prog.c - the XDP program, written as BPF instructions: it is so small that the build needs
 * no compiler for BPF. */
#define _GNU_SOURCE
#include "driver/xdp_prog.h"
#include "driver/insn.h"
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <string.h>
#include <unistd.h>

static int load_insns(const struct bpf_insn *insns, size_t count)
{
    struct bpf_prog_load_opts opts = { .sz = sizeof(opts), .expected_attach_type = BPF_XDP };
    return bpf_prog_load(BPF_PROG_TYPE_XDP, "weir", "BSD", insns, count, &opts);
}

/* Loads the program. Its meaning in C, for a frame that is a whole UDP datagram in IPv4 without options to ip and port:
 *     return bpf_redirect_map(&map, ctx->rx_queue_index, XDP_PASS);
 * and for any other frame: return XDP_PASS. Fields of the frame are compared in network byte order.
 * @return a descriptor, or a negative errno */
static int load(int map, const struct weir_net_addr *to)
{
    uint32_t ip;
    memcpy(&ip, to->ip, sizeof(ip));
    const struct bpf_insn insns[] = {
        MOVE(6, 1),
        LOAD(BPF_W, 2, 6, offsetof(struct xdp_md, data)),
        LOAD(BPF_W, 3, 6, offsetof(struct xdp_md, data_end)),
        MOVE(4, 2),
        ADD(4, 42), /* Ethernet, IPv4, UDP */
        IF_ABOVE(4, 3, 19),
        LOAD(BPF_H, 5, 2, 12),
        UNLESS_EQUAL(5, htons(0x0800), 17), /* Ethernet: IPv4 */
        LOAD(BPF_B, 5, 2, 14),
        UNLESS_EQUAL(5, 0x45, 15), /* version 4, 20 bytes */
        LOAD(BPF_B, 5, 2, 23),
        UNLESS_EQUAL(5, IPPROTO_UDP, 13),
        LOAD(BPF_H, 5, 2, 20),
        AND(5, htons(0x3fff)),
        UNLESS_EQUAL(5, 0, 10), /* a fragment: more follow, or not the first */
        LOAD(BPF_W, 5, 2, 30),
        UNLESS_EQUAL(5, (int32_t)ip, 8),
        LOAD(BPF_H, 5, 2, 36),
        UNLESS_EQUAL(5, htons(to->port), 6),
        LOAD(BPF_W, 2, 6, offsetof(struct xdp_md, rx_queue_index)),
        INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
        INSN(0, 0, 0, 0, 0), /* second half of the 64-bit load above */
        SET(3, XDP_PASS),
        CALL(BPF_FUNC_redirect_map),
        EXIT(),
        SET(0, XDP_PASS),
        EXIT(),
    };
    return load_insns(insns, sizeof(insns) / sizeof(*insns));
}

/* Loads the program that redirects every frame. @return a descriptor, or a negative errno */
static int load_all(int map)
{
    const struct bpf_insn insns[] = {
        LOAD(BPF_W, 2, 1, offsetof(struct xdp_md, rx_queue_index)),
        INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
        INSN(0, 0, 0, 0, 0), /* second half of the 64-bit load above */
        SET(3, XDP_PASS),
        CALL(BPF_FUNC_redirect_map),
        EXIT(),
    };
    return load_insns(insns, sizeof(insns) / sizeof(*insns));
}

/* Attaches the program: in the device's driver if that can, else in the generic hook. Sets prog->native. @return a
 * descriptor, or a negative errno */
static int attach(struct weir_xdp_prog *prog, uint32_t device)
{
    static const struct bpf_link_create_opts native = { .sz = sizeof(native), .flags = XDP_FLAGS_DRV_MODE },
                                             generic = { .sz = sizeof(generic), .flags = XDP_FLAGS_SKB_MODE };
    int link = bpf_link_create(prog->prog, (int)device, BPF_XDP, &native);
    prog->native = link >= 0;
    if (link == -EBUSY || link == -EPERM || link == -EEXIST || link >= 0)
        return link == -EEXIST ? -EBUSY : link;
    link = bpf_link_create(prog->prog, (int)device, BPF_XDP, &generic);
    return link == -EEXIST ? -EBUSY : link;
}

int weir_xdp_prog_attach(struct weir_xdp_prog *prog, uint32_t device, const struct weir_net_addr *to)
{
    *prog = (struct weir_xdp_prog){ .map = -1, .prog = -1, .link = -1 };
    prog->map = bpf_map_create(BPF_MAP_TYPE_XSKMAP, "weir", sizeof(uint32_t), sizeof(uint32_t), WEIR_XDP_QUEUES, NULL);
    if (prog->map < 0)
        return prog->map;
    prog->prog = to != NULL ? load(prog->map, to) : load_all(prog->map);
    if (prog->prog < 0)
        return prog->prog;
    prog->link = attach(prog, device);
    return prog->link < 0 ? prog->link : 0;
}

int weir_xdp_prog_steer(struct weir_xdp_prog *prog, uint32_t queue, int socket)
{
    return bpf_map_update_elem(prog->map, &queue, &socket, BPF_ANY);
}

void weir_xdp_prog_detach(struct weir_xdp_prog *prog)
{
    const int fds[] = { prog->link, prog->prog, prog->map };
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    *prog = (struct weir_xdp_prog){ .map = -1, .prog = -1, .link = -1 };
}
