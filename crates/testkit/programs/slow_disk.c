/* A slow disk in memory: slow_disk PATH MIB US MIB_A_SECOND
 *
 * Serves a file of so many MiB, `file` in the empty folder PATH, that keeps what is written to
 * it. Requests are served one after the other, each in US microseconds and the time that its
 * bytes take: what a disk with one head, or a small volume of a cloud, does. Says `ready`; it
 * is fast, so that it can be filled, until SIGUSR1.
 */
#define _GNU_SOURCE
#include "fuse_server.h"
#include <sys/mman.h>

static void slow_down(int signal)
{
    (void)signal;
    *is_slow = 1;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    bound_this_life();
    file_bytes = strtoull(argv[2], NULL, 10) << 20;
    answer_us = atol(argv[3]);
    bytes_per_s = strtoull(argv[4], NULL, 10) << 20;
    store = memfd_create("slow_disk", MFD_CLOEXEC);
    if (store < 0 || ftruncate(store, file_bytes))
        die("memory of the disk");
    is_slow = mmap(NULL, sizeof *is_slow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (is_slow == MAP_FAILED)
        die("mmap");
    signal(SIGUSR1, slow_down);
    mount_here_at(argv[1]);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
