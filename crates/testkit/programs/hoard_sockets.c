/* Processes that make sockets and close none, up to a bound: hoard_sockets BYTES
 *
 * The kernel keeps about 2 kB for each end of a pair. They make them over twenty seconds,
 * so that a short window sees even growth, and then hold them. As many processes as the
 * limit on open files asks for.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <sys/resource.h>
#include <sys/socket.h>

#define BYTES_OF_A_PAIR 4096
#define STEPS 1000
#define STEP_NS 20000000

static void hoard(long pairs)
{
    int64_t next = now_ns();
    for (long step = 0, made = 0; step < STEPS; step++) {
        int pair[2];
        for (; made < pairs * (step + 1) / STEPS; made++)
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
                die("socketpair");
        next += STEP_NS;
        sleep_until_ns(next);
    }
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: hoard_sockets BYTES\n");
        return 2;
    }
    bound_this_life();
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files))
        die("raise the limit on open files");
    long pairs = strtol(argv[1], NULL, 10) / BYTES_OF_A_PAIR;
    long of_a_process = ((long)files.rlim_max - 100) / 2;
    long processes = pairs / of_a_process + 1;
    for (long i = 1; i < processes; i++) {
        pid_t child = fork();
        if (child < 0)
            die("fork");
        if (!child) {
            bound_this_life();
            hoard(pairs / processes);
        }
    }
    hoard(pairs / processes);
}
