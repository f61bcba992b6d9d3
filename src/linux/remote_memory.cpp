// SPDX-License-Identifier: Apache-2.0
#include "linux/remote_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "linux/call_filter.h"
#include "linux/deadly_filter.h"

namespace atys::linux {

bool MemoryFile::open() {
  fd_ = UniqueFd(::open(("/proc/" + std::to_string(pid_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  return fd_.is_open();
}

std::optional<size_t> MemoryFile::read_open(uint64_t address, std::span<std::byte> into) const {
  size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(fd_.get(), into.data() + done, into.size() - done, static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 && done == 0) return std::nullopt;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

size_t MemoryFile::read(uint64_t address, std::span<std::byte> into) {
  if (into.empty() || (!fd_.is_open() && !open())) return 0;
  auto got = read_open(address, into);
  // The process runs another program now.
  if (!got) got = open() ? read_open(address, into) : std::nullopt;
  return got.value_or(0);
}

bool is_refused_by_filter(int error) {
  return is_refusal(error) && is_refusal(answer_to_nonsense(SystemCall::ProcessVmReadv));
}

size_t read_remote_memory(pid_t pid, uint64_t address, std::span<std::byte> into) {
  const iovec local{into.data(), into.size()};
  const iovec remote{reinterpret_cast<void*>(address), into.size()};
  const ssize_t got = read_vectors(pid, {&local, 1}, {&remote, 1});
  if (got < 0 && is_refused_by_filter(errno)) return MemoryFile(pid).read(address, into);
  return got < 0 ? 0 : static_cast<size_t>(got);
}

}  // namespace atys::linux
