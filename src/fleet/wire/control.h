// SPDX-License-Identifier: Apache-2.0
// What agents and controllers tell each other: schema/control.proto, as structures and as bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::fleet {

struct TaskState {
  std::string task;
  uint32_t instances = 0;  // that run
  double hz = 0;
  uint64_t windows = 0;
  double overhead = 0;
  std::string trouble;

  bool operator==(const TaskState&) const = default;
};

struct AgentReport {
  std::string node;
  std::string sender;  // 16 bytes
  std::string version;
  std::string metrics_address;
  std::map<std::string, std::string> labels;
  std::vector<TaskState> tasks;
  uint64_t spooled_bytes = 0;
  uint64_t dropped_windows = 0;
  uint64_t cpu_ns = 0;
  uint64_t memory_bytes = 0;
  uint64_t started_ns = 0;
  uint64_t now_ns = 0;                         // Unix time, as this machine has it; 0: it does not say
  bool is_clock_synchronized = false;          // by the kernel's account: somebody keeps the clock right
  std::string trouble;                         // with the controller, as far as it can be told: what waits, and why
  std::map<std::string, uint64_t> dropped_by;  // of dropped_windows, by reason

  bool operator==(const AgentReport&) const = default;
};

struct Orders {
  std::vector<std::string> tasks;  // YAML
  double rate_factor = 1;
  uint64_t report_again_ns = 5'000'000'000;
  bool takes_packed = false;  // kPackedMethod is there
  uint64_t now_ns = 0;        // Unix time, as the controller has it; 0: it does not say
  bool is_clock_synchronized = false;

  bool operator==(const Orders&) const = default;
};

// A node asks, with a token for joining, for a token of its own, and gets it.
struct JoinRequest {
  std::string node;
};
struct Joined {
  std::string token;
};

std::string encode(const AgentReport& report);
std::string encode(const JoinRequest& request);
std::string encode(const Joined& joined);
Result<JoinRequest> decode_join(std::string_view bytes);
Result<Joined> decode_joined(std::string_view bytes);
std::string encode(const Orders& orders);
// Bounded (bounds.h); numbers that make no sense are errors.
Result<AgentReport> decode_report(std::string_view bytes);
Result<Orders> decode_orders(std::string_view bytes);

// Windows compressed against those before (dcz.h), for a controller that says it takes them.
std::string encode_packed(std::string_view body);
Result<std::string_view> decode_packed(std::string_view bytes);

inline constexpr std::string_view kReportMethod = "/atys.control.v1.Control/Report";
inline constexpr std::string_view kJoinMethod = "/atys.control.v1.Control/Join";
inline constexpr std::string_view kPackedMethod = "/atys.control.v1.Control/ExportPacked";
inline constexpr std::string_view kExportMethod =
    "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

}  // namespace atys::fleet
