/*
 * Delays fsync and fdatasync of a process that preloads this library, so that its files are as on a
 * device of that latency.
 *
 * The file that the variable QUORATE_SYNC_DELAYS names has a line "MICROSECONDS TEXT" for each
 * delay. A sync of a file whose path contains the text takes at least this time; the first line that
 * matches counts. The file is read at each sync, so that the delays of a running process can change.
 * A delay passes while the thread sleeps, and uses no processor time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NANOS_PER_MICRO 1000L
#define NANOS_PER_SECOND 1000000000L

static long delay_micros(int fd) {
  char link[64], path[PATH_MAX + 1], lines[4096];
  const char *file = getenv("QUORATE_SYNC_DELAYS");
  if (file == NULL) {
    return 0;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX);
  if (length < 0) {
    return 0;
  }
  path[length] = '\0';
  int delays = open(file, O_RDONLY | O_CLOEXEC);
  if (delays < 0) {
    return 0;
  }
  length = read(delays, lines, sizeof lines - 1);
  close(delays);
  lines[length < 0 ? 0 : length] = '\0';
  char *rest = NULL;
  for (char *line = strtok_r(lines, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    char *text;
    long micros = strtol(line, &text, 10);
    if (*text == ' ' && strstr(path, text + 1) != NULL) {
      return micros;
    }
  }
  return 0;
}

static int delayed(const char *name, int fd) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  int result = sync(fd);
  int error = errno;
  long nanos = until.tv_nsec + delay_micros(fd) * NANOS_PER_MICRO;
  until.tv_sec += nanos / NANOS_PER_SECOND;
  until.tv_nsec = nanos % NANOS_PER_SECOND;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
  errno = error;
  return result;
}

int fsync(int fd) {
  return delayed("fsync", fd);
}

int fdatasync(int fd) {
  return delayed("fdatasync", fd);
}
