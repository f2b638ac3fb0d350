/* Takes kernel objects in waves and gives them all back: waves_of_objects PAIRS
 *
 * Fills the queues of so many pairs of sockets with messages of one byte, each of which is two
 * objects of the kernel, and then empties them all: the stock of no CPU is large enough for a wave.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <sys/resource.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: waves_of_objects PAIRS\n");
        return 2;
    }
    bound_this_life();
    int pairs = atoi(argv[1]), (*pair)[2] = calloc(pairs, sizeof *pair);
    if (!pair)
        die("calloc");
    for (int i = 0; i < pairs; i++)
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair[i]))
            die("socketpair");
    char byte = 1;
    for (;;) {
        for (int i = 0; i < pairs; i++)
            while (send(pair[i][0], &byte, 1, 0) == 1)
                ;
        for (int i = 0; i < pairs; i++)
            while (recv(pair[i][1], &byte, 1, 0) == 1)
                ;
    }
}
