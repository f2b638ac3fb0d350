/* Connects to itself and closes at once, five hundred times a second: short_connections
 *
 * Whoever connects closes first, so that each connection leaves a socket in TIME_WAIT.
 */
#define _GNU_SOURCE
#include "bounded.h"
#include <arpa/inet.h>
#include <sys/socket.h>

int main(void)
{
    bound_this_life();
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 16) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        die("listen");
    for (;;) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(client, (struct sockaddr *)&address, length))
            die("connect");
        int server = accept(listener, NULL, NULL);
        if (server < 0)
            die("accept");
        close(client);
        close(server);
        usleep(2000);
    }
}
