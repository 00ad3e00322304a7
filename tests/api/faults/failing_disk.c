/* A disk that fails when it is told to: put before the C library by LD_PRELOAD.
 *
 * Every call that writes, flushes or cuts a file under one folder is counted while it is armed, and the
 * nth one fails in one of these ways:
 *   0 EIO, once        1 EIO, from then on        2 ENOSPC from then on (writes alone, as on a full disk)
 *   3 half of it is written, and the rest finds the disk full, once
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { ONCE, BROKEN, FULL, SHORT };
enum { PASS, FAIL, HALF };

static char folder[4096];
static size_t length;
static int way;
static atomic_long target, seen;
static atomic_int fired, owed;

void disk_arm(const char *under, long nth, int mode) {
  snprintf(folder, sizeof folder, "%s", under);
  length = strlen(folder);
  way = mode;
  atomic_store(&seen, 0);
  atomic_store(&fired, 0);
  atomic_store(&owed, 0);
  atomic_store(&target, nth);
}

/* How many calls came since it was armed; it works again. */
long disk_mend(void) {
  atomic_store(&target, 0);
  return atomic_load(&seen);
}

int disk_failed(void) { return atomic_load(&fired); }

static int concerns(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t got = readlink(link, path, sizeof path - 1);
  return got > (ssize_t)length && strncmp(path, folder, length) == 0;
}

static int fate(int fd, int is_write) {
  long nth = atomic_load(&target);
  int kept = errno;
  int is_here = nth > 0 && concerns(fd);
  errno = kept;
  if (!is_here) return PASS;
  long now = atomic_fetch_add(&seen, 1) + 1;
  if (way == SHORT && is_write && atomic_exchange(&owed, 0)) return FAIL;
  int is_due = way == ONCE || way == SHORT ? now == nth : now >= nth;
  if (!is_due || (way == FULL && !is_write)) return PASS;
  atomic_store(&fired, 1);
  if (way == SHORT && is_write) {
    atomic_store(&owed, 1);
    return HALF;
  }
  return FAIL;
}

static int wrong(void) { return way == FULL || way == SHORT ? ENOSPC : EIO; }

#define REAL(name, ...)                                          \
  static typeof(name) *real;                                     \
  if (!real) real = (typeof(name) *)dlsym(RTLD_NEXT, #name);     \
  switch (fate(fd, IS_WRITE)) {                                  \
    case FAIL: errno = wrong(); return -1;                       \
    case HALF: if (HALVED > 0) { size /= 2; }                    \
  }                                                              \
  return real(__VA_ARGS__)

#define IS_WRITE 1
#define HALVED 1
ssize_t write(int fd, const void *from, size_t size) { REAL(write, fd, from, size); }
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { REAL(pwrite, fd, from, size, at); }
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) { REAL(pwrite64, fd, from, size, at); }
#undef IS_WRITE
#undef HALVED
#define IS_WRITE 0
#define HALVED 0
int fsync(int fd) { off_t size = 0; (void)size; REAL(fsync, fd); }
int fdatasync(int fd) { off_t size = 0; (void)size; REAL(fdatasync, fd); }
int ftruncate(int fd, off_t size) { REAL(ftruncate, fd, size); }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64, fd, size); }
