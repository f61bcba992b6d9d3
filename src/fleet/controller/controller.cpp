// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/controller.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/random.h"
#include "fleet/clock_agreement.h"
#include "fleet/controller/load_governor.h"
#include "fleet/controller/pooled_merge.h"
#include "fleet/controller/quotas.h"
#include "fleet/controller/sender_rights.h"
#include "fleet/controller/service_selection.h"
#include "fleet/wire/dcz.h"
#include "store/trusted_clock.h"

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
  Running(ControllerOptions options, std::unique_ptr<store::ProfileStore> store, TaskBook tasks,
          std::unique_ptr<NodeTokens> node_tokens)
      : options_(std::move(options)),
        node_tokens_(std::move(node_tokens)),
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
  Result<Orders> report(const AgentReport& report, const Identity& from) override;
  Result<Joined> join(const JoinRequest& request, const Identity& from) override;
  Result<> forget_node(const std::string& node) override;
  void count_refused_message(const Error& why) override;
  Result<ExportResponse> receive(std::string_view otlp, OtlpEncoding encoding, const Identity& from) override;
  Result<ExportResponse> receive_packed(std::string_view body, const Identity& from) override;
  Result<TaskEntry> apply_task(const std::string& text, std::string_view source) override {
    return books_.lock()->tasks->apply(text, source, now_ns());
  }
  Result<TaskEntry> stop_task(const std::string& name) override { return books_.lock()->tasks->stop(name); }
  Result<TaskEntry> remove_task(const std::string& name) override { return books_.lock()->tasks->remove(name); }
  Result<TaskEntry> task(const std::string& name) const override { return books_.lock()->tasks->find(name); }
  std::vector<TaskEntry> tasks() const override { return books_.lock()->tasks->list(); }
  std::vector<NodeState> nodes() const override { return books_.lock()->nodes.list(running_ns()); }
  Result<std::vector<store::ServiceEntry>> services(store::Missing* missing) override { return store_->services(missing); }
  Result<std::vector<store::InstanceEntry>> instances(const std::string& service) override;
  Result<store::Merged> profile(const ServiceQuery& query) override;
  Result<store::Series> series(const ServiceQuery& query, int64_t step_ns, const std::string& function) override;
  Result<ControllerStatus> status() override;
  int64_t now_ns() const override {
    return options_.now_ns ? options_.now_ns() : static_cast<int64_t>(clock_ns(CLOCK_REALTIME));
  }
  void keep_up() override;

 private:
  int64_t running_ns() const {
    if (options_.running_ns) return options_.running_ns();
    return options_.now_ns ? options_.now_ns() : static_cast<int64_t>(clock_ns(CLOCK_BOOTTIME));
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
  Result<Received> admit(std::string_view otlp, OtlpEncoding encoding, const Identity& from);
  Result<ExportResponse> store(Received received);
  void count_refused(const std::string& reason, size_t profiles);
  AgentReport own_report() const;
  Result<> look_at_store(ControllerStatus& status);
  void add_problem(std::string problem);
  std::string clock_path() const { return options_.folder + "/clock"; }
  Result<> start_clock();
  Result<> save_clock();
  int64_t trusted_now_ns();
  int64_t agreed_now_ns() {
    (void)trusted_now_ns();
    return (*clock_.lock())->agreed_ns(newest_ns_);
  }
  void compact();
  void retain();
  NodeClock clock_of(const std::string& node) const;
  Error later(const Error& trouble);
  store::RetentionPolicy retention() const {
    store::RetentionPolicy policy = options_.retention;
    store::StoreMaintenance* maintenance = store_->maintenance();
    if (policy.max_bytes == 0 && maintenance != nullptr) policy.max_bytes = maintenance->default_max_bytes();
    return policy;
  }

  const ControllerOptions options_;
  std::unique_ptr<NodeTokens> node_tokens_;
  Quotas quotas_;
  std::unique_ptr<store::ProfileStore> store_;
  Admission door_;
  KeptMessages kept_;
  int64_t started_ns_ = 0;
  std::string sender_;
  mutable Guarded<Books> books_;
  std::mutex large_;  // one large message is decoded at a time
  std::unique_ptr<Upstream> upstream_;
  Guarded<std::optional<store::TrustedClock>> clock_;
  std::atomic<int64_t> newest_ns_ = 0;                // the start of the newest window that is stored
  std::mutex upkeep_;                                 // one round at a time
  int64_t next_compact_ns_ = 0, next_retain_ns_ = 0;  // in time that has passed, whatever the clock says; guarded by upkeep_
  std::mutex wake_mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::thread thread_;
};

Result<> Running::start(std::unique_ptr<ControllerLink> upstream, const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) add_problem(problem);
  TRY(start_clock());
  sender_ = TRY(random_bytes(16));
  if (upstream != nullptr) {
    UpstreamOptions options{.name = options_.name,
                            .folder = options_.folder + "/upstream",
                            .interval_ns = options_.pass_on_interval_ns,
                            .grace_ns = options_.pass_on_grace_ns,
                            .now_ns = [this] { return agreed_now_ns(); },
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

// A store that is in trouble does not keep the controller from starting: then the clock is all there is.
Result<> Running::start_clock() {
  int64_t reference = 0;
  if (const auto saved = open_source(clock_path()); saved.ok()) {
    const std::string text(as_text(TRY((*saved)->read_all(100))));
    std::from_chars(text.data(), text.data() + text.size(), reference);
  }
  if (const auto holdings = store_->holdings(); holdings.ok()) newest_ns_ = holdings->newest_ns;
  if (reference <= 0) reference = newest_ns_;
  store::TrustedClock clock(reference, now_ns(), running_ns());
  if (const auto odd = clock.odd_start()) add_problem(*odd);
  *clock_.lock() = clock;
  return {};
}

Result<> Running::save_clock() {
  const auto sink = TRY(open_sink(clock_path()));
  TRY(sink->write(std::to_string((*clock_.lock())->reference_ns()) + "\n"));
  return sink->commit();
}

int64_t Running::trusted_now_ns() {
  const auto clock = clock_.lock();
  const auto jump = (*clock)->update(now_ns(), running_ns());
  if (jump) add_problem(*jump);
  return (*clock)->now_ns(newest_ns_);
}

void Running::count_refused_message(const Error& why) {
  const bool is_not_theirs = why.code == ErrorCode::PermissionDenied;
  ++books_.lock()->counted.refused_messages[is_not_theirs ? "not_allowed" : reason_of(why)];
}

Result<Orders> Running::report(const AgentReport& report, const Identity& from) {
  if (const Result<> may = may_report(report, from, options_.access); !may.ok()) {
    count_refused_message(may.error());
    return may.error();
  }
  const auto books = books_.lock();
  ++books->counted.reports;
  books->nodes.add(report, now_ns(), running_ns(), !from.node.empty());
  return Orders{.tasks = books->tasks->orders_for(report.node, claims_to_be_controller(report), now_ns()),
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

Result<Joined> Running::join(const JoinRequest& request, const Identity& from) {
  Result<std::string> token = node_tokens_->join(from, request.node, now_ns());
  if (!token.ok()) count_refused_message(token.error());
  return Joined{TRY(std::move(token))};
}

Result<> Running::forget_node(const std::string& node) {
  TRY(node_tokens_->forget(node));
  books_.lock()->nodes.remove(node);
  return {};
}

Result<Received> Running::decode(std::string_view otlp, OtlpEncoding encoding) {
  std::unique_lock<std::mutex> alone(large_, std::defer_lock);
  if (otlp.size() > kLargeMessage) alone.lock();
  const int64_t now = now_ns();
  const int64_t age = options_.retention.max_age_ns[static_cast<size_t>(store::Level::Windows)];
  // Where our own clock is wrong, those of the senders may be right.
  const int64_t trusted = trusted_now_ns();
  return read_windows(otlp, encoding,
                      {.earliest_ns = age > 0 ? std::min(now, trusted) - age : 0,
                       .latest_ns = std::max(now, trusted) + kMostAheadNs,
                       .now_ns = now,
                       .clock_of = [this](const std::string& node) { return clock_of(node); }});
}

Result<Received> Running::admit(std::string_view otlp, OtlpEncoding encoding, const Identity& from) {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  TRY(quotas_.take_bytes(from, otlp.size(), now));
  Received received = TRY(decode(otlp, encoding));
  TRY(quotas_.take_windows(from, received.windows.size(), now));
  return received;
}

Result<ExportResponse> Running::receive(std::string_view otlp, OtlpEncoding encoding, const Identity& from) {
  {
    const auto books = books_.lock();
    ++books->counted.messages;
    books->counted.message_bytes += otlp.size();
  }
  auto received = admit(otlp, encoding, from);
  if (!received.ok()) {
    ++books_.lock()->counted.refused_messages[reason_of(received.error())];
    return received.error();
  }
  const NotTheirs refused = keep_what_may_be_sent(*received, from, options_.access);
  if (refused.profiles > 0) count_refused("not_allowed", refused.profiles);
  ExportResponse response = TRY(store(received.take()));
  response.rejected_profiles += static_cast<int64_t>(refused.profiles);
  if (response.error_message.empty()) response.error_message = refused.why;
  return response;
}

Result<ExportResponse> Running::receive_packed(std::string_view body, const Identity& from) {
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
  ExportResponse response = TRY(receive(*otlp, OtlpEncoding::Protobuf, from));
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
  for (const store::Window& window : received.windows) {
    int64_t newest = newest_ns_;
    while (window.start_ns > newest && !newest_ns_.compare_exchange_weak(newest, window.start_ns)) {
    }
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
  std::vector<store::InstanceEntry> instances = TRY(store_->instances(service));
  if (instances.empty()) TRY(find_service(*store_, service));
  return instances;
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
    for (const NodeState& node : books->nodes.list(running_ns())) {
      ++status.nodes;
      if (node.is_away) ++status.nodes_away;
    }
    status.tasks = books->tasks->list().size();
    status.nodes_crowded_out = books->nodes.crowded_out();
  }
  {
    const auto clock = clock_.lock();
    status.clock_ahead_ns = (*clock)->ahead_ns();
    status.clock_jumps = (*clock)->jumps();
  }
  status.name = options_.name;
  status.nodes_joined = node_tokens_->size();
  status.started_ns = started_ns_;
  status.waiting_bytes = door_.inside_bytes();
  status.most_waiting_bytes = door_.most_bytes();
  status.turned_away = door_.turned_away();
  status.kept = kept_.state();
  // What is wrong with the store is to be told when it is wrong.
  if (const Result<> looked = look_at_store(status); !looked.ok()) status.store_trouble = looked.error().message;
  status.store_limit_bytes = retention().max_bytes;
  status.has_upstream = upstream_ != nullptr;
  if (upstream_) status.upstream = upstream_->status();
  return status;
}

Result<> Running::look_at_store(ControllerStatus& status) {
  if (store::StoreMaintenance* maintenance = store_->maintenance()) {
    status.store_files.emplace();
    status.store_files = TRY(maintenance->health());
    status.store = *status.store_files;
  } else {
    status.store = TRY(store_->holdings());
  }
  return {};
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
  const std::lock_guard alone(upkeep_);
  {
    const auto books = books_.lock();
    const uint64_t turned_away = door_.turned_away();
    books->governor.update(clock_ns(CLOCK_MONOTONIC),
                           static_cast<double>(door_.inside_bytes()) / static_cast<double>(door_.most_bytes()),
                           turned_away > books->turned_away_before);
    books->turned_away_before = turned_away;
  }
  const int64_t running = running_ns();
  (void)trusted_now_ns();
  if (running >= next_compact_ns_) {
    next_compact_ns_ = running + kCompactEveryNs;
    compact();
  }
  if (running >= next_retain_ns_) {
    next_retain_ns_ = running + kRetainEveryNs;
    retain();
  }
}

// No answer changes by it, so that a clock that is ahead does no harm; one that is behind must not put it off.
void Running::compact() {
  store::StoreMaintenance* maintenance = store_->maintenance();
  if (maintenance == nullptr) return;
  const auto compacted = maintenance->compact(std::max(now_ns(), trusted_now_ns()));
  if (!compacted.ok()) add_problem("sums: " + compacted.error().message);
  if (compacted.ok()) ++books_.lock()->counted.compactions;
}

void Running::retain() {
  const int64_t now = trusted_now_ns();
  store::StoreMaintenance* maintenance = store_->maintenance();
  const Result<store::Dropped> dropped =
      maintenance != nullptr ? maintenance->retain(retention(), now) : Result<store::Dropped>(store::Dropped{});
  if (const auto saved = save_clock(); !saved.ok()) add_problem("retention: " + saved.error().message);
  if (!dropped.ok()) return add_problem("retention: " + dropped.error().message);
  {
    const auto books = books_.lock();
    books->counted.dropped_windows += dropped->windows;
    books->counted.dropped_files += dropped->files;
  }
  // By size it goes before its age: somebody counts on it.
  if (dropped->by_size > 0)
    add_problem(
        fmt::format("the store is full: {} days or parts of days were dropped before their age, the oldest first; "
                    "give it more room, or --max-bytes",
                    dropped->by_size));
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
  auto node_tokens = TRY(NodeTokens::open(options.folder + "/node-tokens.json", options.access));
  auto controller =
      std::make_unique<Running>(std::move(options), std::move(store), std::move(tasks), std::move(node_tokens));
  TRY(controller->start(std::move(upstream), problems));
  return std::unique_ptr<Controller>(std::move(controller));
}

}  // namespace atys::fleet
