// SPDX-License-Identifier: Apache-2.0
// Makes PHP functions and lines of the frames that the sampler copied. Functions are remembered by their address; that one
// is still the same is known from the instruction that a frame is at, and looked after now and then. Not for several
// threads.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/php/php_function.h"
#include "capture/php/php_process.h"
#include "capture/stack_reader.h"

namespace atys::capture::php {

class PhpReader final : public StackReader {
 public:
  PhpReader(std::unique_ptr<linux::MemoryReader> memory, PhpProcess process)
      : memory_(std::move(memory)),
        process_(std::move(process)),
        walker_(walker_for(process_.globals.start, process_.live)) {}

  const atys_walker& walker() const override { return walker_; }
  // The sampler finds the one state of a process by itself: that of its first thread.
  std::vector<std::pair<pid_t, uint64_t>> thread_states() override { return {}; }
  const InterpreterCode& code() const override { return process_.code; }
  bool read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) override;
  LanguageName name(uint32_t id) const override;

  // How many walks a function is taken for the same without a look at it.
  static constexpr uint64_t kTrustedWalks = 100;
  static constexpr size_t kMostFunctions = 1 << 16;
  static constexpr size_t kMostLines = 1 << 16;  // of one function
  static constexpr size_t kMostNames = 1 << 20;

 private:
  struct Function {
    FunctionHead head;
    FunctionText text;
    uint64_t checked_at = 0;                       // walks_ then
    std::unordered_map<uint64_t, uint32_t> id_of;  // by instruction; 0 is where none is known
  };
  enum class Reading { Frame, Nothing, Torn };

  Reading read_frame(const atys_walked& walked, bool is_innermost, LanguageFrame& frame);
  // Null: there is none.
  Function* function_at(uint64_t address, uint64_t position);
  bool is_plausible(const FunctionHead& head, uint64_t position, bool is_innermost) const;
  uint32_t id_of(Function& function, uint64_t position);
  uint32_t intern(LanguageName name);

  std::unique_ptr<linux::MemoryReader> memory_;
  PhpProcess process_;
  atys_walker walker_;
  uint64_t walks_ = 0;
  std::unordered_map<uint64_t, Function> functions_;
  std::vector<LanguageName> names_;  // by id
  std::unordered_map<std::string, uint32_t> ids_;
};

}  // namespace atys::capture::php
