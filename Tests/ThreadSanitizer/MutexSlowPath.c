// Shows ThreadSanitizer the half of Synchronization.Mutex that it cannot see.
//
// Without contention the mutex is an atomic exchange that is inlined, with the checks, wherever it is used. Under
// contention it calls two functions of the standard library, which has no checks: the lock is handed over through the
// kernel, and what one thread wrote under it looks like a race with the next. These two stand before the library's, do
// what those do, and say that the lock was taken or is about to be given. The program itself stays what it is.
//
// scripts/sanitize links this into the tests, and tries it on Canary.swift first.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// the checker's own; the word of the mutex is what its inlined exchanges count under too
void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

SWIFT void lockSlow(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void unlockSlow(SELF mutex) __asm__(UNLOCK);

SWIFT void lockSlow(uint32_t thread, SELF mutex) {
  SWIFT void (*library)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  library(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlockSlow(SELF mutex) {
  SWIFT void (*library)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  __tsan_release(mutex);
  library(mutex);
}
