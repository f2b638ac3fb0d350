/* A TCP connection over a link that loses packets: lossy_link LOSE_ONE_IN
 *
 * In a network namespace of its own, so that nothing of the machine is touched. The link
 * is a tun device whose far end is this program: it sends every packet back with the two
 * addresses exchanged, so that the machine talks to itself over it (the exchange leaves
 * the checksums right), and drops one in LOSE_ONE_IN. Prints a line when data flows.
 * Needs root.
 */
#define _GNU_SOURCE
#include "tunnel.h"
#include <pthread.h>
#include <sched.h>

#define PORT 7777

static int lose_one_in;

static void *send_back(void *unused)
{
    static unsigned char packet[65536];
    prctl(PR_SET_NAME, "far-end");
    for (long n = 1;; n++) {
        ssize_t bytes = read(link_end, packet, sizeof packet);
        if (bytes < 0)
            die("read from the link");
        if (bytes < 20 || packet[0] >> 4 != 4 || n % lose_one_in == 0)
            continue;
        unsigned char source[4];
        memcpy(source, packet + 12, 4);
        memcpy(packet + 12, packet + 16, 4);
        memcpy(packet + 16, source, 4);
        if (write(link_end, packet, bytes) != bytes)
            die("write to the link");
    }
    return unused;
}

static struct sockaddr_in at(const char *address)
{
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    inet_pton(AF_INET, address, &in.sin_addr);
    return in;
}

static void *receive(void *listener)
{
    static char data[65536];
    prctl(PR_SET_NAME, "receiver");
    int connection = accept(*(int *)listener, NULL, NULL);
    if (connection < 0)
        die("accept");
    if (recv(connection, data, sizeof data, 0) > 0) {
        puts("data flows");
        fflush(stdout);
    }
    while (recv(connection, data, sizeof data, 0) > 0)
        ;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2 || (lose_one_in = atoi(argv[1])) < 2) {
        fprintf(stderr, "usage: lossy_link LOSE_ONE_IN\n");
        return 2;
    }
    bound_this_life();
    if (unshare(CLONE_NEWNET))
        die("make a network namespace");
    make_link();
    struct sockaddr_in near_end = at(NEAR), far_end = at(FAR);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&near_end, sizeof near_end) || listen(listener, 1))
        die("listen");
    pthread_t thread;
    if (pthread_create(&thread, NULL, send_back, NULL) || pthread_create(&thread, NULL, receive, &listener))
        die("pthread_create");
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&far_end, sizeof far_end))
        die("connect");
    static char data[65536];
    for (;;)
        if (send(connection, data, sizeof data, 0) < 0)
            die("send");
}
