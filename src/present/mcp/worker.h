// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own. A capture raises its priority, measures its own CPU time, changes folders and starts
// commands, and a profile may be larger than memory: none of that is to touch the server, and whatever is cancelled can be
// ended for good. The worker is this same program, called as `atys mcp --worker`; it gets the work on standard input and
// answers in lines on descriptor 3.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "present/mcp/protocol/work.h"

namespace atys::present::mcp {

inline constexpr int kWorkerAnswerFd = 3;
inline constexpr int kMostWorkers = 16;

class WorkerPerformer final : public Performer {
 public:
  // `arguments` are those of the server itself, so that the worker knows what the operator allows.
  explicit WorkerPerformer(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}
  Json perform(const Work& work, const WorkObserver& observer) override;

 private:
  std::vector<std::string> arguments_;
  std::atomic<int> running_ = 0;
};

// The other side: reads the work, has it performed, writes the answer. The exit status of the process.
int run_worker(Performer& performer);

// What a program has printed, so that it cannot be taken for anything else: a bar before each line, nothing but text in it.
std::string quoted_lines(std::string_view text);

}  // namespace atys::present::mcp
