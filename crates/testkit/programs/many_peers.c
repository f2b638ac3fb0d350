/* Sends one datagram each to ever other addresses of this machine: many_peers PACKETS_A_SECOND
 *
 * To a firewall that tracks connections each is a new one.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <sys/socket.h>

#define BURSTS 100

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: many_peers PACKETS_A_SECOND\n");
        return 2;
    }
    bound_this_life();
    int burst = atoi(argv[1]) / BURSTS, sender = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7777) };
    /* All of 127/8 is this machine. */
    for (uint32_t peer = 1;;) {
        for (int i = 0; i < burst; i++, peer = peer % 0xfffff0 + 1) {
            to.sin_addr.s_addr = htonl(0x7f000000 + peer);
            sendto(sender, "", 1, 0, (struct sockaddr *)&to, sizeof to);
        }
        usleep(1000000 / BURSTS);
    }
}
