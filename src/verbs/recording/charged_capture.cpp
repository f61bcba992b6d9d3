// SPDX-License-Identifier: Apache-2.0
// How a capture is bounded by what a ledger has left: less time first, then less overhead, never more than asked.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "verbs/recording/charged_call.h"

namespace atys::verbs {

namespace {

using budget::Charge;
using budget::kUnbounded;

// Beside the recording: getting ready, and giving names to everything afterwards. Large binaries take that long once.
constexpr uint64_t kAroundNs = 5 * kSecond;
constexpr double kLowestOverhead = 0.001;

uint64_t product(double a, uint64_t b) {
  const double exact = a * static_cast<double>(b);
  return exact >= static_cast<double>(kUnbounded) ? kUnbounded : static_cast<uint64_t>(exact);
}

// The cap on overhead is of the CPU time of the target, which has all cores at most.
double cores() { return static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

budget::Wanted wanted_for(const CaptureRequest& request, bool all_or_nothing) {
  const bool is_bounded = request.duration_ns != 0;
  Charge most{.captures = 1, .profiled_ns = kUnbounded, .wall_ns = kUnbounded, .overhead_ns = kUnbounded};
  most.tokens = request.max_tokens.value_or(kUsualTokens);
  if (is_bounded) {
    most.profiled_ns = request.duration_ns;
    most.wall_ns = request.duration_ns + kAroundNs;
    most.overhead_ns = product(overhead_cap(request) * cores(), request.duration_ns) + kAroundNs;
  }
  Charge least{.captures = 1,
               .profiled_ns = std::min(kLeastProfiledNs, most.profiled_ns),
               .wall_ns = kLeastProfiledNs + kLeastWallNs,
               .overhead_ns = kLeastOverheadNs,
               .tokens = std::min(kLeastAnswerTokens, most.tokens)};
  if (all_or_nothing) {
    if (is_bounded) least.profiled_ns = most.profiled_ns;
    if (request.max_tokens) least.tokens = most.tokens;
  }
  return {.most = most, .least = smaller(least, most), .call = "capture"};
}

// What remains of a grant for the recording itself.
uint64_t without_surroundings(uint64_t granted) {
  return granted == kUnbounded ? kUnbounded : granted - std::min(kAroundNs, granted / 2);
}

void lower_duration(ChargedCall& call, CaptureRequest& request, uint64_t most, const char* resource) {
  const uint64_t asked = request.duration_ns == 0 ? kUnbounded : request.duration_ns;
  if (most >= asked) return;
  const std::string before =
      asked == kUnbounded ? "as long as it takes" : fmt::format("{:g} s", static_cast<double>(asked) / 1e9);
  call.note_lowered(fmt::format("recording for {:.1f} s at most instead of {}: that is what the {} left allows",
                                static_cast<double>(most) / 1e9, before, resource));
  request.duration_ns = std::max<uint64_t>(most, 1);
}

void lower_overhead(ChargedCall& call, CaptureRequest& request) {
  const uint64_t granted = without_surroundings(call.granted().overhead_ns);
  if (granted == kUnbounded) return;
  if (request.duration_ns != 0) {
    const double share = static_cast<double>(granted) / (static_cast<double>(request.duration_ns) * cores());
    const double lowered = std::max(share, kLowestOverhead);
    if (lowered < overhead_cap(request)) {
      call.note_lowered(fmt::format("overhead of at most {:.2f}% instead of {:g}%: that is what the overhead left allows",
                                    lowered * 100, overhead_cap(request) * 100));
      request.max_overhead = lowered;
    }
  }
  lower_duration(call, request, product(1 / (overhead_cap(request) * cores()), granted), "overhead");
}

}  // namespace

Result<ChargedCall> charge(const LedgerChoice& choice, CaptureRequest& request) {
  ChargedCall call = TRY(ChargedCall::begin(choice, wanted_for(request, choice.all_or_nothing)));
  if (!call.is_charged()) return call;
  call.watch_recording(request);
  lower_duration(call, request, call.granted().profiled_ns, "profiled time");
  lower_duration(call, request, without_surroundings(call.granted().wall_ns), "wall time");
  lower_overhead(call, request);
  lower_tokens(call, request.max_tokens);
  return call;
}

void note_cost(ChargedCall& call, const CaptureAnswer& answer) {
  call.add_cost({.captures = 1, .profiled_ns = answer.duration_ns, .overhead_ns = answer.kernel_cpu_ns});
}

}  // namespace atys::verbs
