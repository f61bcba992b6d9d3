// SPDX-License-Identifier: Apache-2.0
#include "linux/perf_events.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "linux/allowance.h"
#include "linux/deadly_filter.h"

namespace atys::linux {

namespace {

// The kernel.perf_event_paranoid up to which everybody may open it.
int64_t most_paranoid(const PerfAttributes& attributes, PerfPlace place) {
  if (attributes.type == PERF_TYPE_TRACEPOINT) return -1;
  if (place.pid < 0) return 0;
  return attributes.exclude_kernel != 0 ? 2 : 1;
}

bool is_of_other_user(PerfPlace place) {
  struct stat found {};
  return place.pid > 0 && ::stat(("/proc/" + std::to_string(place.pid)).c_str(), &found) == 0 && found.st_uid != ::geteuid();
}

Error explain(int error, const std::string& what, const PerfAttributes& attributes, PerfPlace place) {
  const std::string failed = "open " + what + ": " + std::strerror(error);
  switch (error) {
    case EACCES:
    case EPERM:
    case ENOSYS:
      return fail_refused("open " + what, {.call = SystemCall::PerfEventOpen,
                                           .error = error,
                                           .most_paranoid = most_paranoid(attributes, place),
                                           .is_of_other_user = is_of_other_user(place)});
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return fail(
          ErrorCode::Unsupported, failed,
          "this machine has no such event (virtual machines often have no hardware counters); atys doctor lists what works");
    case EMFILE: return fail(ErrorCode::ResourceExhausted, failed, "raise the limit on open files: ulimit -n 65536");
    case ESRCH: return fail(ErrorCode::NotFound, failed, "the process or thread has ended");
    case EBUSY: return fail(ErrorCode::Unavailable, failed, "another tool holds the counter exclusively");
    default: return fail(ErrorCode::Internal, failed);
  }
}

}  // namespace

PerfAttributes cpu_clock_attributes(uint64_t period_ns) {
  PerfAttributes attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = period_ns;
  attributes.exclude_idle = 1;
  attributes.disabled = 1;
  return attributes;
}

Result<UniqueFd> open_perf_event(const PerfAttributes& attributes, PerfPlace place, const std::string& what) {
  PerfAttributes copy = attributes;
  copy.size = sizeof(copy);
  if (!is_survivable(SystemCall::PerfEventOpen)) return explain(EPERM, what, attributes, place);
  const long fd = ::syscall(SYS_perf_event_open, &copy, place.pid, place.cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return explain(errno, what, attributes, place);
  return UniqueFd(static_cast<int>(fd));
}

Result<> enable_perf_event(int fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0) return fail_errno("enable a perf event");
  return {};
}

Result<> disable_perf_event(int fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) != 0) return fail_errno("disable a perf event");
  return {};
}

Result<> set_perf_period(int fd, uint64_t period) {
  if (::ioctl(fd, PERF_EVENT_IOC_PERIOD, &period) != 0) return fail_errno("change the period of a perf event");
  return {};
}

PerfCount& PerfCount::operator+=(const PerfCount& other) {
  count += other.count;
  enabled_ns += other.enabled_ns;
  running_ns += other.running_ns;
  return *this;
}

Result<PerfCount> read_perf_count(int fd) {
  PerfCount read;
  static_assert(sizeof(read) == 3 * sizeof(uint64_t), "as the kernel writes it");
  if (::read(fd, &read, sizeof(read)) != static_cast<ssize_t>(sizeof(read))) return fail_errno("read a perf event");
  return read;
}

}  // namespace atys::linux
