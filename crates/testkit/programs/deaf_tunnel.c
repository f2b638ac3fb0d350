/* A tunnel that takes a hundred packets a second, of the two thousand that are sent: deaf_tunnel
 *
 * In a network namespace of its own. Prints a line when the queue to the tunnel is full
 * and the kernel drops what is sent after. Needs root.
 */
#define _GNU_SOURCE
#include "tunnel.h"
#include <pthread.h>
#include <sched.h>

static void *take_some(void *unused)
{
    static char packet[65536];
    prctl(PR_SET_NAME, "far-end");
    for (;;) {
        if (read(link_end, packet, sizeof packet) < 0)
            die("read from the link");
        usleep(10000);
    }
    return unused;
}

/* Packets that the kernel dropped because the far end had not taken those before. */
static long dropped(void)
{
    char line[512];
    long drops = 0;
    FILE *interfaces = fopen("/proc/self/net/dev", "r");
    if (!interfaces)
        die("/proc/self/net/dev");
    while (fgets(line, sizeof line, interfaces)) {
        char *numbers = strstr(line, "tun0:");
        if (numbers)
            sscanf(numbers + 5, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld", &drops);
    }
    fclose(interfaces);
    return drops;
}

int main(void)
{
    bound_this_life();
    if (unshare(CLONE_NEWNET))
        die("make a network namespace");
    make_link();
    pthread_t thread;
    if (pthread_create(&thread, NULL, take_some, NULL))
        die("pthread_create");
    struct sockaddr_in far_end = { .sin_family = AF_INET, .sin_port = htons(7777) };
    inet_pton(AF_INET, FAR, &far_end.sin_addr);
    int sender = socket(AF_INET, SOCK_DGRAM, 0);
    int told = 0;
    char data[100] = { 0 };
    for (long n = 0;; n++) {
        sendto(sender, data, sizeof data, 0, (struct sockaddr *)&far_end, sizeof far_end);
        if (n % 20 == 19)
            usleep(10000);
        if (!told && n % 200 == 0 && dropped() > 200) {
            told = 1;
            puts("packets are dropped");
            fflush(stdout);
        }
    }
}
