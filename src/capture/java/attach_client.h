// SPDX-License-Identifier: Apache-2.0
// Speaks to a HotSpot machine as jcmd does: a socket in the /tmp of the process, a command for each connection. If nobody
// listens yet, a file with an agreed name and SIGQUIT make the machine listen; without that file, or with the attach
// mechanism off, the same signal prints all threads to the process's output, and where it is not caught it kills. So
// everything is checked first. The socket, its folder and the file are where the process can plant anything: links are not
// followed out of its root, and who is at the other end is asked of the kernel. Works for JDK 8 and later.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "capture/java/java_process.h"

namespace atys::capture::java {

struct AttachReply {
  int code = 0;  // 0: done
  std::string text;
};

// "0\nreturn code: 0\n" → 0 and the rest.
Result<AttachReply> parse_reply(std::string_view bytes);

class AttachClient {
 public:
  using Arguments = std::array<std::string, 3>;

  struct Limits {
    uint64_t wake_ns = 5'000'000'000;     // until the machine listens
    uint64_t answer_ns = 10'000'000'000;  // until it has answered
    // When everything has to be over (CLOCK_MONOTONIC); it may come nearer while a command is under way. Null: never.
    std::shared_ptr<const std::atomic<uint64_t>> latest_ns = nullptr;
  };

  // Looks whether it can work; nothing is done to the process yet.
  static Result<AttachClient> create(const JavaProcess& process, const Limits& limits);
  static Result<AttachClient> create(const JavaProcess& process) { return create(process, Limits{}); }

  AttachClient(AttachClient&&) noexcept = default;
  AttachClient& operator=(AttachClient&&) noexcept = default;

  // One command and its answer, within some seconds. A process that is stopped or frozen is not asked.
  Result<AttachReply> command(std::string_view name, const Arguments& arguments) const;

 private:
  AttachClient() = default;
  Result<> check_target() const;
  Result<std::string> exchange(const std::string& message) const;
  Result<UniqueFd> connect_once() const;
  void remove_dead_socket() const;
  Result<UniqueFd> connect_until(uint64_t deadline_ns) const;
  Result<UniqueFd> wake() const;
  Result<> may_signal() const;
  bool has_ended() const;
  Error no_answer() const;
  Error does_not_listen() const;
  bool is_over(uint64_t deadline_ns) const;
  bool wait_for(int fd, short events, uint64_t deadline_ns) const;
  Result<> send_all(int fd, std::string_view bytes, uint64_t deadline_ns) const;
  Result<std::string> receive_all(int fd, uint64_t deadline_ns) const;

  linux::ProcessInfo info_;
  Limits limits_;
  UniqueFd pidfd_;
  UniqueFd temp_;     // the process's /tmp
  UniqueFd working_;  // and its working directory; may be closed
};

}  // namespace atys::capture::java
