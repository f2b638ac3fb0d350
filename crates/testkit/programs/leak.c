/* Takes memory a little at a time and gives none back: leak BYTES_A_SECOND
 *
 * A hundred steps a second, so that growth looks even at any scale a test looks at. It begins
 * when it gets SIGUSR1: what grows right after its start may be a program that starts, so this
 * one can grow old before.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <string.h>

#define STEPS 100

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: leak BYTES_A_SECOND\n");
        return 2;
    }
    sigset_t begin;
    int signal;
    sigemptyset(&begin);
    sigaddset(&begin, SIGUSR1);
    sigprocmask(SIG_BLOCK, &begin, NULL);
    /* While it waits it dies with its parent only: its turn may come late. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    puts("waits");
    fflush(stdout);
    sigwait(&begin, &signal);
    bound_this_life();
    size_t step = strtoul(argv[1], NULL, 10) / STEPS;
    for (int64_t next = now_ns();; next += 1000000000 / STEPS) {
        char *memory = malloc(step);
        if (!memory)
            die("malloc");
        memset(memory, 1, step);
        sleep_until_ns(next);
    }
}
