/* Children that take memory until the kernel kills them, one after the other: grow BYTES_A_STEP
 *
 * Prints a line at each death.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <string.h>
#include <sys/wait.h>

static void take_memory(size_t step)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "grow-child");
    for (;;) {
        char *memory = malloc(step);
        if (!memory)
            die("malloc");
        memset(memory, 1, step);
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: grow BYTES_A_STEP\n");
        return 2;
    }
    bound_this_life();
    for (;;) {
        pid_t child = fork();
        if (child < 0)
            die("fork");
        if (!child)
            take_memory(strtoul(argv[1], NULL, 10));
        int status;
        if (waitpid(child, &status, 0) != child)
            die("waitpid");
        if (!WIFSIGNALED(status))
            return 1;
        puts("killed");
        fflush(stdout);
        /* Some kills a second are enough. */
        usleep(300000);
    }
}
