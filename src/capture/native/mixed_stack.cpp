// SPDX-License-Identifier: Apache-2.0
#include "capture/native/mixed_stack.h"

#include <algorithm>

namespace atys::capture::native {

namespace {

enum class Part { Foreign, Own, Evaluator, Landmark };

bool any_contains(const std::vector<AddressRange>& ranges, uint64_t address) {
  return std::ranges::any_of(ranges, [&](const AddressRange& range) { return range.contains(address); });
}

class Mixer {
 public:
  Mixer(const NativeStack& native, const InterpreterCode& code, std::span<const LanguageFrame> language,
        std::vector<MixedFrame>& mixed)
      : native_(native), code_(code), language_(language), mixed_(mixed) {}

  Mix run() {
    const auto evaluators = static_cast<ptrdiff_t>(std::ranges::count_if(
        native_.addresses, [&](const uint64_t& address) { return part_of(address) == Part::Evaluator; }));
    const ptrdiff_t surplus = evaluators - count_groups();
    // A function that is just being entered or left has one of both only; that is at the leaf. A native walk that was cut
    // has seen fewer, and those are the innermost.
    const bool is_exact = evaluators > 0 && (native_.reaches_root ? surplus >= -1 && surplus <= 1 : surplus <= 0);
    root_from_ = start_of_root();
    if (!is_exact) return mix_in_one_piece();
    if (surplus < 0 && native_.reaches_root) emit_group();
    ptrdiff_t to_skip = std::max<ptrdiff_t>(0, surplus);
    for (size_t i = 0; i < native_.addresses.size(); ++i) {
      if (part_of(native_.addresses[i]) != Part::Evaluator)
        emit_native(i);
      else if (to_skip-- <= 0)
        emit_group();
    }
    while (next_ < language_.size()) emit_group();  // of evaluators that the native walk did not get to
    return Mix::Exact;
  }

 private:
  // A return address may be the first byte behind its function.
  Part part_of(const uint64_t& address) const {
    const uint64_t at = &address == native_.addresses.data() ? address : address - 1;
    if (any_contains(code_.evaluator, at)) return Part::Evaluator;
    if (landmark(at) != nullptr) return Part::Landmark;
    return any_contains(code_.own, at) ? Part::Own : Part::Foreign;
  }

  const Landmark* landmark(uint64_t at) const {
    const auto found = std::ranges::find_if(code_.landmarks, [&](const Landmark& one) { return one.range.contains(at); });
    return found == code_.landmarks.end() ? nullptr : &*found;
  }

  ptrdiff_t count_groups() const {
    const auto entries = std::ranges::count_if(language_, &LanguageFrame::is_entry);
    return entries + (!language_.empty() && !language_.back().is_entry ? 1 : 0);
  }

  // From here on nothing but what started the interpreter. A thread of a program that only embeds one began with the
  // program's own code, and keeps what started that.
  size_t start_of_root() const {
    size_t from = native_.addresses.size();
    bool is_interpreters = false;
    for (; from > 0; --from) {
      const Part part = part_of(native_.addresses[from - 1]);
      if (part == Part::Own || part == Part::Evaluator) is_interpreters = true;
      if (part != Part::Own && native_.is_start_code[from - 1] == 0) break;
    }
    return is_interpreters ? from : native_.addresses.size();
  }

  void emit_native(size_t i) {
    const Part part = part_of(native_.addresses[i]);
    if (part == Part::Own || i >= root_from_) return;
    if (part == Part::Landmark)
      mixed_.push_back({true, landmark(native_.addresses[i] - (i == 0 ? 0 : 1))->id});
    else
      mixed_.push_back({false, static_cast<uint32_t>(i)});
  }

  void emit_group() {
    while (next_ < language_.size()) {
      const LanguageFrame& frame = language_[next_++];
      mixed_.push_back({true, frame.id});
      if (frame.is_entry) return;
    }
  }

  Mix mix_in_one_piece() {
    bool is_done = false;
    for (size_t i = 0; i < native_.addresses.size(); ++i) {
      if (part_of(native_.addresses[i]) == Part::Evaluator && !is_done) {
        is_done = true;
        while (next_ < language_.size()) emit_group();
      } else {
        emit_native_but_evaluator(i);
      }
    }
    while (next_ < language_.size()) emit_group();
    return Mix::Approximate;
  }

  void emit_native_but_evaluator(size_t i) {
    if (part_of(native_.addresses[i]) != Part::Evaluator) emit_native(i);
  }

  const NativeStack& native_;
  const InterpreterCode& code_;
  std::span<const LanguageFrame> language_;
  std::vector<MixedFrame>& mixed_;
  size_t next_ = 0;
  size_t root_from_ = 0;
};

}  // namespace

Mix mix_stacks(const NativeStack& native, const InterpreterCode& code, std::span<const LanguageFrame> language,
               std::vector<MixedFrame>& mixed) {
  return Mixer(native, code, language, mixed).run();
}

}  // namespace atys::capture::native
