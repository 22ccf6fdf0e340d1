// portwright-native-runner: calls one C function of one shared object on shared arrays, as its control page
// says.
//
// It runs inside the sandbox. A small program of its own, so that a port's process has nothing of ours in it
// but this, and starts in milliseconds. The call is made by libffi, because the argument list is known at run
// time only.
#include <dlfcn.h>
#include <ffi.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/native_control.h"
#include "runtime/sandbox.h"

namespace pw::runtime {
namespace {

// The fault handler has no argument of ours to find these by.
ControlHeader* control = nullptr;
std::size_t control_bytes = 0;
char* arrays = nullptr;

double wall_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// CPU time of all threads. Not CLOCK_PROCESS_CPUTIME_ID, which moves in ticks only where RLIMIT_CPU is set.
double cpu_now() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void on_fault(int number, siginfo_t* info, void*) {
  mprotect(control, control_bytes, PROT_READ | PROT_WRITE);
  const char* address = static_cast<const char*>(info->si_addr);
  if (address >= arrays && address < arrays + control->arrays_bytes) control->fault = address - arrays;
  signal(number, SIG_DFL);  // returning repeats the access, which now ends the process
}

void watch_faults() {
  static char stack[16384];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

int fail(const char* message) {
  std::snprintf(control->error, sizeof control->error, "%s", message ? message : "unknown error");
  control->phase = CallPhase::LoadFailed;
  return 1;
}

ffi_type* type_of(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::Array:
      return &ffi_type_pointer;
    case ArgumentKind::Int64:
      return &ffi_type_sint64;
    case ArgumentKind::Float64:
      return &ffi_type_double;
    case ArgumentKind::Float32:
      return &ffi_type_float;
    case ArgumentKind::Int32:
      return &ffi_type_sint32;
    case ArgumentKind::Bool:
      return &ffi_type_uint8;
  }
  return &ffi_type_void;
}

bool map_control() {
  struct stat status{};
  if (fstat(kControlDescriptor, &status) != 0) return false;
  control_bytes = static_cast<std::size_t>(status.st_size);
  void* const page = mmap(nullptr, control_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kControlDescriptor, 0);
  if (page == MAP_FAILED) return false;
  control = static_cast<ControlHeader*>(page);
  return true;
}

int call() {
  const std::size_t count = control->argument_count;
  const auto* given = reinterpret_cast<const ControlArgument*>(control + 1);
  const auto* guards = reinterpret_cast<const ControlRange*>(given + count);
  void* const segment =
      mmap(nullptr, control->arrays_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kArraysDescriptor, 0);
  if (segment == MAP_FAILED) return fail("cannot map the arrays");
  arrays = static_cast<char*>(segment);
  for (std::size_t i = 0; i < control->guard_count; ++i) {
    mprotect(arrays + guards[i].begin, guards[i].end - guards[i].begin, PROT_NONE);
  }
  std::vector<std::uint64_t> values(count);
  std::vector<void*> pointers(count);
  std::vector<ffi_type*> types(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = given[i].bits;
    if (given[i].kind == ArgumentKind::Array) values[i] += reinterpret_cast<std::uint64_t>(arrays);
    pointers[i] = &values[i];
    types[i] = type_of(given[i].kind);
  }
  void* const library = dlopen(control->library, RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail(dlerror());
  void* const function = dlsym(library, control->symbol);
  if (!function) return fail(dlerror());
  ffi_cif cif;
  if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, static_cast<unsigned>(count), &ffi_type_sint, types.data()) !=
      FFI_OK) {
    return fail("libffi rejects the argument list");
  }
  close(kControlDescriptor);
  close(kArraysDescriptor);
  control->computing_only = forbid_all_but_computing();
  watch_faults();
  control->phase = CallPhase::Calling;
  // What the port allocates holds large numbers until it writes there, not the zeros of new pages.
  mallopt(M_PERTURB, 0x80);
  ffi_arg result = 0;
  mprotect(control, control_bytes, PROT_READ);
  const double wall = wall_now();
  const double cpu = cpu_now();
  ffi_call(&cif, FFI_FN(function), &result, pointers.data());
  const double cpu_end = cpu_now();
  const double wall_end = wall_now();
  mprotect(control, control_bytes, PROT_READ | PROT_WRITE);
  control->status = static_cast<int>(result);
  control->cpu_seconds = cpu_end - cpu;
  control->wall_seconds = wall_end - wall;
  control->phase = CallPhase::Returned;
  return 0;
}

}  // namespace
}  // namespace pw::runtime

#ifdef __SANITIZE_ADDRESS__
/// M_PERTURB is glibc's; ASan's allocator fills by its own options, and by default only a page.
extern "C" const char* __asan_default_options() {
  return "malloc_fill_byte=127:max_malloc_fill_size=2147483647";
}
#endif

int main() {
  if (!pw::runtime::map_control()) {
    std::fprintf(stderr,
                 "portwright-native-runner is started by portwright, with its call on descriptor 3\n");
    return 2;
  }
  const int code = pw::runtime::call();
  std::fflush(nullptr);
  _exit(code);  // a port's destructors and atexit handlers are no part of the run
}
