// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/controller.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/random.h"
#include "fleet/clock_agreement.h"
#include "fleet/controller/load_governor.h"
#include "fleet/controller/pooled_merge.h"
#include "fleet/controller/service_selection.h"
#include "fleet/wire/dcz.h"

namespace atys::fleet {

namespace {

constexpr auto kTick = std::chrono::seconds(1);
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kCompactEveryNs = 30 * kSecond;
constexpr int64_t kRetainEveryNs = 600 * kSecond;
constexpr int64_t kMostAheadNs = 3600 * kSecond;  // how wrong a sender's clock may be
constexpr size_t kLargeMessage = size_t{1} << 20;
constexpr size_t kMostCountedServices = 200;
constexpr size_t kMostProblems = 20;

// A few words for a metric, from an error that may say anything.
std::string reason_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::InvalidInput: return "invalid";
    case ErrorCode::ResourceExhausted: return "too_large";
    case ErrorCode::Unavailable: return "unavailable";
    default: return "failed";
  }
}

class Running final : public Controller {
 public:
  Running(ControllerOptions options, std::unique_ptr<store::ProfileStore> store, TaskBook tasks)
      : options_(std::move(options)),
        store_(std::move(store)),
        door_(options_.most_waiting_bytes),
        kept_(options_.most_kept_bytes) {
    books_.lock()->tasks = std::move(tasks);
    started_ns_ = now_ns();
  }
  ~Running() override {
    {
      const std::lock_guard lock(wake_mutex_);
      is_ending_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
    upstream_.reset();
  }

  Result<> start(std::unique_ptr<ControllerLink> upstream, const std::vector<std::string>& problems);

  Admission& door() override { return door_; }
  Result<Orders> report(const AgentReport& report) override;
  Result<ExportResponse> receive(std::string_view otlp, OtlpEncoding encoding) override;
  Result<ExportResponse> receive_packed(std::string_view body) override;
  Result<TaskEntry> apply_task(const std::string& text, std::string_view source) override {
    return books_.lock()->tasks->apply(text, source, now_ns());
  }
  Result<TaskEntry> stop_task(const std::string& name) override { return books_.lock()->tasks->stop(name); }
  Result<TaskEntry> remove_task(const std::string& name) override { return books_.lock()->tasks->remove(name); }
  Result<TaskEntry> task(const std::string& name) const override { return books_.lock()->tasks->find(name); }
  std::vector<TaskEntry> tasks() const override { return books_.lock()->tasks->list(); }
  std::vector<NodeState> nodes() const override { return books_.lock()->nodes.list(steady_ns()); }
  Result<std::vector<store::ServiceEntry>> services() override { return store_->services(); }
  Result<std::vector<store::InstanceEntry>> instances(const std::string& service) override;
  Result<store::Merged> profile(const ServiceQuery& query) override;
  Result<store::Series> series(const ServiceQuery& query, int64_t step_ns, const std::string& function) override;
  Result<ControllerStatus> status() override;
  int64_t now_ns() const override {
    return options_.now_ns ? options_.now_ns() : static_cast<int64_t>(clock_ns(CLOCK_REALTIME));
  }
  void keep_up() override;

 private:
  int64_t steady_ns() const {
    if (options_.steady_ns) return options_.steady_ns();
    return options_.now_ns ? options_.now_ns() : static_cast<int64_t>(clock_ns(CLOCK_MONOTONIC));
  }
  struct Books {
    std::optional<TaskBook> tasks;
    NodeRegistry nodes;
    LoadGovernor governor;
    uint64_t turned_away_before = 0;
    double factor_from_above = 1;
    ControllerStatus counted;  // the counters of it
  };

  Result<Received> decode(std::string_view otlp, OtlpEncoding encoding);
  Result<std::string> unpack(std::string_view body, Admission::Ticket& ticket);
  Result<ExportResponse> store(Received received);
  void count_refused(const std::string& reason, size_t profiles);
  AgentReport own_report() const;
  void add_problem(std::string problem);
  NodeClock clock_of(const std::string& node) const;
  Error later(const Error& trouble);

  const ControllerOptions options_;
  std::unique_ptr<store::ProfileStore> store_;
  Admission door_;
  KeptMessages kept_;
  int64_t started_ns_ = 0;
  std::string sender_;
  mutable Guarded<Books> books_;
  std::mutex large_;  // one large message is decoded at a time
  std::unique_ptr<Upstream> upstream_;
  int64_t next_compact_ns_ = INT64_MIN, next_retain_ns_ = INT64_MIN;  // steady time; of the thread alone
  std::mutex wake_mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::thread thread_;
};

Result<> Running::start(std::unique_ptr<ControllerLink> upstream, const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) add_problem(problem);
  sender_ = TRY(random_bytes(16));
  if (upstream != nullptr) {
    UpstreamOptions options{.name = options_.name,
                            .folder = options_.folder + "/upstream",
                            .interval_ns = options_.pass_on_interval_ns,
                            .grace_ns = options_.pass_on_grace_ns,
                            .now_ns = [this] { return now_ns(); },
                            .report = [this] { return own_report(); },
                            .on_orders =
                                [this](const Orders& orders) {
                                  const auto books = books_.lock();
                                  books->tasks->set_from_above(orders.tasks, now_ns());
                                  books->factor_from_above = orders.rate_factor;
                                }};
    upstream_ = TRY(Upstream::open(std::move(options), *store_, std::move(upstream)));
    upstream_->start();
  }
  thread_ = std::thread([this] {
    std::unique_lock lock(wake_mutex_);
    while (!wake_.wait_for(lock, kTick, [this] { return is_ending_; })) {
      lock.unlock();
      keep_up();
      lock.lock();
    }
  });
  return {};
}

Result<Orders> Running::report(const AgentReport& report) {
  const auto books = books_.lock();
  ++books->counted.reports;
  TRY(books->nodes.add(report, now_ns(), steady_ns()));
  const auto role = report.labels.find(std::string(kRoleLabel));
  const bool is_controller = role != report.labels.end() && role->second == kControllerRole;
  return Orders{.tasks = books->tasks->orders_for(report.node, is_controller, now_ns()),
                .rate_factor = std::max(LoadGovernor::kLeastFactor, books->governor.factor() * books->factor_from_above),
                .report_again_ns = options_.report_again_ns,
                .takes_packed = true,
                .now_ns = static_cast<uint64_t>(now_ns()),
                .is_clock_synchronized = is_clock_synchronized()};
}

NodeClock Running::clock_of(const std::string& node) const {
  const auto books = books_.lock();
  const NodeState* known = books->nodes.find(node);
  if (known == nullptr) return NodeClock::Unknown;
  if (!known->clock_ahead_ns) return NodeClock::Right;  // of an older release, which does not say
  return std::llabs(*known->clock_ahead_ns) > kClockToleranceNs ? NodeClock::Off : NodeClock::Right;
}

// Trouble of the store is none of the window: whoever sends it keeps it and comes again.
Error Running::later(const Error& trouble) {
  Error error = fail(ErrorCode::Unavailable, "the controller cannot store anything now: " + trouble.message,
                     trouble.hint.empty() ? "see the log of the controller" : trouble.hint);
  const auto books = books_.lock();
  ++books->counted.refused_messages["store"];
  books->counted.store_trouble = trouble.message;
  return error;
}

Result<Received> Running::decode(std::string_view otlp, OtlpEncoding encoding) {
  std::unique_lock<std::mutex> alone(large_, std::defer_lock);
  if (otlp.size() > kLargeMessage) alone.lock();
  const int64_t now = now_ns();
  const int64_t age = options_.retention.max_age_ns[static_cast<size_t>(store::Level::Windows)];
  return read_windows(otlp, encoding,
                      {.earliest_ns = age > 0 ? now - age : 0,
                       .latest_ns = now + kMostAheadNs,
                       .now_ns = now,
                       .clock_of = [this](const std::string& node) { return clock_of(node); }});
}

Result<ExportResponse> Running::receive(std::string_view otlp, OtlpEncoding encoding) {
  {
    const auto books = books_.lock();
    ++books->counted.messages;
    books->counted.message_bytes += otlp.size();
  }
  auto received = decode(otlp, encoding);
  if (received.ok()) return store(received.take());
  ++books_.lock()->counted.refused_messages[reason_of(received.error())];
  return received.error();
}

Result<ExportResponse> Running::receive_packed(std::string_view body) {
  {
    const auto books = books_.lock();
    ++books->counted.packed_messages;
    books->counted.packed_bytes += body.size();
  }
  Admission::Ticket ticket;
  const auto otlp = unpack(body, ticket);
  if (!otlp.ok()) {
    if (otlp.error().code != ErrorCode::NotFound) ++books_.lock()->counted.refused_messages[reason_of(otlp.error())];
    return otlp.error();
  }
  ExportResponse response = TRY(receive(*otlp, OtlpEncoding::Protobuf));
  // A sender goes on from what was taken whole.
  if (response.rejected_profiles == 0) kept_.put(*otlp, TRY(read_dcz_head(body)).dictionary_hash);
  return response;
}

Result<std::string> Running::unpack(std::string_view body, Admission::Ticket& ticket) {
  const DczHead head = TRY(read_dcz_head(body));
  // It would be told to come again for ever.
  if (head.content_bytes > door_.most_bytes() / 2)
    return fail(ErrorCode::ResourceExhausted, "the message is too large to be unpacked here", "send it as plain OTLP");
  ticket = TRY(door_.admit(head.content_bytes));
  if (head.dictionary_hash.empty()) return unpack_dcz(head, {});
  const std::optional<std::string> before = kept_.find(head.dictionary_hash);
  if (!before) return fail(ErrorCode::NotFound, "the message before this one is not kept here any more", "send it whole");
  return unpack_dcz(head, *before);
}

void Running::count_refused(const std::string& reason, size_t profiles) {
  books_.lock()->counted.refused_profiles[reason] += profiles;
}

Result<ExportResponse> Running::store(Received received) {
  ExportResponse response{static_cast<int64_t>(received.rejected), received.why};
  for (const auto& [reason, profiles] : received.rejected_by) count_refused(reason, profiles);
  if (received.windows.empty()) return response;
  const Result<store::Appended> stored = upstream_ ? upstream_->append(received.windows) : store_->append(received.windows);
  if (!stored.ok()) return later(stored.error());
  const store::Appended& appended = *stored;
  for (const auto& refusal : appended.refused) {
    response.rejected_profiles += static_cast<int64_t>(received.profiles[refusal.position]);
    if (response.error_message.empty()) response.error_message = refusal.why.message;
    count_refused("store", received.profiles[refusal.position]);
  }
  const auto books = books_.lock();
  books->counted.store_trouble.clear();
  books->counted.windows += appended.added;
  books->counted.duplicates += appended.duplicates;
  auto& by_service = books->counted.windows_by_service;
  for (const store::Window& window : received.windows) {
    const bool has_room = by_service.contains(window.service) || by_service.size() < kMostCountedServices;
    ++by_service[has_room ? window.service : "other"];
  }
  return response;
}

Result<std::vector<store::InstanceEntry>> Running::instances(const std::string& service) {
  TRY(find_service(*store_, service));
  return store_->instances(service);
}

Result<store::Merged> Running::profile(const ServiceQuery& query) {
  return pooled_merge(*store_, TRY(selection_of(*store_, query)), store::Detail::Stacks);
}

Result<store::Series> Running::series(const ServiceQuery& query, int64_t step_ns, const std::string& function) {
  return store_->series({.selection = TRY(selection_of(*store_, query)), .step_ns = step_ns, .function = function});
}

Result<ControllerStatus> Running::status() {
  ControllerStatus status;
  {
    const auto books = books_.lock();
    status = books->counted;
    status.rate_factor = std::min(books->governor.factor(), books->factor_from_above);
    status.load = books->governor.load();
    for (const NodeState& node : books->nodes.list(steady_ns())) {
      ++status.nodes;
      if (node.is_away) ++status.nodes_away;
    }
    status.tasks = books->tasks->list().size();
  }
  status.name = options_.name;
  status.started_ns = started_ns_;
  status.waiting_bytes = door_.inside_bytes();
  status.most_waiting_bytes = door_.most_bytes();
  status.turned_away = door_.turned_away();
  status.kept = kept_.state();
  // What is wrong with the store is to be told when it is wrong.
  if (auto health = store_->health(); health.ok())
    status.store = health.take();
  else
    status.store_trouble = health.error().message;
  status.has_upstream = upstream_ != nullptr;
  if (upstream_) status.upstream = upstream_->status();
  return status;
}

AgentReport Running::own_report() const {
  AgentReport report{.node = options_.name,
                     .sender = sender_,
                     .version = ATYS_VERSION,
                     .labels = {{std::string(kRoleLabel), std::string(kControllerRole)}},
                     .cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
                     .started_ns = static_cast<uint64_t>(started_ns_)};
  report.tasks = sum_tasks(nodes());
  return report;
}

void Running::add_problem(std::string problem) {
  const auto books = books_.lock();
  auto& problems = books->counted.problems;
  if (!problems.empty() && problems.back() == problem) return;
  if (problems.size() >= kMostProblems) problems.erase(problems.begin());
  problems.push_back(std::move(problem));
}

void Running::keep_up() {
  const int64_t now = now_ns(), steady = steady_ns();
  {
    const auto books = books_.lock();
    const uint64_t turned_away = door_.turned_away();
    books->governor.update(clock_ns(CLOCK_MONOTONIC),
                           static_cast<double>(door_.inside_bytes()) / static_cast<double>(door_.most_bytes()),
                           turned_away > books->turned_away_before);
    books->turned_away_before = turned_away;
  }
  if (steady >= next_compact_ns_) {
    next_compact_ns_ = steady + kCompactEveryNs;
    const auto compacted = store_->compact(now);
    if (!compacted.ok()) add_problem("sums: " + compacted.error().message);
    if (compacted.ok()) ++books_.lock()->counted.compactions;
  }
  if (steady >= next_retain_ns_) {
    next_retain_ns_ = steady + kRetainEveryNs;
    const auto dropped = store_->retain(options_.retention, now);
    if (!dropped.ok()) add_problem("retention: " + dropped.error().message);
    if (dropped.ok()) books_.lock()->counted.dropped_windows += dropped->windows;
  }
}

}  // namespace

Result<std::unique_ptr<Controller>> Controller::open(ControllerOptions options, std::unique_ptr<store::ProfileStore> store,
                                                     std::unique_ptr<ControllerLink> upstream) {
  if (options.name.empty()) {
    char name[256] = {};
    if (::gethostname(name, sizeof name - 1) != 0) return fail_errno("cannot tell the name of this host");
    options.name = name;
  }
  std::vector<std::string> problems;
  TaskBook tasks = TRY(TaskBook::open(options.folder + "/tasks", problems));
  auto controller = std::make_unique<Running>(std::move(options), std::move(store), std::move(tasks));
  TRY(controller->start(std::move(upstream), problems));
  return std::unique_ptr<Controller>(std::move(controller));
}

}  // namespace atys::fleet
