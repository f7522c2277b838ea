/* Tries one thing that a sandbox forbids: exit status 0 where it could be done, 1 with the reason where not. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int end(long result) {
  if (result >= 0) {
    puts("done");
    return 0;
  }
  printf("refused: %s\n", strerror(errno));
  return 1;
}

static struct sockaddr_in internet(const char *port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  return to;
}

/* A name that begins with @ is an abstract one. */
static socklen_t named(struct sockaddr_un *to, const char *name) {
  memset(to, 0, sizeof *to);
  to->sun_family = AF_UNIX;
  strncpy(to->sun_path, name, sizeof to->sun_path - 1);
  if (name[0] == '@') to->sun_path[0] = 0;
  return offsetof(struct sockaddr_un, sun_path) + strlen(name);
}

int main(int count, char **args) {
  const char *what = count > 1 ? args[1] : "", *with = count > 2 ? args[2] : "";
  struct sockaddr_un local;
  char buffer[4096] = {0};
  pid_t pid = atoi(with);

  if (!strcmp(what, "tcp")) {
    struct sockaddr_in to = internet(with);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return end(fd < 0 ? fd : connect(fd, (void *)&to, sizeof to));
  }
  if (!strcmp(what, "listen")) {
    struct sockaddr_in at = internet(with);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (void *)&at, sizeof at)) return end(-1);
    return end(listen(fd, 1));
  }
  if (!strcmp(what, "udp")) {
    struct sockaddr_in to = internet(with);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    return end(fd < 0 ? fd : sendto(fd, "x", 1, 0, (void *)&to, sizeof to));
  }
  if (!strcmp(what, "raw")) return end(socket(AF_PACKET, SOCK_RAW, 0));
  if (!strcmp(what, "unix")) {
    socklen_t length = named(&local, with);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return end(fd < 0 ? fd : connect(fd, (void *)&local, length));
  }
  if (!strcmp(what, "unix-datagram")) {
    int pair[2];
    socklen_t length = named(&local, with);
    int fd = socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) ? -1 : pair[0];
    return end(fd < 0 ? fd : sendto(fd, "x", 1, 0, (void *)&local, length));
  }
  if (!strcmp(what, "unix-pair")) {
    int pair[2];
    socklen_t length = named(&local, with);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) return end(-1);
    return end(connect(pair[0], (void *)&local, length));
  }
  if (!strcmp(what, "pair")) {
    int pair[2];
    return end(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
  }
  if (!strcmp(what, "ptrace")) return end(ptrace(PTRACE_SEIZE, pid, 0, 0));
  if (!strcmp(what, "memory")) {
    struct iovec here = {buffer, 1}, there = {(void *)main, 1};
    errno = 0;
    long got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    return end(got < 0 && errno == EFAULT ? 0 : got);
  }
  if (!strcmp(what, "memory-file")) {
    snprintf(buffer, sizeof buffer, "/proc/%d/mem", pid);
    return end(open(buffer, O_RDWR));
  }
  if (!strcmp(what, "kill")) return end(kill(pid, 0));
  if (!strcmp(what, "limit")) {
    struct rlimit limit;
    return end(prlimit(pid, RLIMIT_CPU, NULL, &limit));
  }
  if (!strcmp(what, "own-limit")) {
    struct rlimit limit;
    if (prlimit(0, RLIMIT_RTTIME, NULL, &limit)) return 2;
    limit.rlim_cur = limit.rlim_max = 1 << 20;
    return end(prlimit(0, RLIMIT_RTTIME, &limit, NULL) ? syscall(SYS_setrlimit, RLIMIT_RTTIME, &limit) : 0);
  }
  if (!strcmp(what, "setting")) return end(open("/proc/sys/kernel/core_pattern", O_WRONLY));
  if (!strcmp(what, "flags")) {
    int flags = 0, fd = open(with, O_RDONLY);
    /* Not every file system has them; to be refused is something else. */
    long result = fd < 0 ? fd : ioctl(fd, FS_IOC_SETFLAGS, &flags);
    return end(result < 0 && errno != EPERM ? 0 : result);
  }
  if (!strcmp(what, "io_uring")) return end(syscall(SYS_io_uring_setup, 8, buffer));
#ifdef __x86_64__
  if (!strcmp(what, "io_uring-x32")) return end(syscall(SYS_io_uring_setup | 0x40000000, 8, buffer));
#endif
  if (!strcmp(what, "unshare")) return end(unshare(CLONE_NEWUSER | CLONE_NEWNS));
  if (!strcmp(what, "clone")) return end(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  if (!strcmp(what, "setns")) {
    snprintf(buffer, sizeof buffer, "/proc/%d/ns/mnt", pid);
    int fd = open(buffer, O_RDONLY);
    return end(fd < 0 ? fd : setns(fd, 0));
  }
  if (!strcmp(what, "mount")) return end(mount("none", with, "tmpfs", 0, NULL));
  if (!strcmp(what, "remount")) return end(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
  if (!strcmp(what, "truncate")) return end(truncate(with, 0));
  if (!strcmp(what, "handle")) {
    struct { struct file_handle handle; unsigned char bytes[MAX_HANDLE_SZ]; } file = {.handle.handle_bytes = MAX_HANDLE_SZ};
    int mount, root = open("/", O_RDONLY | O_DIRECTORY);
    if (name_to_handle_at(AT_FDCWD, with, &file.handle, &mount, 0)) return end(-1);
    return end(open_by_handle_at(root, &file.handle, O_WRONLY));
  }
  if (!strcmp(what, "device")) return end(mknod(with, S_IFBLK | 0600, makedev(7, 0)));
  if (!strcmp(what, "type")) return end(ioctl(0, TIOCSTI, "x"));
  if (!strcmp(what, "setuid")) return end(chmod(with, 04755));
  if (!strcmp(what, "bpf")) return end(syscall(SYS_bpf, 0, buffer, 128));
  if (!strcmp(what, "keys")) return end(syscall(SYS_keyctl, 0, -3, 1));
  printf("no such attempt: %s\n", what);
  return 2;
}
