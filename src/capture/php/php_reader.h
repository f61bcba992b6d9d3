// SPDX-License-Identifier: Apache-2.0
// Makes PHP functions and lines of the frames that the sampler copied. Not for several threads.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/php/php_function_table.h"
#include "capture/php/php_process.h"
#include "capture/walking/stack_reader.h"

namespace atys::capture::php {

class PhpReader final : public StackReader {
 public:
  PhpReader(std::unique_ptr<linux::MemoryReader> memory, PhpProcess process);

  const atys_walker& walker() const override { return walker_; }
  // There is one, and only the first thread runs PHP.
  std::vector<std::pair<pid_t, uint64_t>> thread_states() override { return {{process_.pid, process_.globals.start}}; }
  const InterpreterCode& code() const override { return process_.code; }
  // False where nothing of a walk is known any more; functions among others that are gone are named as such.
  bool read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) override;
  LanguageName name(uint32_t id) const override;
  void learn(CodeCopy& copy) override { functions_.learn(copy); }

  static constexpr size_t kMostLines = 1 << 16;  // of one function
  static constexpr size_t kMostNames = 1 << 20;

 private:
  uint32_t id_of(FunctionTable::Function& function, const FunctionTable::Frame& frame);
  uint32_t intern(LanguageName name);

  std::unique_ptr<linux::MemoryReader> memory_;
  PhpProcess process_;
  atys_walker walker_;
  FunctionTable functions_;
  std::vector<LanguageName> names_;  // by id; the first is of what is gone
  std::unordered_map<std::string, uint32_t> ids_;
};

}  // namespace atys::capture::php
