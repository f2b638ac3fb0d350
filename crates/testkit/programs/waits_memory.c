/* Known waits for memory.
 *
 * Two of them are writers through the page cache; PATH is a folder on a slow disk. What
 * holds them back depends on where they run: the device's share of dirty pages is used
 * up, or their control group's memory is full of pages that are still being written. The
 * copy itself is CPU time. The third only reads memory, eight times as much as
 * its group may keep: nearly all of it is in swap, and nothing has to be written again.
 */
#define _GNU_SOURCE
#include "clocked.h"
#include <sys/mman.h>

static void write_cached(struct waiter *waiter)
{
    enum { BYTES = 1 << 20, ROUND = 256 };
    char path[4096], *buffer = malloc(BYTES);
    snprintf(path, sizeof path, "%s/%s", waits_path, waiter->name);
    int file = open(path, O_CREAT | O_RDWR, 0600);
    if (file < 0)
        die(path);
    memset(buffer, 1, BYTES);
    for (long n = 0; waits_go_on(); n++)
        CLOCKED(waiter, if (pwrite(file, buffer, BYTES, n % ROUND * BYTES) != BYTES) die("pwrite"));
}

#define SWAPPED (512L << 20)
/* More pages than the kernel reads at once (page-cluster): every touch waits. */
#define STRIDE (4096L * 17)

static char *swapped;

/* One touch in every stride, each of which waits for swap. */
static void touch_all(struct waiter *waiter, long start)
{
    volatile char *memory = swapped;
    for (long at = start; at < SWAPPED && waits_go_on(); at += STRIDE)
        CLOCKED(waiter, (void)memory[at]);
}

static void send_to_swap(void)
{
    struct waiter unclocked = { 0 };
    swapped = mmap(NULL, SWAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (swapped == MAP_FAILED)
        die("mmap");
    madvise(swapped, SWAPPED, MADV_NOHUGEPAGE);
    memset(swapped, 1, SWAPPED);
    waits_end_ns = INT64_MAX;
    /* Pushes out the last pages that are not in swap yet: later nothing is written. */
    touch_all(&unclocked, 0);
    waits_end_ns = now_ns() + waits_last_ns;
}

static void touch_swapped(struct waiter *waiter)
{
    /* Each round takes other pages than the one before. */
    for (long start = 4096; waits_go_on(); start = (start + 4096) % STRIDE)
        touch_all(waiter, start);
}

int main(int argc, char **argv)
{
    static const struct known_wait waits[] = {
        { "dirty", "mem_dirty", 1, 0, write_cached, NULL },
        { "reclaim", "mem_reclaim", 1, 0, write_cached, NULL },
        { "swap-in", "mem_swap_in", 1, 0, touch_swapped, send_to_swap },
        { 0 },
    };
    return run_waits(argc, argv, waits);
}
