/* Two tasks that hand a byte to and fro over two pipes on one CPU: pingpong SECONDS
 *
 * The worst case for anything that runs at every context switch. Prints wall and CPU
 * nanoseconds for each switch: WALL_NS CPU_NS SWITCHES
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void pin_to_first_cpu(void)
{
    cpu_set_t allowed, one;
    int first = 0;
    sched_getaffinity(0, sizeof allowed, &allowed);
    while (!CPU_ISSET(first, &allowed))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one))
        die("sched_setaffinity");
}

static double cpu_ns_of(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9
           + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

int main(int argc, char **argv)
{
    int there[2], back[2];
    char byte = 'p';
    if (argc != 2) {
        fprintf(stderr, "usage: pingpong SECONDS\n");
        return 2;
    }
    bound_this_life();
    pin_to_first_cpu();
    if (pipe(there) || pipe(back))
        die("pipe");
    pid_t child = fork();
    if (child == 0) {
        close(there[1]);
        while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
            ;
        _exit(0);
    }
    int64_t start = now_ns(), end = start + (int64_t)(atof(argv[1]) * 1e9), rounds = 0, now;
    do {
        /* The clock is looked at rarely: it must not be part of what is measured. */
        for (int i = 0; i < 100; i++, rounds++)
            if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
                die("pipe");
        now = now_ns();
    } while (now < end);
    close(there[1]);
    wait(NULL);
    double switches = 2.0 * rounds, cpu = cpu_ns_of(RUSAGE_SELF) + cpu_ns_of(RUSAGE_CHILDREN);
    printf("%.1f %.1f %.0f\n", (now - start) / switches, cpu / switches, switches);
    return 0;
}
