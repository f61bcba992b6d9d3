// SPDX-License-Identifier: Apache-2.0
// What threads said of their work at hand: tells the sampler where that is, and makes labels of what it read there.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/native/context_finder.h"
#include "capture/native/process_table.h"
#include "capture/native/sample_source.h"

namespace atys::capture::native {

class ThreadContexts {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  explicit ThreadContexts(SampleSource& source) : source_(source) {}
  void set_finder(ContextFinder* finder) { finder_ = finder; }

  // Looks for a context now and then while there is none: programs publish it some time after they began.
  void look_at(Process& process, uint64_t now_ns);
  // It has become another program, which publishes elsewhere or nothing.
  void on_exec(pid_t pid) { source_.set_context_place(pid, nullptr); }
  // 0: none. The same labels have the same number.
  uint32_t number_of(Process& process, std::span<const std::byte> bytes, uint64_t now_ns);
  const Labels& labels(uint32_t number) const { return *labels_[number]; }

  // Samples whose context could not be understood, or not be kept, by the reason.
  const std::map<std::string, uint64_t>& losses() const { return losses_; }
  void forget_losses() { losses_.clear(); }

 private:
  bool find(Process& process);
  bool read_open_telemetry(const Process& process, std::span<const std::byte> bytes, Labels& labels) const;
  static void read_go_labels(std::span<const std::byte> bytes, Labels& labels);

  SampleSource& source_;
  ContextFinder* finder_ = nullptr;
  std::map<Labels, uint32_t> numbers_;
  std::vector<const Labels*> labels_{&none_};  // by number; keys of numbers_
  std::map<std::string, uint64_t> losses_;
  Labels none_;
};

}  // namespace atys::capture::native
