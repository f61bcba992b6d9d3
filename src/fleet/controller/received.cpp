// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/received.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "base/utc_time.h"
#include "fleet/clock_agreement.h"
#include "fleet/controller/kind_names.h"
#include "fleet/controller/told_services.h"
#include "fleet/window_labels.h"
#include "fleet/wire/bounds.h"
#include "fleet/wire/export_response.h"
#include "format/otlp/binary_codec.h"
#include "format/otlp/json_codec.h"
#include "format/otlp/parts.h"
#include "format/otlp/to_profile.h"
#include "profile/kinds.h"

namespace atys::fleet {

namespace otlp = format::otlp;

namespace {

// What a message may hold. Decoded, each takes up to some 200 bytes.
constexpr size_t kMostEntries = 2'000'000;
constexpr size_t kMostJsonBytes = size_t{16} << 20;
constexpr size_t kMostWindows = 10'000;
constexpr size_t kMostServices = 500;  // of one resource
constexpr size_t kMostLabels = 32;
constexpr size_t kLongestLabel = 512;
constexpr double kRateStep = 1.05;
constexpr std::string_view kFuture = "of a time that has not come yet";

std::string reason_of(const Error& error) {
  return error.message == kTooOld ? "too_old" : error.message == kFuture ? "future" : "invalid";
}

// Attributes of a resource that are worth asking by; what is left out is of one process, or too long, or secret.
constexpr std::string_view kKeptLabels[] = {"container.",
                                            "k8s.",
                                            "deployment.",
                                            "cloud.",
                                            "faas.",
                                            "service.namespace",
                                            "atys.task",
                                            "atys.clock",
                                            "telemetry.sdk.language",
                                            "process.executable.name",
                                            "process.runtime.name"};

using Attributes = std::map<std::string, std::string, std::less<>>;

std::string text_of(const otlp::AnyValue& value) {
  if (const auto* text = value.get<std::string>()) return *text;
  if (const auto* number = value.get<int64_t>()) return std::to_string(*number);
  if (const auto* truth = value.get<bool>()) return *truth ? "true" : "false";
  if (const auto* number = value.get<double>()) return fmt::format("{}", *number);
  return {};
}

class Hash {
 public:
  Hash() : state_(XXH3_createState()) { XXH3_128bits_reset(state_); }
  ~Hash() { XXH3_freeState(state_); }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;

  Hash& add(std::string_view text) {
    const uint64_t size = text.size();
    XXH3_128bits_update(state_, &size, sizeof size);
    XXH3_128bits_update(state_, text.data(), text.size());
    return *this;
  }
  store::Id id() const {
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(state_));
    store::Id id;
    std::memcpy(id.data(), bytes.digest, id.size());
    id.back() |= 1;  // never all zero
    return id;
  }

 private:
  XXH3_state_t* state_;
};

class WindowMaker {
 public:
  WindowMaker(otlp::Part part, const ReceiveLimits& limits) : part_(std::move(part)), limits_(limits) {
    for (const otlp::KeyValue& pair : part_.attributes) attributes_.emplace(pair.key, text_of(pair.value));
  }

  // More than one where the resource names no service, and its samples do; none where nobody did nothing.
  Result<std::vector<store::Window>> make(size_t most) {
    store::Window window = TRY(whole());
    std::vector<store::Window> windows;
    if (!window.service.empty()) {
      TRY(within(bounds::kService, window.service));
      windows.push_back(std::move(window));
      return windows;
    }
    const std::string otherwise = unknown_service(get(kProgramName));
    for (auto& [service, profile] : by_told_service(std::move(window.profile), otherwise, most)) {
      if (profile.samples.size() == 0 && service == unknown_service({})) continue;
      TRY(within(bounds::kService, service));
      store::Window& one = windows.emplace_back(window);
      one.service = service;
      one.profile = std::move(profile);
      if (service != otherwise) one.id = id_of(window.id, service);
    }
    return windows;
  }

 private:
  Result<store::Window> whole() {
    store::Window window;
    window.id = id();
    window.profile = TRY(otlp::to_profile({std::move(part_.data)}));
    TRY(check_profile(window.profile));
    window.kind = part_.kind.empty() ? std::string(profile::default_kind().name) : part_.kind;
    TRY(within(bounds::kKind, window.kind));
    weigh(window.profile);
    set_time(window);
    window.node = first_of({kHostName, "k8s.node.name", "host.id"});
    TRY(check_time(window));
    window.service = get(kServiceName);
    window.version = get(kServiceVersion);
    window.instance = first_of({kServiceInstance, kPodName, kContainerId, "process.pid"});
    TRY(within(bounds::kVersion, window.version));
    TRY(within(bounds::kNode, window.node));
    TRY(within(bounds::kInstance, window.instance));
    window.labels = labels();
    window.stretch = stretch_of(window.profile);
    return window;
  }

  Result<> check_time(const store::Window& window) const {
    const bool is_early = window.start_ns < limits_.earliest_ns;
    if (!is_early && window.start_ns <= limits_.latest_ns) return {};
    const bool is_of_fleet = !get(kSender).empty() || !get(kVia).empty();
    const NodeClock clock = is_of_fleet && limits_.clock_of ? limits_.clock_of(window.node) : NodeClock::Right;
    if (clock != NodeClock::Right || (is_of_fleet && !is_early))
      return fail(ErrorCode::Unavailable,
                  fmt::format("a window of {}, and it is {} here: the clocks disagree", time_text(window.start_ns),
                              time_text(limits_.now_ns)),
                  std::string(kClockFix) + ", here and there; it is kept until then");
    return fail(ErrorCode::InvalidInput, is_early ? std::string(kTooOld) : std::string(kFuture));
  }

  std::string get(std::string_view key) const {
    const auto found = attributes_.find(key);
    return found == attributes_.end() ? std::string() : found->second;
  }
  std::string first_of(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys)
      if (std::string text = get(key); !text.empty()) return text;
    return {};
  }

  // Of the samples of one service in a window of several.
  static store::Id id_of(const store::Id& whole, const std::string& service) {
    return Hash().add({reinterpret_cast<const char*>(whole.data()), whole.size()}).add(service).id();
  }

  // An agent's windows are counted; others may have ids; what has neither is what it holds.
  store::Id id() const {
    Hash hash;
    for (const auto& [key, value] : attributes_) hash.add(key).add(value);
    hash.add(part_.kind);
    if (!get(kSender).empty() && !get(kSequence).empty()) return hash.add("counted").id();
    if (part_.ids.empty()) return hash.add("content").add(otlp::encode_binary(part_.data)).id();
    for (const std::string& each : part_.ids) hash.add(each);
    return hash.id();
  }

  static Result<> check_profile(const Profile& profile) {
    if (profile.value_types().empty()) return fail(ErrorCode::InvalidInput, "a profile without a sample type");
    for (size_t id = 0; id < profile.strings.size(); ++id)
      TRY(within(bounds::kProfileText, profile.strings.view(static_cast<profile::StringId>(id))));
    return {};
  }

  // Samples that were taken every so much CPU time are that much CPU time: others send the count alone.
  static void weigh(Profile& profile) {
    const profile::Header& header = profile.header;
    const bool counts = profile.value_types().size() == 1 && profile.text(profile.value_types()[0].unit) == "count";
    if (!counts || header.period <= 0 || profile.text(header.period_type.unit) != "nanoseconds") return;
    const size_t weight = profile.add_value_type(header.period_type);
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      int64_t value = 0;
      if (__builtin_mul_overflow(profile.samples.value(row, 0), header.period, &value)) value = INT64_MAX;
      profile.samples.mutable_values(weight)[row] = value;
    }
    profile.header.default_value_type = header.period_type.type;
  }

  void set_time(store::Window& window) const {
    const profile::Header& header = window.profile.header;
    window.is_undated = header.time_ns <= 0;
    window.start_ns = window.is_undated ? limits_.now_ns : header.time_ns;
    if (header.duration_ns <= 0 || __builtin_add_overflow(window.start_ns, header.duration_ns, &window.end_ns))
      window.end_ns = window.start_ns;
  }

  store::LabelList labels() const {
    store::LabelList labels;
    for (const auto& [key, value] : attributes_) {
      const bool is_kept = std::any_of(std::begin(kKeptLabels), std::end(kKeptLabels),
                                       [&](std::string_view kept) { return key.starts_with(kept); });
      if (is_kept && key.size() <= kLongestLabel && labels.size() < kMostLabels)
        labels.emplace_back(key, value.substr(0, kLongestLabel));
    }
    return labels;
  }

  store::Stretch stretch_of(const Profile& profile) const {
    const std::string given = get(kStretch);
    if (given.empty() || given.size() > kLongestLabel) return {};
    // A controller below us has written all of it already.
    if (auto whole = store::parse_stretch(given)) return std::move(*whole);
    const double period = static_cast<double>(std::max<int64_t>(profile.header.period, 1));
    const auto rate = std::lround(std::log(period) / std::log(kRateStep));
    const std::string stream = fmt::format("{}/{}", get(kSender).substr(0, 8), get(kTaskName).substr(0, kLongestLabel / 2));
    return store::parse_stretch(fmt::format("{}/{}@{}", stream, given, rate)).value_or(store::Stretch{});
  }

  otlp::Part part_;
  const ReceiveLimits& limits_;
  Attributes attributes_;
};

Result<std::vector<otlp::message::ProfilesData>> decode(std::string_view bytes, OtlpEncoding encoding) {
  if (encoding == OtlpEncoding::Json) {
    if (bytes.size() > kMostJsonBytes)
      return fail(ErrorCode::ResourceExhausted, "the message is larger than 16 MiB of JSON",
                  "send protobuf, or less at once");
    return otlp::decode_json(bytes);
  }
  if (otlp::count_entries(bytes) > kMostEntries)
    return fail(ErrorCode::ResourceExhausted, "the message has more than 2,000,000 entries", "send less at once");
  std::vector<otlp::message::ProfilesData> one;
  one.push_back(TRY(otlp::decode_binary(bytes)));
  return one;
}

}  // namespace

Result<Received> read_windows(std::string_view bytes, OtlpEncoding encoding, const ReceiveLimits& limits) {
  Received received;
  for (otlp::message::ProfilesData& data : TRY(decode(bytes, encoding))) {
    for (otlp::Part& part : TRY(otlp::take_apart(std::move(data), kind_of))) {
      const size_t profiles = part.profiles;
      Result<std::vector<store::Window>> windows =
          received.windows.size() < kMostWindows
              ? WindowMaker(std::move(part), limits).make(std::min(kMostServices, kMostWindows - received.windows.size()))
              : fail(ErrorCode::ResourceExhausted, "more than 10,000 profiles in a message");
      if (windows.ok()) {
        for (store::Window& window : *windows) {
          received.windows.push_back(std::move(window));
          received.profiles.push_back(profiles);
        }
        continue;
      }
      if (windows.error().code == ErrorCode::Unavailable) return windows.error();
      received.rejected += profiles;
      received.rejected_by[reason_of(windows.error())] += profiles;
      if (received.why.empty()) received.why = windows.error().message;
    }
  }
  return received;
}

}  // namespace atys::fleet
