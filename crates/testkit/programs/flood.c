/* Sends datagrams: flood ADDRESS PORT PACKETS_A_SECOND
 *
 * A failing send is none of its business: the way may be the trouble.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <sys/socket.h>

#define BURSTS 100

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: flood ADDRESS PORT PACKETS_A_SECOND\n");
        return 2;
    }
    bound_this_life();
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(atoi(argv[2])) };
    if (inet_pton(AF_INET, argv[1], &to.sin_addr) != 1)
        die(argv[1]);
    int burst = atoi(argv[3]) / BURSTS, sender = socket(AF_INET, SOCK_DGRAM, 0);
    char data[100] = { 0 };
    for (;;) {
        for (int i = 0; i < burst; i++)
            sendto(sender, data, sizeof data, 0, (struct sockaddr *)&to, sizeof to);
        usleep(1000000 / BURSTS);
    }
}
