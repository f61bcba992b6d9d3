// SPDX-License-Identifier: Apache-2.0
#include "capture/native/call_reason.h"

namespace atys::capture::native {

namespace {

struct Known {
  std::string_view call;
  std::string_view reason;  // empty: the file says it
};

// Calls that wait for one thing only, and those that wait for a file. Others (open, stat, mmap …) wait for disks or for
// locks inside the kernel, and do not say which.
constexpr Known kCalls[] = {
    {"futex", "lock"},
    {"futex_wait", "lock"},
    {"futex_waitv", "lock"},
    {"semop", "lock"},
    {"semtimedop", "lock"},
    {"flock", "lock"},
    {"fcntl", "lock"},
    {"nanosleep", "sleep"},
    {"clock_nanosleep", "sleep"},
    {"poll", "poll"},
    {"ppoll", "poll"},
    {"select", "poll"},
    {"pselect6", "poll"},
    {"epoll_wait", "poll"},
    {"epoll_pwait", "poll"},
    {"epoll_pwait2", "poll"},
    {"wait4", "child"},
    {"waitid", "child"},
    {"vfork", "child"},
    {"clone", "child"},
    {"clone3", "child"},
    {"pause", "signal"},
    {"rt_sigtimedwait", "signal"},
    {"rt_sigsuspend", "signal"},
    {"io_uring_enter", "io_uring"},
    {"io_getevents", "disk"},
    {"io_pgetevents", "disk"},
    {"fsync", "disk"},
    {"fdatasync", "disk"},
    {"sync", "disk"},
    {"syncfs", "disk"},
    {"msync", "disk"},
    {"sync_file_range", "disk"},
    {"exit", "exit"},
    {"exit_group", "exit"},
    {"read", ""},
    {"write", ""},
    {"readv", ""},
    {"writev", ""},
    {"pread64", ""},
    {"pwrite64", ""},
    {"preadv", ""},
    {"pwritev", ""},
    {"preadv2", ""},
    {"pwritev2", ""},
    {"getdents64", ""},
    {"splice", ""},
    {"tee", ""},
    {"vmsplice", ""},
    {"sendfile", ""},
    {"ioctl", ""},
    {"close", ""},
    {"accept", ""},
    {"accept4", ""},
    {"connect", ""},
    {"recvfrom", ""},
    {"recvmsg", ""},
    {"recvmmsg", ""},
    {"sendto", ""},
    {"sendmsg", ""},
    {"sendmmsg", ""},
};

}  // namespace

CallReason reason_of_call(std::string_view call) {
  for (const Known& known : kCalls)
    if (known.call == call) return {known.reason.empty() ? CallSays::File : CallSays::Reason, known.reason};
  return {};
}

std::string_view reason_of_file(linux::FileKind kind, char state) {
  switch (kind) {
    case linux::FileKind::File: return "disk";
    case linux::FileKind::Pipe: return "pipe";
    case linux::FileKind::UnixSocket: return "socket";
    case linux::FileKind::Socket: return "network";
    case linux::FileKind::Terminal: return "terminal";
    case linux::FileKind::Event: return "event";
    case linux::FileKind::Timer: return "sleep";
    case linux::FileKind::Signals: return "signal";
    case linux::FileKind::Unknown: break;
  }
  return state == 'D' ? "disk" : "other";  // nothing else keeps threads so that no signal wakes them, but for a moment
}

}  // namespace atys::capture::native
