// SPDX-License-Identifier: Apache-2.0
#include "linux/measured_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "base/clock.h"
#include "base/pipe.h"
#include "base/unique_fd.h"
#include "linux/child_process.h"
#include "linux/instruction_count.h"
#include "linux/proc_file.h"
#include "linux/used_cpu.h"

namespace atys::linux {

namespace {

constexpr size_t kErrorTail = 2000;
constexpr uint64_t kPatienceNs = 10'000'000'000;  // for processes that the command left behind
constexpr int kStragglerPollMs = 2;
constexpr int kMostPieces = 64;  // that can be in a pipe after the end

Result<Pipe> make_pipe_to_poll() {
  Pipe pipe = TRY(make_pipe());
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

class Run {
 public:
  Run(const std::vector<std::string>& command, const RunLimits& limits) : command_(command), limits_(limits) {}

  Result<MeasuredRun> run() {
    TRY(start());
    while (!has_ended_)
      if (!wait_a_while(is_stopping_ ? 100 : -1)) stop();
    ended_ns_ = clock_ns(CLOCK_MONOTONIC);
    result_.queue_ns = queue_time();
    while (child_->poll_exit() < 0) ::usleep(100);  // its descriptor has said that it ended
    take_usage(child_->usage());
    wait_for_stragglers();
    drain();
    result_.wall_ns = ended_ns_ - started_ns_;
    result_.exit_status = child_->poll_exit();
    if (counter_) result_.instructions = counter_->read();
    return std::move(result_);
  }

 private:
  Result<> start() {
    (void)::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Pipe out = TRY(make_pipe_to_poll());
    Pipe err = TRY(make_pipe_to_poll());
    ChildOptions options{.in = nothing.get(), .out = out.write.get(), .err = err.write.get(), .more_environment = {}};
    options.own_group = true;
    options.nice = limits_.nice;
    if (limits_.padding > 0) options.more_environment.push_back("ATYS_PADDING=" + std::string(limits_.padding, '.'));
    child_.emplace(TRY(ChildProcess::create(command_, options)));
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    if (limits_.counts_instructions)
      if (auto counter = InstructionCount::of(child_->pid()); counter.ok()) counter_ = counter.take();
    started_ns_ = clock_ns(CLOCK_MONOTONIC);
    return child_->release();
  }

  // Until something happens; false when a limit says that it is over.
  bool wait_a_while(int timeout_ms) {
    pollfd fds[] = {
        {child_->pidfd(), POLLIN, 0}, {out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}, {limits_.stop_fd, POLLIN, 0}};
    if (!is_stopping_ && limits_.deadline_ns != 0) {
      const uint64_t now = clock_ns(CLOCK_MONOTONIC);
      if (now >= limits_.deadline_ns) return false;
      const uint64_t left_ms = (limits_.deadline_ns - now) / 1'000'000 + 1;
      timeout_ms = static_cast<int>(std::min<uint64_t>(left_ms, 3'600'000));
    }
    ::poll(fds, 4, timeout_ms);
    has_ended_ |= fds[0].revents != 0;
    if (fds[1].revents != 0) read_output();
    if (fds[2].revents != 0) read_errors();
    return is_stopping_ || fds[3].revents == 0;
  }

  void stop() {
    is_stopping_ = result_.was_stopped = true;
    ::kill(-child_->pid(), SIGKILL);
  }

  void take_usage(const rusage& usage) {
    result_.cpu_ns += used_cpu_ns(usage);
    result_.peak_bytes = std::max(result_.peak_bytes, static_cast<uint64_t>(usage.ru_maxrss) * 1024);
  }

  // While it has ended but not been waited for, the kernel still knows.
  uint64_t queue_time() const {
    const auto text = read_proc_file("/proc/" + std::to_string(child_->pid()) + "/schedstat", 256);
    uint64_t on_cpu = 0;
    uint64_t in_queue = 0;
    if (!text.ok() || std::sscanf(text->c_str(), "%" SCNu64 " %" SCNu64, &on_cpu, &in_queue) != 2) return 0;
    return in_queue;
  }

  // What of the group is ours by now: its orphans.
  void wait_for_stragglers() {
    const uint64_t patience_ns = ended_ns_ + kPatienceNs;
    for (;;) {
      rusage usage{};
      const pid_t pid = ::wait4(-child_->pid(), nullptr, WNOHANG, &usage);
      if (pid < 0) return;
      const uint64_t now = clock_ns(CLOCK_MONOTONIC);
      if (pid > 0) {
        ++result_.left_behind;
        take_usage(usage);
        ended_ns_ = now;
        continue;
      }
      if (!result_.was_stopped && (now > patience_ns || !wait_a_while(kStragglerPollMs))) stop();
      if (result_.was_stopped) ::usleep(kStragglerPollMs * 1000);
    }
  }

  void read_output() {
    char bytes[1 << 16];
    const ssize_t got = ::read(out_.get(), bytes, sizeof(bytes));
    if (got > 0) {
      result_.output_bytes += static_cast<uint64_t>(got);
      // FNV-1a over eight bytes at a time would depend on how the bytes came; one at a time does not.
      for (ssize_t i = 0; i < got; ++i) hash_ = (hash_ ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3;
      result_.output_hash = hash_;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      out_.reset();
    }
  }

  void read_errors() {
    char bytes[1 << 12];
    const ssize_t got = ::read(err_.get(), bytes, sizeof(bytes));
    if (got > 0) {
      result_.error_tail.append(bytes, static_cast<size_t>(got));
      if (result_.error_tail.size() > kErrorTail) result_.error_tail.erase(0, result_.error_tail.size() - kErrorTail);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      err_.reset();
    }
  }

  // What is still in the pipes. A process that left the group may hold them open for ever: only what is there now.
  void drain() {
    pollfd fds[] = {{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}};
    for (int i = 0; i<kMostPieces&& ::poll(fds, 2, 0)> 0 && ((fds[0].revents | fds[1].revents) & POLLIN) != 0; ++i) {
      if ((fds[0].revents & POLLIN) != 0) read_output();
      if ((fds[1].revents & POLLIN) != 0) read_errors();
      fds[0].fd = out_.get();
      fds[1].fd = err_.get();
    }
  }

  const std::vector<std::string>& command_;
  const RunLimits& limits_;
  std::optional<ChildProcess> child_;
  std::optional<InstructionCount> counter_;
  UniqueFd out_, err_;
  uint64_t started_ns_ = 0;
  uint64_t ended_ns_ = 0;
  uint64_t hash_ = 0xcbf29ce484222325;
  bool is_stopping_ = false;
  bool has_ended_ = false;
  MeasuredRun result_;
};

}  // namespace

Result<MeasuredRun> run_measured(const std::vector<std::string>& command, const RunLimits& limits) {
  return Run(command, limits).run();
}

}  // namespace atys::linux
