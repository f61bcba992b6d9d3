// SPDX-License-Identifier: Apache-2.0
#include "unwind/compile_rules.h"

namespace atys::unwind {

namespace {

constexpr std::string_view kRulesQuestion = "unwind rules";

Result<UnwindTable> compile_here(symbolize::Module& module) {
  const auto elf = module.elf();
  if (elf == nullptr) return fail(ErrorCode::NotFound, module.path() + " is not open");
  return UnwindTable::compile(*elf);
}

Result<Bytes> answer_rules(symbolize::Module& module, symbolize::Cursor&) { return TRY(compile_here(module)).serialize(); }

}  // namespace

Result<UnwindTable> compile_rules(symbolize::Module& module) {
  const auto answer = module.ask_worker(kRulesQuestion);
  if (!answer) return compile_here(module);
  if (!answer->ok()) return answer->error();
  return UnwindTable::parse(**answer);
}

symbolize::JailQuestions jail_questions() {
  auto questions = symbolize::symbol_questions();
  questions.emplace(kRulesQuestion, answer_rules);
  return questions;
}

}  // namespace atys::unwind
