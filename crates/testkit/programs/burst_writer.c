/* Writes 15 MB of a file of 60 MB at once, and the next 15 MB a second later: burst_writer PATH
 *
 * Nothing is waited for: what is written lies in memory until the kernel sends it to the disk.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>

#define BURST (15 << 20)
#define BURSTS 4

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: burst_writer PATH\n");
        return 2;
    }
    bound_this_life();
    int file = open(argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        die(argv[1]);
    static char block[1 << 20];
    for (off_t burst = 0;; burst = (burst + 1) % BURSTS) {
        for (off_t at = 0; at < BURST; at += sizeof block)
            if (pwrite(file, block, sizeof block, burst * BURST + at) < 0)
                die("pwrite");
        sleep(1);
    }
}
