// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/control.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fleet/wire/bounds.h"
#include "format/wire/wire_reader.h"
#include "format/wire/wire_writer.h"

namespace atys::fleet {

namespace {

using format::WireField;
using format::WireReader;
using format::WireType;
using format::WireWriter;

constexpr size_t kMostTasks = 1000;
constexpr size_t kMostLabels = 100;
constexpr size_t kSenderBytes = 16;
constexpr uint64_t kLongestUntilReportNs = 3600'000'000'000;
constexpr size_t kMostReasons = 50;
constexpr size_t kLongestTrouble = 2000;

Error nonsense(const char* what) {
  return fail(ErrorCode::InvalidInput, std::string("message of the control channel: ") + what,
              "use matching versions of atys");
}

std::string text(const WireField& field) { return field.type == WireType::Bytes ? std::string(field.bytes) : std::string(); }

double number(const WireField& field) { return field.type == WireType::Fixed64 ? std::bit_cast<double>(field.value) : 0; }

void write_double(WireWriter& writer, uint32_t field, double value) {
  writer.fixed64(field, std::bit_cast<uint64_t>(value));
}

std::string encode(const TaskState& state) {
  std::string out;
  WireWriter writer(out);
  writer.bytes(1, cut(bounds::kTaskName, state.task));
  writer.varint(2, state.instances);
  write_double(writer, 3, state.hz);
  writer.varint(4, state.windows);
  write_double(writer, 5, state.overhead);
  writer.bytes(6, cut(bounds::kTrouble, state.trouble));
  return out;
}

Result<TaskState> decode_state(const WireField& outer, const WireReader& at) {
  WireReader reader = WireReader::nested(outer, at);
  TaskState state;
  for (WireField field; reader.next(field);) switch (field.number) {
      case 1: state.task = text(field); break;
      case 2: state.instances = static_cast<uint32_t>(field.value); break;
      case 3: state.hz = number(field); break;
      case 4: state.windows = field.value; break;
      case 5: state.overhead = number(field); break;
      case 6: state.trouble = text(field); break;
      default: break;
    }
  if (!reader.ok()) return reader.error();
  TRY(within(bounds::kTaskName, state.task));
  TRY(within(bounds::kTrouble, state.trouble));
  if (!std::isfinite(state.hz) || !std::isfinite(state.overhead)) return nonsense("a rate that is no number");
  return state;
}

Result<std::pair<std::string, std::string>> decode_label(const WireField& outer, const WireReader& at) {
  WireReader reader = WireReader::nested(outer, at);
  std::pair<std::string, std::string> label;
  for (WireField field; reader.next(field);) {
    if (field.number == 1) label.first = text(field);
    if (field.number == 2) label.second = text(field);
  }
  if (!reader.ok()) return reader.error();
  TRY(within(bounds::kLabelKey, label.first));
  TRY(within(bounds::kLabelValue, label.second));
  return label;
}

Result<std::pair<std::string, uint64_t>> decode_count(const WireField& outer, const WireReader& at) {
  WireReader reader = WireReader::nested(outer, at);
  std::pair<std::string, uint64_t> count;
  for (WireField field; reader.next(field);) {
    if (field.number == 1) count.first = text(field);
    if (field.number == 2) count.second = field.value;
  }
  if (!reader.ok()) return reader.error();
  return count;
}

Result<> check(const AgentReport& report) {
  TRY(within(bounds::kNode, report.node));
  TRY(within(bounds::kVersion, report.version));
  TRY(within(bounds::kAddress, report.metrics_address));
  if (report.node.empty()) return nonsense("an agent without a name");
  if (report.sender.size() != kSenderBytes) return nonsense("a sender that is not of 16 bytes");
  if (report.tasks.size() > kMostTasks || report.labels.size() > kMostLabels) return nonsense("too many tasks or labels");
  if (report.dropped_by.size() > kMostReasons || report.trouble.size() > kLongestTrouble)
    return nonsense("a trouble that is too long");
  if (report.now_ns > INT64_MAX) return nonsense("a time that is none");
  return {};
}

}  // namespace

std::string encode(const AgentReport& report) {
  std::string out;
  WireWriter writer(out);
  writer.bytes(1, report.node);
  writer.bytes(2, report.sender);
  writer.bytes(3, report.version);
  writer.bytes(4, report.metrics_address);
  for (const auto& [key, value] : report.labels) {
    std::string label;
    WireWriter(label).bytes(1, key);
    WireWriter(label).bytes(2, value);
    writer.always_bytes(5, label);
  }
  for (const TaskState& state : report.tasks) writer.always_bytes(6, encode(state));
  writer.varint(7, report.spooled_bytes);
  writer.varint(8, report.dropped_windows);
  writer.varint(9, report.cpu_ns);
  writer.varint(10, report.memory_bytes);
  writer.varint(11, report.started_ns);
  writer.varint(20, report.now_ns);
  writer.boolean(21, report.is_clock_synchronized);
  writer.bytes(22, report.trouble.substr(0, kLongestTrouble));
  for (const auto& [reason, count] : report.dropped_by) {
    std::string row;
    WireWriter(row).bytes(1, reason);
    WireWriter(row).varint(2, count);
    writer.always_bytes(23, row);
  }
  return out;
}

std::string encode(const Orders& orders) {
  std::string out;
  WireWriter writer(out);
  for (const std::string& task : orders.tasks) writer.always_bytes(1, task);
  write_double(writer, 2, orders.rate_factor);
  writer.varint(3, orders.report_again_ns);
  writer.boolean(4, orders.takes_packed);
  writer.varint(20, orders.now_ns);
  writer.boolean(21, orders.is_clock_synchronized);
  return out;
}

Result<AgentReport> decode_report(std::string_view bytes) {
  TRY(within(bounds::kReport, bytes));
  WireReader reader(bytes);
  AgentReport report;
  for (WireField field; reader.next(field);) switch (field.number) {
      case 1: report.node = text(field); break;
      case 2: report.sender = text(field); break;
      case 3: report.version = text(field); break;
      case 4: report.metrics_address = text(field); break;
      case 5: report.labels.insert(TRY(decode_label(field, reader))); break;
      case 6: report.tasks.push_back(TRY(decode_state(field, reader))); break;
      case 7: report.spooled_bytes = field.value; break;
      case 8: report.dropped_windows = field.value; break;
      case 9: report.cpu_ns = field.value; break;
      case 10: report.memory_bytes = field.value; break;
      case 11: report.started_ns = field.value; break;
      case 20: report.now_ns = field.value; break;
      case 21: report.is_clock_synchronized = field.value != 0; break;
      case 22: report.trouble = text(field); break;
      case 23: report.dropped_by.insert(TRY(decode_count(field, reader))); break;
      default: break;
    }
  if (!reader.ok()) return reader.error();
  TRY(check(report));
  return report;
}

std::string encode(const JoinRequest& request) {
  std::string out;
  WireWriter(out).bytes(1, request.node);
  return out;
}

std::string encode(const Joined& joined) {
  std::string out;
  WireWriter(out).bytes(1, joined.token);
  return out;
}

Result<JoinRequest> decode_join(std::string_view bytes) {
  WireReader reader(bytes);
  JoinRequest request;
  for (WireField field; reader.next(field);)
    if (field.number == 1) request.node = text(field);
  if (!reader.ok()) return reader.error();
  TRY(within(bounds::kNode, request.node));
  if (request.node.empty()) return nonsense("a node without a name");
  return request;
}

Result<Joined> decode_joined(std::string_view bytes) {
  WireReader reader(bytes);
  Joined joined;
  for (WireField field; reader.next(field);)
    if (field.number == 1) joined.token = text(field);
  if (!reader.ok()) return reader.error();
  TRY(within(bounds::kToken, joined.token));
  if (joined.token.empty()) return nonsense("no token");
  return joined;
}

std::string encode_packed(std::string_view body) {
  std::string out;
  WireWriter(out).always_bytes(1, body);
  return out;
}

Result<std::string_view> decode_packed(std::string_view bytes) {
  WireReader reader(bytes);
  std::string_view body;
  for (WireField field; reader.next(field);)
    if (field.number == 1 && field.type == WireType::Bytes) body = field.bytes;
  if (!reader.ok()) return reader.error();
  return body;
}

Result<Orders> decode_orders(std::string_view bytes) {
  WireReader reader(bytes);
  Orders orders;
  orders.rate_factor = 0;
  for (WireField field; reader.next(field);) switch (field.number) {
      case 1: orders.tasks.push_back(text(field)); break;
      case 2: orders.rate_factor = number(field); break;
      case 3: orders.report_again_ns = field.value; break;
      case 4: orders.takes_packed = field.value != 0; break;
      case 20: orders.now_ns = field.value; break;
      case 21: orders.is_clock_synchronized = field.value != 0; break;
      default: break;
    }
  if (!reader.ok()) return reader.error();
  if (orders.tasks.size() > kMostTasks) return nonsense("too many tasks");
  for (const std::string& task : orders.tasks) TRY(within(bounds::kTaskText, task));
  // An agent that was told to wait for ever would be lost to whoever corrects it.
  orders.report_again_ns = std::min(orders.report_again_ns, kLongestUntilReportNs);
  if (orders.now_ns > INT64_MAX) return nonsense("a time that is none");
  if (!(orders.rate_factor > 0 && orders.rate_factor <= 1)) return nonsense("a rate factor that is not between 0 and 1");
  return orders;
}

}  // namespace atys::fleet
