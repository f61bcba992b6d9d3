// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_reader.h"

#include <fmt/format.h>

#include "capture/walking/code_cookie.h"

namespace atys::capture::php {

namespace {

constexpr int kMarkerShift = 48;
constexpr uint32_t kGone = 0;

}  // namespace

PhpReader::PhpReader(std::unique_ptr<linux::MemoryReader> memory, PhpProcess process)
    : memory_(std::move(memory)),
      process_(std::move(process)),
      walker_(walker_for(process_.layout, process_.globals.start, process_.live)),
      functions_(*memory_, process_.layout, walker_.cookie) {
  walker_.is_fleeting = process_.is_fleeting ? 1 : 0;
  intern({.function = "<freed code>", .file = {}, .kind = "php"});
}

bool PhpReader::read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) {
  const size_t before = frames.size();
  bool is_known = walk.empty();
  for (size_t i = 0; i < walk.size(); ++i) {
    const uint64_t address = code_of(walk[i]);
    // The engine puts a frame without a function where C code calls back or a generator stands for another one.
    if (address == 0) continue;
    const uint64_t position = walk[i].position;
    // Each frame that called another is at the call, or handles an exception.
    const bool may_lag = i == 0 || process_.globals.contains(position);
    const FunctionTable::Frame frame{address, walk[i].cookie, position, may_lag};
    FunctionTable::Function* function = functions_.find(frame);
    const bool is_internal = function != nullptr && function->head.is_internal();
    is_known |= function != nullptr;
    if (is_internal && function->head.name == 0) continue;  // the engine's own, below a fiber
    // Functions written in C need no evaluator, however they are called.
    frames.push_back({.id = function == nullptr ? kGone : id_of(*function, frame),
                      .is_entry = !is_internal && ((walk[i].code >> kMarkerShift) & kCalledFromC) != 0});
  }
  if (!is_known) frames.resize(before);
  return is_known;
}

uint32_t PhpReader::id_of(FunctionTable::Function& function, const FunctionTable::Frame& frame) {
  const bool has_line = !function.head.is_internal() && function.head.has_op(frame.position);
  if (function.id_of.size() >= kMostLines) function.id_of.clear();
  const auto [known, is_new] = function.id_of.try_emplace(has_line ? frame.position : 0);
  if (!is_new) return known->second;
  auto line = has_line ? memory_->value_at<uint32_t>(frame.position + kOpLine) : std::nullopt;
  if (line && !functions_.is_there(frame)) line.reset();
  known->second = intern({.function = function.text.name,
                          .file = function.text.file,
                          .line = line.value_or(0),
                          .start_line = function.head.first_line,
                          .kind = "php"});
  return known->second;
}

uint32_t PhpReader::intern(LanguageName name) {
  if (names_.size() >= kMostNames) name = {.function = "<one of too many functions>", .file = {}, .kind = "php"};
  // Names and paths were cut at a zero.
  std::string key = fmt::format("{}{}{}{}{}{}{}", name.function, '\0', name.file, '\0', name.line, ' ', name.start_line);
  const auto [known, is_new] = ids_.try_emplace(std::move(key), static_cast<uint32_t>(names_.size()));
  if (is_new) names_.push_back(std::move(name));
  return known->second;
}

LanguageName PhpReader::name(uint32_t id) const { return id < names_.size() ? names_[id] : LanguageName{}; }

}  // namespace atys::capture::php
