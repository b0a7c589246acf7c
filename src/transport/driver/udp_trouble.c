/* src/transport/driver/udp_trouble.c - see udp_trouble.h. */
#define _GNU_SOURCE
#include "driver/udp_trouble.h"
#include <errno.h>
#include <linux/errqueue.h>
#include <string.h>

void weir_udp_trouble_ask(int fd, bool six)
{
    int on = 1;
    (void)setsockopt(fd, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_RECVERR : IP_RECVERR, &on, sizeof(on));
}

bool weir_udp_trouble_is(int error)
{
    return error == ECONNREFUSED || error == EMSGSIZE || error == EHOSTUNREACH || error == ENETUNREACH ||
           error == EHOSTDOWN || error == EPROTO || error == EACCES;
}

bool weir_udp_trouble_read(int fd, struct weir_net_trouble *out)
{
    union { /* aligned as a header */
        struct cmsghdr head;
        char bytes[256];
    } control;
    struct sockaddr_storage to;
    struct iovec quoted = { out->quoted, sizeof(out->quoted) };
    struct msghdr msg = { .msg_name = &to,
                          .msg_namelen = sizeof(to),
                          .msg_iov = &quoted,
                          .msg_iovlen = 1,
                          .msg_control = &control,
                          .msg_controllen = sizeof(control) };
    struct sock_extended_err report = { 0 };
    ssize_t length = recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT);
    if (length < 0)
        return false;
    for (struct cmsghdr *at = CMSG_FIRSTHDR(&msg); at != NULL; at = CMSG_NXTHDR(&msg, at))
        if ((at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_RECVERR) ||
            (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_RECVERR))
            memcpy(&report, CMSG_DATA(at), sizeof(report));
    if (weir_net_addr_from(&out->to, (struct sockaddr *)&to, msg.msg_namelen) != 0)
        out->to = (struct weir_net_addr){ 0 };
    out->error = (int)report.ee_errno;
    out->mtu = out->error == EMSGSIZE ? report.ee_info : 0;
    out->local = report.ee_origin == SO_EE_ORIGIN_LOCAL;
    out->quoted_bytes = out->local ? 0 : (uint32_t)length;
    return true;
}
