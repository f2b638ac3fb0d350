/* Takes one datagram in 10 ms, of however many arrive: slow_receiver
 *
 * Prints the UDP port of this machine that it listens at.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <sys/socket.h>

int main(void)
{
    bound_this_life();
    int socket_fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    if (bind(socket_fd, (struct sockaddr *)&address, length))
        die("bind");
    if (getsockname(socket_fd, (struct sockaddr *)&address, &length))
        die("getsockname");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        char datagram[2048];
        if (recv(socket_fd, datagram, sizeof datagram, 0) < 0)
            die("recv");
        usleep(10000);
    }
}
