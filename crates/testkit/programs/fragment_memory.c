/* Leaves memory free in single pages only, and then asks for huge ones: fragment_memory
 *
 * Pages in pipes stay where they are: the kernel cannot move them. Filled in turn, a page at a
 * time, two pipes hold every other page; one of the two is emptied. Prints a line when that is
 * done, and goes on asking for huge pages.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#define PAGE 4096
#define PAGES_OF_A_PIPE 256
#define MOST_PAIRS 4000
#define HUGE_PAGE (2UL << 20)
#define ASKED (16 * HUGE_PAGE)

static char page[PAGE];

/* Makes a pipe that holds PAGES_OF_A_PIPE pages. */
static void large_pipe(int ends[2])
{
    if (pipe2(ends, O_NONBLOCK) || fcntl(ends[1], F_SETPIPE_SZ, PAGES_OF_A_PIPE * PAGE) < 0)
        die("pipe");
}

/* Whether a fiftieth of all memory is free, and no more. */
static int nearly_full(void)
{
    struct sysinfo now;
    if (sysinfo(&now))
        die("sysinfo");
    return now.freeram < now.totalram / 50;
}

int main(void)
{
    bound_this_life();
    struct rlimit files = { 4 * MOST_PAIRS + 64, 4 * MOST_PAIRS + 64 };
    if (setrlimit(RLIMIT_NOFILE, &files))
        die("setrlimit");
    static int emptied[MOST_PAIRS][2], kept[2];
    int pairs = 0;
    for (; pairs < MOST_PAIRS && !nearly_full(); pairs++) {
        large_pipe(emptied[pairs]);
        large_pipe(kept);
        for (int i = 0; i < PAGES_OF_A_PIPE; i++)
            if (write(emptied[pairs][1], page, PAGE) != PAGE || write(kept[1], page, PAGE) != PAGE)
                die("write");
    }
    while (pairs--)
        for (int i = 0; i < PAGES_OF_A_PIPE; i++)
            if (read(emptied[pairs][0], page, PAGE) != PAGE)
                die("read");
    puts("fragmented");
    fflush(stdout);
    for (;;) {
        char *asked = mmap(NULL, ASKED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (asked == MAP_FAILED || madvise(asked, ASKED, MADV_HUGEPAGE))
            die("ask for huge pages");
        for (unsigned long at = 0; at < ASKED; at += HUGE_PAGE)
            asked[at] = 1;
        munmap(asked, ASKED);
    }
}
