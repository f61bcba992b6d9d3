// SPDX-License-Identifier: Apache-2.0
#include "linux/remote_memory.h"

#include <sys/uio.h>

namespace atys::linux {

size_t read_remote_memory(pid_t pid, uint64_t address, std::span<std::byte> into) {
  const iovec local{into.data(), into.size()};
  const iovec remote{reinterpret_cast<void*>(address), into.size()};
  const ssize_t got = ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
  return got < 0 ? 0 : static_cast<size_t>(got);
}

}  // namespace atys::linux
