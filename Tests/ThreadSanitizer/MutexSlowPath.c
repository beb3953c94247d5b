// Makes the contended path of Synchronization.Mutex visible to ThreadSanitizer.
//
// Without contention, the mutex is an inlined atomic exchange, which ThreadSanitizer instruments. With contention,
// the mutex calls two functions of the standard library, which is not instrumented, so ThreadSanitizer would report
// false races. The functions below replace these two, call them, and tell ThreadSanitizer when the lock is acquired
// and released.
//
// scripts/sanitize links this file into the tests, after it has checked the file with Canary.swift.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// functions of ThreadSanitizer; the inlined exchanges use the same address
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
