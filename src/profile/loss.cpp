// SPDX-License-Identifier: Apache-2.0
#include "profile/loss.h"

#include <algorithm>

namespace atys::profile {

namespace {

struct Reason {
  std::string_view text;  // what it begins with
  LossOf of;
};

// tools/check_losses.py looks for each reason of the source here.
constexpr Reason kReasons[] = {
    // Recorders of ours.
    {"stacks cut: frame pointers ended before the root", LossOf::Stacks},
    {"stacks cut: deeper than what was copied", LossOf::Stacks},
    {"stacks cut: code without unwind rules", LossOf::Stacks},
    {"stacks cut: no sensible return address", LossOf::Stacks},
    {"stacks cut: too many frames", LossOf::Stacks},
    {kStacksCut, LossOf::Stacks},
    {"stacks not received", LossOf::Stacks},
    {"stacks of an interpreter that made no sense", LossOf::Stacks},
    {"stacks of an interpreter that changed while they were read", LossOf::Stacks},
    {"stacks of an interpreter cut", LossOf::Stacks},
    {"stacks of an interpreter not aligned with the native ones", LossOf::Stacks},
    {"stacks of an interpreter not read in time", LossOf::Stacks},
    {"stacks that a runtime was to record and did not hand over", LossOf::Stacks},
    {"processes whose threads may not be stopped", LossOf::Details},
    {"system calls that our signal interrupted", LossOf::Details},
    {"labels of threads whose keys are not known", LossOf::Details},
    {"samples without their labels", LossOf::Details},
    {"records of what processes mapped", LossOf::Details},
    {"places in files whose reading had to be ended", LossOf::Details},
    {"recordings that a runtime did not hand over", LossOf::Samples},
    {"samples that found the ring full", LossOf::Samples},
    {"samples of stacks that found no free counter", LossOf::Samples},
    {"times that the kernel throttled us", LossOf::Samples},
    {"waits without a stack", LossOf::Samples},
    {"records of the sampler that make no sense", LossOf::Samples},
    {"records of perf events that make no sense", LossOf::Samples},
    {"JavaScript", LossOf::Samples},
    {"java: ", LossOf::Samples},
    {"stored profiles that are damaged or cannot be read", LossOf::Samples},
    // Files of others.
    {"stacks that the recorder cut short", LossOf::Stacks},
    {"stacks that are not in the file", LossOf::Stacks},
    {"speedscope: weights with a fraction, rounded", LossOf::Details},
    {"dropped-attributes", LossOf::Details},
    {"bytes that the recorder lost", LossOf::Samples},
    {"samples that the recorder lost", LossOf::Samples},
    {"truncated-sample", LossOf::Samples},
    {"unreadable-line", LossOf::Samples},
};

}  // namespace

LossOf what_is_lost(std::string_view reason) {
  const auto found = std::ranges::find_if(kReasons, [&](const Reason& known) { return reason.starts_with(known.text); });
  return found == std::end(kReasons) ? LossOf::Samples : found->of;
}

bool is_known_reason(std::string_view reason) {
  return std::ranges::find(kReasons, reason, &Reason::text) != std::end(kReasons);
}

}  // namespace atys::profile
