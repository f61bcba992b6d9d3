// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/symbol_worker.h"

#include "symbolize/jail.h"
#include "unwind/compile_rules.h"

namespace atys::verbs {

std::optional<int> run_if_symbol_worker(int argc, char** argv) {
  return symbolize::run_if_jail_worker(argc, argv, unwind::jail_questions());
}

void use_symbol_worker() { symbolize::Jail::set_up({.program = "/proc/self/exe"}); }

void limit_symbol_worker(uint64_t most_bytes) {
  if (symbolize::Jail* jail = symbolize::Jail::get()) jail->limit_memory(most_bytes);
}

}  // namespace atys::verbs
