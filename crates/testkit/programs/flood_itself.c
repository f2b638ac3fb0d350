/* Sends datagrams to a socket of its own and reads them: flood_itself
 *
 * Over the loopback the kernel receives a packet on the CPU that sent it, in a soft
 * interrupt: bound to one CPU, this program makes one CPU serve them all. Sixty datagrams
 * leave as one packet (UDP_SEGMENT, since 4.18) and are taken apart on arrival, so that
 * receiving them is the greater part of the work.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

enum { DATAGRAMS = 60, BYTES = 16 };

int main(void)
{
    bound_this_life();
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(receiver, (struct sockaddr *)&address, sizeof address)
        || getsockname(receiver, (struct sockaddr *)&address, &length))
        die("bind");
    if (connect(sender, (struct sockaddr *)&address, length))
        die("connect");
    int bytes = BYTES;
    if (setsockopt(sender, IPPROTO_UDP, UDP_SEGMENT, &bytes, sizeof bytes))
        die("UDP_SEGMENT");
    char packet[DATAGRAMS * BYTES] = { 0 };
    static char received[DATAGRAMS][BYTES];
    struct iovec places[DATAGRAMS];
    struct mmsghdr messages[DATAGRAMS];
    for (int i = 0; i < DATAGRAMS; i++) {
        places[i] = (struct iovec){ received[i], BYTES };
        messages[i] = (struct mmsghdr){ .msg_hdr = { .msg_iov = &places[i], .msg_iovlen = 1 } };
    }
    for (;;)
        if (send(sender, packet, sizeof packet, 0) < 0)
            die("send");
        else if (recvmmsg(receiver, messages, DATAGRAMS, MSG_DONTWAIT, NULL) < 0 && errno != EAGAIN)
            die("recvmmsg");
}
