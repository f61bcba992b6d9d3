// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_reader.h"

#include <fmt/format.h>

#include <utility>

namespace atys::capture::php {

namespace {

constexpr uint64_t kAddressMask = 0xffffffffffff;
constexpr int kMarkerShift = 48;

}  // namespace

bool PhpReader::read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) {
  ++walks_;
  const size_t before = frames.size();
  bool is_innermost = true;
  for (const atys_walked& walked : walk) {
    LanguageFrame frame;
    const Reading reading = read_frame(walked, std::exchange(is_innermost, false), frame);
    if (reading == Reading::Torn) {
      frames.resize(before);
      return false;
    }
    if (reading == Reading::Frame) frames.push_back(frame);
  }
  return true;
}

PhpReader::Reading PhpReader::read_frame(const atys_walked& walked, bool is_innermost, LanguageFrame& frame) {
  const uint64_t address = walked.code & kAddressMask;
  // The engine puts a frame without a function where C code calls back or a generator stands for another one.
  if (address == 0) return Reading::Nothing;
  Function* function = function_at(address, walked.position);
  if (function == nullptr || !is_plausible(function->head, walked.position, is_innermost)) return Reading::Torn;
  const FunctionHead& head = function->head;
  if (head.is_internal() && head.name == 0) return Reading::Nothing;  // the engine's own, below a fiber
  frame.id = id_of(*function, head.is_internal() || !head.has_op(walked.position) ? 0 : walked.position);
  // Functions written in C need no evaluator, however they are called.
  frame.is_entry = !head.is_internal() && ((walked.code >> kMarkerShift) & kCalledFromC) != 0;
  return Reading::Frame;
}

PhpReader::Function* PhpReader::function_at(uint64_t address, uint64_t position) {
  auto known = functions_.find(address);
  if (known != functions_.end() && known->second.head.has_op(position) && walks_ - known->second.checked_at < kTrustedWalks)
    return &known->second;
  const auto head = read_function(*memory_, process_.layout, address);
  if (!head) {
    functions_.erase(address);
    return nullptr;
  }
  if (known != functions_.end() && known->second.head == *head) {
    known->second.checked_at = walks_;
    return &known->second;
  }
  auto text = head->is_internal() && head->name == 0 ? FunctionText{} : read_text(*memory_, *head);
  // What was read by pointers of the first look belongs to them only if they are still there.
  if (!text || read_function(*memory_, process_.layout, address) != head) return nullptr;
  if (functions_.size() >= kMostFunctions) functions_.clear();
  Function& function = functions_[address];
  function = {.head = *head, .text = std::move(*text), .checked_at = walks_, .id_of = {}};
  return &function;
}

// Each frame that called another is at the call. Only the innermost may not have said yet where it is: the engine keeps
// that in a register.
bool PhpReader::is_plausible(const FunctionHead& head, uint64_t position, bool is_innermost) const {
  return is_innermost || head.is_internal() || head.has_op(position) || process_.globals.contains(position);
}

uint32_t PhpReader::id_of(Function& function, uint64_t position) {
  if (function.id_of.size() >= kMostLines) function.id_of.clear();
  const auto [known, is_new] = function.id_of.try_emplace(position);
  if (!is_new) return known->second;
  const auto line = position == 0 ? std::nullopt : memory_->value_at<uint32_t>(position + kOpLine);
  known->second = intern({.function = function.text.name,
                          .file = function.text.file,
                          .line = line.value_or(0),
                          .start_line = function.head.first_line,
                          .kind = "php"});
  return known->second;
}

uint32_t PhpReader::intern(LanguageName name) {
  if (names_.size() >= kMostNames) name = {.function = "<one of too many functions>", .kind = "php"};
  // Names and paths were cut at a zero.
  std::string key = fmt::format("{}{}{}{}{}{}{}", name.function, '\0', name.file, '\0', name.line, ' ', name.start_line);
  const auto [known, is_new] = ids_.try_emplace(std::move(key), static_cast<uint32_t>(names_.size()));
  if (is_new) names_.push_back(std::move(name));
  return known->second;
}

LanguageName PhpReader::name(uint32_t id) const { return id < names_.size() ? names_[id] : LanguageName{}; }

}  // namespace atys::capture::php
