// SPDX-License-Identifier: Apache-2.0
// The stacks of one CPython process.
#pragma once

#include <memory>

#include "capture/python/code_objects.h"
#include "capture/python/interpreter.h"
#include "capture/python/lasting_code.h"
#include "capture/python/thread_names.h"
#include "capture/walking/stack_reader.h"

namespace atys::capture::python {

class PythonReader final : public StackReader {
 public:
  PythonReader(pid_t pid, std::unique_ptr<linux::MemoryReader> memory, Interpreter interpreter);

  const atys_walker& walker() const override { return walker_; }
  std::vector<std::pair<pid_t, uint64_t>> thread_states() override;
  const InterpreterCode& code() const override { return code_; }
  bool read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) override;
  LanguageName name(uint32_t id) const override { return codes_.name(id); }
  void learn(CodeCopy& copy) override { codes_.learn(copy); }
  std::vector<atys_lasting> take_lasting() override { return lasting_.take(); }
  std::string thread_name(pid_t tid) override;
  bool is_plain_thread_name(std::string_view name) const override { return name == "MainThread"; }
  std::string_view lock_name() const override { return interpreter_.layout.is_free_threaded ? "" : "gil"; }
  std::string_view wait_reason(std::span<const std::string_view> functions) const override;

 private:
  void learn_identity();
  std::vector<NumberedThread> list_threads();
  // How many frames at the root are those of the walk before.
  size_t count_known(std::span<const atys_walked> walk) const;
  void see_lasting(std::span<const atys_walked> walk, size_t new_frames);

  pid_t pid_;
  std::unique_ptr<linux::MemoryReader> memory_;
  Interpreter interpreter_;
  atys_walker walker_;
  CodeObjects codes_;
  LastingCode lasting_;
  ThreadNames thread_names_;
  InterpreterCode code_;
  // The walk before, and the frame for each part of it (0: none). Most walks differ at the leaf only.
  std::vector<atys_walked> last_walk_;
  std::vector<uint32_t> last_ids_;
  std::vector<uint32_t> ids_;  // of the walk at hand; a member only to keep its memory
  uint64_t look_at_all_ns_ = 0;
  uint32_t gone_ = 0;  // the frame that stands for functions that were gone before they were looked at
};

}  // namespace atys::capture::python
