/* Known times on the CPU, and waits for one.
 *
 * A task cannot clock a wait for a CPU around a call. It sees it as a hole: between two
 * readings of the clock, which are tens of nanoseconds apart while it runs, some
 * milliseconds are missing. Holes shorter than HOLE_NS (interrupts) are not counted.
 */
#define _GNU_SOURCE
#include "clocked.h"
#include <sched.h>

#define HOLE_NS 200000

static void user(struct waiter *waiter)
{
    volatile uint64_t sum = 0;
    while (waits_go_on())
        CLOCKED(waiter, for (int i = 0; i < 100000000; i++) sum += i);
}

/* Zeroes pages in the kernel: one call is some milliseconds. */
static void kernel(struct waiter *waiter)
{
    enum { BYTES = 32 << 20 };
    char *buffer = malloc(BYTES);
    int zero = open("/dev/zero", O_RDONLY);
    memset(buffer, 1, BYTES);
    while (waits_go_on())
        CLOCKED(waiter, if (read(zero, buffer, BYTES) != BYTES) die("read"));
}

static void count_holes(struct waiter *waiter)
{
    struct clocked *holes = &waiter->classes[0];
    int64_t before = now_ns(), now;
    for (; before < waits_end_ns; before = now) {
        now = now_ns();
        if (now - before > HOLE_NS) {
            holes->waited_ns += now - before;
            holes->calls++;
        }
    }
}

/* All on the first CPU that the program may use: the others wait while one runs. */
static void queue(struct waiter *waiter)
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
    count_holes(waiter);
}

int main(int argc, char **argv)
{
    static const struct known_wait waits[] = {
        { "user", "user", 1, 0, user, NULL },
        { "kernel", "kernel", 1, 0, kernel, NULL },
        { "queue", "cpu_queue", 3, 0, queue, NULL },
        { "throttled", "cpu_throttled", 1, 0, count_holes, NULL },
        { 0 },
    };
    return run_waits(argc, argv, waits);
}
