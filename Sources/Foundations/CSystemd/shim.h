#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <linux/capability.h>

/* The C library has these two without declaring them. */
int capget(cap_user_header_t header, cap_user_data_t data);
int capset(cap_user_header_t header, const cap_user_data_t data);
