/* Lets clients connect all at once to a listener that is busy for a moment: connection_storm CLIENTS
 *
 * The listener asks for a queue that holds all of them; how long it is, net.core.somaxconn decides. Who
 * finds it full asks again a second later. Prints how long it took until each had been accepted.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

#define MOST_CLIENTS 500
#define BUSY_US 20000

int main(int argc, char **argv)
{
    int clients = argc == 2 ? atoi(argv[1]) : 0;
    if (clients < 1 || clients > MOST_CLIENTS) {
        fprintf(stderr, "usage: connection_storm CLIENTS, %d at most\n", MOST_CLIENTS);
        return 2;
    }
    bound_this_life();
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, clients) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        die("listen");
    int64_t began = now_ns();
    for (int at = 0; at < clients; at++) {
        int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (connect(client, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS)
            die("connect");
    }
    usleep(BUSY_US);
    for (int at = 0; at < clients; at++)
        if (accept(listener, NULL, NULL) < 0)
            die("accept");
    printf("accepted in %.6f s\n", (now_ns() - began) / 1e9);
    return 0;
}
