// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_function_table.h"

#include "capture/walking/code_cookie.h"

namespace atys::capture::php {

// One that has the instruction; else, where that may lag, one that might be it.
FunctionTable::Function* FunctionTable::known(const Frame& frame, bool may_lag) {
  for (auto of = functions_.lower_bound({frame.cookie, 0}); of != functions_.end() && of->first.first == frame.cookie; ++of)
    if (of->second.head.is_internal() || may_lag || of->second.head.has_op(frame.position)) return &of->second;
  return nullptr;
}

bool FunctionTable::is_there(const Frame& frame) {
  const uint64_t now = read_cookie(memory_, cookie_, frame.address);
  return frame.cookie != 0 && now == frame.cookie;
}

FunctionTable::Function* FunctionTable::find(const Frame& frame) {
  if (Function* function = known(frame, false)) return function;
  Function* function = is_there(frame) ? look_at(frame) : nullptr;
  return function != nullptr ? function : known(frame, frame.may_lag);
}

// What is read is of the function that ran if that is there before and after.
FunctionTable::Function* FunctionTable::look_at(const Frame& frame) {
  const auto head = read_function(memory_, layout_, frame.address);
  if (!head || !(head->is_internal() || frame.may_lag || head->has_op(frame.position))) return nullptr;
  const Key key{frame.cookie, head->ops};
  if (const auto same = functions_.find(key); same != functions_.end() && same->second.head == *head) return &same->second;
  auto text = read_text(memory_, *head);
  if (!text || !is_there(frame) || read_function(memory_, layout_, frame.address) != head) return nullptr;
  return &keep(frame.cookie, *head, std::move(*text));
}

void FunctionTable::learn(CodeCopy& copy) {
  const auto head = read_function(copy, layout_, copy.code());
  if (!head || functions_.contains({copy.cookie(), head->ops})) return;
  if (auto text = read_text(copy, *head)) keep(copy.cookie(), *head, std::move(*text));
}

FunctionTable::Function& FunctionTable::keep(uint64_t cookie, const FunctionHead& head, FunctionText text) {
  if (functions_.size() >= kMostFunctions) functions_.clear();
  Function& function = functions_[{cookie, head.ops}];
  function = {.head = head, .text = std::move(text), .id_of = {}};
  return function;
}

}  // namespace atys::capture::php
