/* Listens and never accepts: deaf_listener
 *
 * Prints the port that the kernel gave it on 127.0.0.1; the backlog is 1.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <sys/socket.h>

int main(void)
{
    bound_this_life();
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1))
        die("listen");
    if (getsockname(listener, (struct sockaddr *)&address, &length))
        die("getsockname");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;)
        pause();
}
