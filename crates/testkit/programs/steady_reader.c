/* Reads a page of a file past the page cache fifty times a second, and waits for each: steady_reader PATH
 *
 * It takes next to no CPU: where that is emulated, a program that is started for each read (dd) reads too
 * seldom to lose much behind others' writes.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>

#define PAGE 4096
#define PAUSE_US 20000
/* Pages between two reads: no read ahead is of use. */
#define STEP 7

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: steady_reader PATH\n");
        return 2;
    }
    bound_this_life();
    int file = open(argv[1], O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (file < 0)
        die(argv[1]);
    off_t pages = lseek(file, 0, SEEK_END) / PAGE;
    if (pages < 1) {
        fprintf(stderr, "steady_reader: %s has no page\n", argv[1]);
        return 2;
    }
    static char page[PAGE] __attribute__((aligned(PAGE)));
    for (off_t at = 0;; at = (at + STEP) % pages) {
        if (pread(file, page, sizeof page, at * PAGE) < 0)
            die("pread");
        usleep(PAUSE_US);
    }
}
