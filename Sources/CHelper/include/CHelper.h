// What smilepile-pictures and smilepile-catalogue have in common: the messages to smilepile, the first steps of the
// process, and the functions of libraries that are loaded at run time.
#ifndef SMILEPILE_CHELPER_H
#define SMILEPILE_CHELPER_H
#include <CSandbox.h>
#include <stddef.h>
#include <stdint.h>

// a library that is loaded must not find these functions in the program
#pragma GCC visibility push(hidden)

// MARK: Messages. smilepile starts the program with a socket of the type SOCK_SEQPACKET at descriptor 0. All numbers have
// the byte order of the machine.

// The beginning of the first message, which says what the program can do. `HelperProcess.Hello` has the same layout.
struct hello {
  uint32_t magic;
  uint16_t version;  // of the program's protocol
  uint16_t status;   // enum hello_status, or a later number of the program
  uint32_t protections;  // bits of enum protection of CSandbox.h
};

enum hello_status { HELLO_READY = 0, HELLO_NO_LIBRARIES = 1, HELLO_NO_SANDBOX = 2 };

// The exit status without the libraries, or with ones that lack a function.
#define EXIT_NO_LIBRARIES 3
// The exit status if the kernel refuses the filter of system calls.
#define EXIT_NO_SANDBOX 4

// Sends a packet. Ends the process if smilepile has ended.
void send_packet(const void *bytes, size_t length);

// Receives a packet and the descriptor that comes with it (SCM_RIGHTS), or -1. Returns the bytes of the packet. Ends the
// process if smilepile has ended.
size_t receive_packet(void *bytes, size_t capacity, int *descriptor);

// Ends the process after some seconds, even if smilepile was killed; 0 revokes it.
void set_alarm(int seconds);

// MARK: Starting

// Closes all descriptors but the standard ones, ignores SIGXFSZ, and restricts the process to reading libraries and the
// readable files of the sandbox. Call it first.
void begin_loading(struct hello *hello, const struct sandbox *sandbox);

// Restricts the process to its work. Returns 0 if the kernel has no filter of system calls; the program must then end.
int begin_work(struct hello *hello, const struct sandbox *sandbox);

// MARK: Functions of libraries

// A table of functions is a macro with a line F(result, name, (arguments)) for each function. The pointers are hidden,
// since the libraries would otherwise find them when they call each other's functions. A program that is linked with the
// static Swift library exports all other symbols.
#define DECLARE_FUNCTION(result, name, arguments) extern __attribute__((visibility("hidden"))) result(*name) arguments;
#define DEFINE_FUNCTION(result, name, arguments) result(*name) arguments;
#define LIST_FUNCTION(result, name, arguments) {#name, (void **)&name},

struct library_function {
  const char *name;
  void **pointer;
};

// Loads a library and those that it needs, and finds the functions, of which the last one has no name. Returns the reason
// if that is impossible, otherwise null. `requirement` begins the sentence about a missing function.
const char *load_functions(const char *library, const struct library_function *functions, const char *requirement);
#pragma GCC visibility pop
#endif
