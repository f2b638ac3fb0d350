/* Serves a file of 64 MiB, `file` in the empty folder PATH, that takes MS milliseconds for
 * every read; says `ready` when it is there. */
#define _GNU_SOURCE
#include "fuse_server.h"

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    bound_this_life();
    answer_us = atol(argv[2]) * 1000;
    file_bytes = 64 << 20;
    mount_here_at(argv[1]);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
