// SPDX-License-Identifier: Apache-2.0
// Any bytes in the place of records of perf events (support/recorded_bytes.h). Everything that is handed over can be read,
// in the order of time.
#include "capture/native/ring_stacks.h"

#include <cstdlib>

#include "capture/native/process_records.h"
#include "support/recorded_bytes.h"

namespace {

class NoSystem final : public atys::capture::native::RingStacks::System {
 public:
  std::string thread_name(pid_t, pid_t) override { return "name"; }
  void add_walk(atys::capture::native::RawSample& sample) override {
    if (sample.time_ns < latest_ns_) std::abort();
    latest_ns_ = sample.time_ns;
  }
  void take_more() override {}

 private:
  uint64_t latest_ns_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::capture::native;
  if (size < 1) return 0;
  RingStacks stacks(
      {.whole_host = (data[0] & 1) != 0, .with_children = true, .is_clock = (data[0] & 2) != 0, .own_pid = 99});
  stacks.see_all((data[0] & 4) != 0);
  stacks.add_target(7, 0);
  if ((data[0] & 8) != 0) stacks.set_stack_mode(7, StackMode::ByFramePointer);
  std::vector<atys::linux::PerfRecord> process_records;
  atys::test::for_each_recorded({data + 1, size - 1}, [&](std::span<const std::byte> record) {
    stacks.take(record);
    auto told = parse_process_record(record, (data[0] & 16) != 0 ? 7 : 0);
    // A sample points into the record, which is gone.
    if (told && !std::holds_alternative<atys::linux::PerfSample>(told->body)) process_records.push_back(std::move(*told));
  });
  NoSystem system;
  atys::test::ReadingSink sink;
  stacks.hand_over(sink, system);
  sort_by_time(process_records);
  for (const auto& record : process_records) sink.on_process_record(record);
  return 0;
}
