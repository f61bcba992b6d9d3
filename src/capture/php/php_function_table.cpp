// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_function_table.h"

namespace atys::capture::php {

FunctionTable::Function* FunctionTable::find(linux::MemoryReader& memory, const Frame& frame) {
  const auto key = keys_.find(frame.address);
  if (key != keys_.end()) {
    const auto known = functions_.find(key->second);
    if (known != functions_.end() && known->second.head.has_op(frame.position) &&
        frame.walk - known->second.checked_at < trusted_walks_)
      return &known->second;
  }
  const auto head = read_function(memory, layout_, frame.address);
  if (head && (head->is_internal() || frame.may_lag || head->has_op(frame.position)))
    if (Function* function = remember(memory, frame, *head)) return function;
  return by_position(frame.position);
}

FunctionTable::Function* FunctionTable::by_position(uint64_t position) {
  auto after = functions_.upper_bound(position);
  if (after == functions_.begin()) return nullptr;
  Function& function = (--after)->second;
  return function.head.has_op(position) ? &function : nullptr;
}

FunctionTable::Function* FunctionTable::remember(linux::MemoryReader& memory, const Frame& frame, const FunctionHead& head) {
  const uint64_t key = head.is_internal() ? frame.address : head.ops;
  const auto known = functions_.find(key);
  const bool is_same = known != functions_.end() && known->second.head == head;
  // The next request may have put a like function, with another name, just where the last one had its own.
  auto text = is_same && trusted_walks_ != 0 ? known->second.text : read_text(memory, head);
  if (!text) return nullptr;
  if (is_same && known->second.text == *text) {
    known->second.checked_at = frame.walk;
    keys_[frame.address] = key;
    return &known->second;
  }
  // What was read by pointers of the first look belongs to them only if they are still there.
  if (read_function(memory, layout_, frame.address) != head) return nullptr;
  if (functions_.size() >= kMostFunctions) functions_.clear();
  if (keys_.size() >= kMostFunctions) keys_.clear();
  keys_[frame.address] = key;
  Function& function = functions_[key];
  function = {.head = head, .text = std::move(*text), .checked_at = frame.walk, .id_of = {}};
  return &function;
}

}  // namespace atys::capture::php
