// SPDX-License-Identifier: Apache-2.0
#include "store/function_stacks.h"

#include "reduce/anonymous.h"

namespace atys::store {

using namespace profile;

std::vector<uint8_t> stacks_of_function(const Profile& profile, const std::string& function) {
  std::vector<char> functions(profile.functions.size());
  for (uint32_t i = 1; i < functions.size(); ++i) {
    functions[i] = reduce::may_be_shown_as(profile, FunctionId{i}, function) ? 1 : 0;
  }
  std::vector<uint8_t> frames(profile.frames.size());
  for (uint32_t i = 1; i < frames.size(); ++i) {
    const auto lines = profile.lines[profile.frames[FrameId{i}].lines];
    for (const Line& line : lines) {
      if (functions[raw(line.function)] != 0) frames[i] |= kPassesFunction;
    }
    if (!lines.empty() && functions[raw(lines.front().function)] != 0) frames[i] |= kEndsInFunction;
  }
  std::vector<uint8_t> stacks(profile.stacks.size());
  for (uint32_t i = 1; i < stacks.size(); ++i) {
    const auto stack = profile.stacks[StackId{i}];
    for (const FrameId frame : stack) stacks[i] |= frames[raw(frame)] & kPassesFunction;
    if (!stack.empty()) stacks[i] |= frames[raw(stack.front())] & kEndsInFunction;
  }
  return stacks;
}

}  // namespace atys::store
