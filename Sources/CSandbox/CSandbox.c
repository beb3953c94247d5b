#define _GNU_SOURCE
#include "CSandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Landlock. The structures are those of <linux/landlock.h>, which older systems lack. landlock(7)

struct ruleset_attributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
};

struct path_rule {
  uint64_t allowed_access;
  int32_t parent;
} __attribute__((packed));

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
  ACCESS_EXECUTE = 1 << 0,
  ACCESS_READ_FILE = 1 << 2,
  ACCESS_READ_FOLDER = 1 << 3,
  ACCESS_ALL_1 = (1 << 13) - 1,  // of version 1
  ACCESS_REFER = 1 << 13,        // since version 2
  ACCESS_TRUNCATE = 1 << 14,     // since version 3
  ACCESS_DEVICE = 1 << 15,       // since version 5
  NETWORK_ALL = 3,               // bind and connect, since version 4
};

static long landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
  return version < 0 ? 0 : version;
}

// Permits reading a file or everything below a folder, if it exists.
static void permit_reading(int rules, const char *path) {
  struct path_rule rule = {ACCESS_EXECUTE | ACCESS_READ_FILE | ACCESS_READ_FOLDER,
                           open(path, O_PATH | O_CLOEXEC)};
  if (rule.parent < 0) return;
  // a rule for a file must not have rights of folders
  struct stat status;
  if (fstat(rule.parent, &status) == 0 && !S_ISDIR(status.st_mode)) rule.allowed_access &= ~(uint64_t)ACCESS_READ_FOLDER;
  syscall(SYS_landlock_add_rule, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0);
  close(rule.parent);
}

// Denies everything but reading below the folders. Returns 0 on success.
static int restrict_files(const char *const folders[]) {
  long version = landlock_version();
  if (version == 0) return -1;
  struct ruleset_attributes attributes = {.handled_access_fs = ACCESS_ALL_1};
  if (version >= 2) attributes.handled_access_fs |= ACCESS_REFER;
  if (version >= 3) attributes.handled_access_fs |= ACCESS_TRUNCATE;
  if (version >= 5) attributes.handled_access_fs |= ACCESS_DEVICE;
  if (version >= 4) attributes.handled_access_net = NETWORK_ALL;
  size_t size = version >= 4 ? sizeof attributes : sizeof attributes.handled_access_fs;
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
  if (rules < 0) return -1;
  for (; *folders; folders++) permit_reading(rules, *folders);
  int result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
  return result;
}

// MARK: Limits

static int limit(int resource, rlim_t value) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return -1;
  if (now.rlim_max < value) value = now.rlim_max;
  struct rlimit limit = {value, value};
  return setrlimit(resource, &limit);
}

uint32_t restrict_to_libraries(const struct sandbox *sandbox) {
  uint32_t active = 0;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) active |= PROTECTION_PRIVILEGES;
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) active |= PROTECTION_MEMORY;
  if (limit(RLIMIT_AS, sandbox->memory) == 0 && limit(RLIMIT_CORE, 0) == 0 && limit(RLIMIT_NOFILE, 64) == 0 &&
      limit(RLIMIT_FSIZE, sandbox->file_bytes) == 0)
    active |= PROTECTION_LIMITS;
  enum { MOST_PATHS = 64 };
  const char *paths[MOST_PATHS + 1] = {"/usr", "/lib", "/lib64", "/opt", "/nix", "/etc/ld.so.cache"};
  int count = 6;
  for (const char *const *path = sandbox->readable; *path && count < MOST_PATHS; path++) paths[count++] = *path;
  char *variable = getenv("LD_LIBRARY_PATH");
  variable = variable ? strdup(variable) : NULL;
  for (char *rest = variable, *folder; rest && count < MOST_PATHS && (folder = strsep(&rest, ":"));)
    if (*folder) paths[count++] = folder;
  if (restrict_files(paths) == 0) active |= PROTECTION_LANDLOCK;
  free(variable);
  return active;
}

// MARK: The filter of system calls. seccomp(2)

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define ALLOW(name) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FAIL(name, code) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code))
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The lower half of an argument: all machines here are little-endian.
#define LOAD_ARGUMENT(index) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]))

#ifdef ARCHITECTURE
static const struct sock_filter computing[] = {
  LOAD(arch),
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  LOAD(nr),
  ALLOW(read), ALLOW(pread64), ALLOW(write), ALLOW(lseek), ALLOW(close), ALLOW(dup), ALLOW(fcntl),
  ALLOW(fstat), ALLOW(newfstatat),
  ALLOW(recvmsg), ALLOW(sendmsg), ALLOW(sendto),
  ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect), ALLOW(madvise), ALLOW(brk),
  ALLOW(futex), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(membarrier), ALLOW(restart_syscall),
  ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack), ALLOW(tgkill),
  ALLOW(getpid), ALLOW(gettid), ALLOW(getrandom), ALLOW(clock_gettime), ALLOW(clock_nanosleep),
  ALLOW(gettimeofday), ALLOW(sched_yield), ALLOW(sched_getaffinity), ALLOW(setitimer), ALLOW(ppoll),
  ALLOW(exit), ALLOW(exit_group),
#ifdef SYS_poll
  ALLOW(poll),
#endif
  // the C library starts threads with clone if the kernel seems to lack clone3, whose flags a filter cannot read
  FAIL(clone3, ENOSYS), FAIL(openat2, EACCES),
  FAIL(ioctl, ENOTTY), FAIL(sysinfo, EPERM), FAIL(uname, EPERM), FAIL(getrusage, EPERM), FAIL(prlimit64, EPERM),
  FAIL(sched_getattr, EPERM), FAIL(sched_setattr, EPERM), FAIL(sched_getparam, EPERM),
  FAIL(sched_getscheduler, EPERM), FAIL(memfd_create, EPERM), FAIL(unlinkat, EPERM), FAIL(ftruncate, EPERM),
  FAIL(getuid, EPERM), FAIL(geteuid, EPERM), FAIL(getgid, EPERM), FAIL(getegid, EPERM), FAIL(fadvise64, EPERM),
#ifdef SYS_unlink
  FAIL(unlink, EPERM),
#endif
};

static const struct sock_filter denying_files[] = {
  FAIL(openat, EACCES), FAIL(readlinkat, EACCES), FAIL(faccessat, EACCES), FAIL(faccessat2, EACCES),
  FAIL(statx, EACCES),
#ifdef SYS_open
  FAIL(open, EACCES), FAIL(readlink, EACCES), FAIL(access, EACCES), FAIL(stat, EACCES), FAIL(lstat, EACCES),
#endif
};

static const struct sock_filter reading_files[] = {
  // opening for reading
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
  LOAD_ARGUMENT(2),
  BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY), 0, 1),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  ALLOW(getdents64), ALLOW(readlinkat), ALLOW(faccessat), ALLOW(faccessat2), ALLOW(statx), ALLOW(statfs), ALLOW(fstatfs),
  FAIL(mkdirat, EACCES), FAIL(linkat, EACCES), FAIL(symlinkat, EACCES), FAIL(renameat, EACCES), FAIL(renameat2, EACCES),
  FAIL(fchmod, EACCES), FAIL(fchmodat, EACCES), FAIL(utimensat, EACCES),
#ifdef SYS_open
  ALLOW(readlink), ALLOW(access), ALLOW(stat), ALLOW(lstat),
  FAIL(open, EACCES), FAIL(creat, EACCES), FAIL(mkdir, EACCES), FAIL(link, EACCES), FAIL(symlink, EACCES),
  FAIL(rename, EACCES), FAIL(chmod, EACCES), FAIL(rmdir, EACCES),
#endif
};

static const struct sock_filter starting_threads[] = {
  // threads may set their names
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 4),
  LOAD_ARGUMENT(0),
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_NAME, 0, 1),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  // a new thread, but no new process
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
  LOAD_ARGUMENT(0),
  BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

enum { MOST_INSTRUCTIONS = 400 };

static void append(struct sock_fprog *program, const struct sock_filter *part, size_t bytes) {
  memcpy(program->filter + program->len, part, bytes);
  program->len += (unsigned short)(bytes / sizeof *part);
}

_Static_assert(
  sizeof computing + sizeof reading_files + sizeof denying_files + sizeof starting_threads <=
    MOST_INSTRUCTIONS * sizeof(struct sock_filter),
  "the filter is longer than its buffer");

// Returns 0 on success.
static long filter_calls(int reads_files) {
  static struct sock_filter instructions[MOST_INSTRUCTIONS];
  struct sock_fprog program = {0, instructions};
  append(&program, computing, sizeof computing);
  if (reads_files)
    append(&program, reading_files, sizeof reading_files);
  else
    append(&program, denying_files, sizeof denying_files);
  append(&program, starting_threads, sizeof starting_threads);
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}
#endif

uint32_t restrict_to_work(const struct sandbox *sandbox) {
  uint32_t active = 0;
  if (restrict_files(sandbox->readable) == 0) active |= PROTECTION_LANDLOCK;
#ifdef ARCHITECTURE
  if (filter_calls(*sandbox->readable != NULL) == 0) active |= PROTECTION_SECCOMP;
#endif
  return active;
}
