/* Known waits for memory: PATH is a folder on a slow disk.
 *
 * Both are writers through the page cache. What holds them back depends on where they
 * run: the device's share of dirty pages is used up, or their control group's memory is
 * full of pages that are still being written. The copy itself is CPU time.
 */
#define _GNU_SOURCE
#include "clocked.h"

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

int main(int argc, char **argv)
{
    static const struct known_wait waits[] = {
        { "dirty", "mem_dirty", 1, 0, write_cached, NULL },
        { "reclaim", "mem_reclaim", 1, 0, write_cached, NULL },
        { 0 },
    };
    return run_waits(argc, argv, waits);
}
