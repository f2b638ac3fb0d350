/* Starts processes that end at once, without end: fork_storm AT_A_TIME */
#define _GNU_SOURCE
#include "bounded.h"
#include <sys/wait.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fork_storm AT_A_TIME\n");
        return 2;
    }
    bound_this_life();
    int at_a_time = atoi(argv[1]);
    for (int running = 0;; running++) {
        pid_t child = fork();
        if (child < 0)
            die("fork");
        if (child == 0) {
            spin_for_ns(20000);
            _exit(0);
        }
        if (running >= at_a_time) {
            wait(NULL);
            running--;
        }
    }
}
