/* Sends a thousand datagrams a second to a port of this machine: send_datagrams PORT */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: send_datagrams PORT\n");
        return 2;
    }
    bound_this_life();
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(atoi(argv[1])),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int socket_fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (connect(socket_fd, (struct sockaddr *)&address, sizeof address))
        die("connect");
    for (;;) {
        char datagram[1000] = { 0 };
        for (int i = 0; i < 10; i++)
            send(socket_fd, datagram, sizeof datagram, 0);
        usleep(10000);
    }
}
