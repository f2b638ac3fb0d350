/* Opens connections to a port of this machine and closes none: hoard_connections
 *
 * Prints a line when the kernel has no local port left for one more, and then holds what
 * it has.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>

int main(void)
{
    bound_this_life();
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 16) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        die("listen");
    for (;;) {
        int connection = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(connection, (struct sockaddr *)&address, length)) {
            if (errno != EADDRNOTAVAIL)
                die("connect");
            break;
        }
        if (accept(listener, NULL, NULL) < 0)
            die("accept");
    }
    puts("no port left");
    fflush(stdout);
    for (;;)
        pause();
}
