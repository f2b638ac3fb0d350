/* Connects to a port of this machine without end: knock PORT
 *
 * Eight connections are tried at a time and given up after 200 ms, as clients with a
 * short deadline do.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#define AT_A_TIME 8

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: knock PORT\n");
        return 2;
    }
    bound_this_life();
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(atoi(argv[1])),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    for (;;) {
        int tries[AT_A_TIME];
        for (int i = 0; i < AT_A_TIME; i++) {
            tries[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
            if (connect(tries[i], (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS)
                die("connect");
        }
        usleep(200000);
        for (int i = 0; i < AT_A_TIME; i++)
            close(tries[i]);
    }
}
