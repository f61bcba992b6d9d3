// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/agent.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/hex.h"
#include "base/own_cpu.h"
#include "base/random.h"
#include "base/unique_fd.h"
#include "fleet/agent/controller_clock.h"
#include "fleet/agent/order_book.h"
#include "fleet/clock_agreement.h"
#include "fleet/spool_sender.h"
#include "fleet/wire/shift_times.h"
#include "linux/host.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kTickNs = 1'000'000'000;
constexpr double kPacedShare = 0.7;  // of the budget: the rest is for what goes on meanwhile, part of which is known later
constexpr uint64_t kFirstRetryNs = 500'000'000;
constexpr uint64_t kLongestRetryNs = 30'000'000'000;

// Asked for every second: the file stays open.
uint64_t resident_bytes() {
  static const UniqueFd statm(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[256] = {};
  unsigned long long pages = 0;
  if (::pread(statm.get(), text, sizeof text - 1, 0) <= 0 || std::sscanf(text, "%*u %llu", &pages) != 1) return 0;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string text_of(const Error& error) { return error.hint.empty() ? error.message : error.message + "; " + error.hint; }

}  // namespace

class Agent::State {
 public:
  State(AgentOptions options, std::unique_ptr<ControllerLink> link, Spool spool, std::string sender)
      : options_(std::move(options)),
        link_(std::move(link)),
        spool_(std::move(spool)),
        sender_(std::move(sender)),
        budget_(options_.budget),
        hotspots_(std::make_unique<Guarded<std::map<std::string, Hotspots>>>()),
        started_ns_(clock_ns(CLOCK_REALTIME)),
        orders_(options_.data_folder + "/orders.bin") {
    if (link_)
      window_sender_ = std::make_unique<SpoolSender>(spool_, *link_, [this](const auto& entry) { return settle(entry); });
  }

  void start() {
    started_for_ns_ = spent_ns();
    budget_.begin(clock_ns(CLOCK_MONOTONIC));
    pace_ = std::make_shared<WorkPace>(
        kPacedShare * options_.budget.cpu,
        WorkPace::Account{[] { return clock_ns(CLOCK_MONOTONIC); }, [this] { return spent_ns(); }});
    reconcile();
    ticker_ = std::thread([this] { tick(); });
    if (link_) sender_thread_ = std::thread([this] { send(); });
  }

  ~State() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    wake_.notify_all();
    if (ticker_.joinable()) ticker_.join();
    if (pace_) pace_->end();
    runners_.clear();  // what they have is put into the spool
    if (sender_thread_.joinable()) sender_thread_.join();
    if (link_) send_what_is_left();
  }

  AgentStatus status() {
    const std::lock_guard lock(mutex_);
    AgentStatus status{.report = report(),
                       .spool = spool_.state(),
                       .cpu_share = budget_.cpu_share(),
                       .begun_for_ns = started_for_ns_ + pace_->begun_for_ns(),
                       .rate_factor = rate_factor_,
                       .is_connected = is_connected_,
                       .trouble = trouble_,
                       .sending_trouble = sending_trouble_,
                       .clock_trouble = clock_.trouble(),
                       .clock_ahead_ns = clock_.ahead_ns(),
                       .bytes_recorded = bytes_recorded_};
    const auto hotspots = hotspots_->lock();
    for (const auto& [task, one] : *hotspots)
      for (Hotspots::Row& row : one.rows(clock_ns(CLOCK_MONOTONIC))) status.hotspots.push_back(std::move(row));
    return status;
  }

 private:
  // By this process and its worker, and by its programs in the kernel, as far as windows have told.
  uint64_t spent_ns() const { return own_cpu_ns() + kernel_cpu_ns_; }

  bool wait(uint64_t ns) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return is_ending_; });
    return !is_ending_;
  }

  // ------------------------------------------------------------------------------------------------ orders and budget

  void tick() {
    uint64_t next_report_ns = 0;
    while (wait(kTickNs)) {
      keep_budget();
      const uint64_t now = clock_ns(CLOCK_MONOTONIC);
      if (!link_ || now < next_report_ns) continue;
      next_report_ns = now + take_orders();
      reconcile();
    }
  }

  void keep_budget() {
    budget_.limit_memory(least_memory());
    const AgentBudget::Order order = budget_.update({clock_ns(CLOCK_MONOTONIC), spent_ns(), resident_bytes()});
    const std::lock_guard lock(mutex_);
    rate_factor_ = order.rate_factor * ordered_factor_;
    for (auto& [key, runner] : runners_) {
      runner->set_rate_factor(rate_factor_);
      if (order.shed_memory) runner->shed_memory();
    }
    if (order.shed_memory) ::malloc_trim(0);
  }

  uint64_t least_memory() {
    const std::lock_guard lock(mutex_);
    uint64_t least = 0;
    for (const auto& [key, runner] : runners_)
      if (const uint64_t bytes = runner->task().budget.memory_bytes; bytes > 0 && (least == 0 || bytes < least))
        least = bytes;
    return least;
  }

  // Returns when to ask again.
  uint64_t take_orders() {
    AgentReport own;
    {
      const std::lock_guard lock(mutex_);
      own = report();
    }
    const ClockReading before = read_clocks();
    const Result<Orders> orders = link_->report(own);  // without the lock: a network is slow
    const ClockReading after = read_clocks();
    const std::lock_guard lock(mutex_);
    is_connected_ = orders.ok();
    trouble_ = orders.ok() ? "" : text_of(orders.error());
    if (!orders.ok()) {
      retry_ns_ = std::clamp(retry_ns_ * 2, kFirstRetryNs, kLongestRetryNs);
      return retry_ns_;
    }
    retry_ns_ = 0;
    note_time(before, after, *orders);
    ordered_factor_ = orders->rate_factor;
    if (const Result<> kept = orders_.follow(*orders); !kept.ok()) trouble_ = text_of(kept.error());
    return std::max(orders->report_again_ns, kTickNs);
  }

  void note_time(const ClockReading& before, const ClockReading& after, const Orders& orders) {
    if (orders.now_ns == 0)
      clock_.note_silence();
    else
      clock_.note(before, after, static_cast<int64_t>(orders.now_ns), is_clock_synchronized(), orders.is_clock_synchronized);
    has_new_window_ = true;  // one may have waited for this
    wake_.notify_all();
  }

  using Wanted = std::map<std::pair<std::string, std::string>, Task>;  // by name and kind

  void add(Wanted& wanted, const Task& task) const {
    if (!task.runs_on(options_.node)) return;
    for (const std::string& kind : task.kinds) wanted[{task.name, kind}] = task;
  }

  // A runner for each kind of each task; one whose task has changed makes room for the new one.
  void reconcile() {
    Wanted wanted;
    std::vector<std::unique_ptr<TaskRunner>> ended;  // joined without the lock
    {
      const std::lock_guard lock(mutex_);
      for (const Task& task : options_.tasks) add(wanted, task);
      if (link_)
        for (const Task& task : orders_.tasks()) add(wanted, task);
      for (auto at = runners_.begin(); at != runners_.end();) {
        const auto found = wanted.find(at->first);
        const bool stays = found != wanted.end() && found->second == at->second->task();
        if (!stays) ended.push_back(std::move(at->second));
        at = stays ? std::next(at) : runners_.erase(at);
      }
    }
    ended.clear();
    const std::lock_guard lock(mutex_);
    if (is_ending_) return;
    for (const auto& [key, task] : wanted)
      if (!runners_.contains(key)) runners_[key] = run(task, key.second);
  }

  std::unique_ptr<TaskRunner> run(const Task& task, const std::string& kind) {
    hotspots_->lock()->insert_or_assign(task.name, Hotspots(HotspotPlan{.track = task.track}));
    RunnerSurroundings surroundings{
        .node = options_.node,
        .sender = to_hex(sender_),
        .cache_folder = options_.data_folder + "/cache",
        .trace_folder = options_.data_folder + "/traces",
        .pace = pace_,
        .next_sequence = [this] { return ++sequence_; },
        .deliver = [this](const Task& of, FinishedWindow window) { take(of, std::move(window)); }};
    return std::make_unique<TaskRunner>(task, capture::Kind::parse(kind).take(), std::move(surroundings));
  }

  // ------------------------------------------------------------------------------------------------------- windows

  void take(const Task& task, FinishedWindow window) {
    kernel_cpu_ns_ += window.kernel_cpu_ns;
    {
      const auto hotspots = hotspots_->lock();
      if (const auto found = hotspots->find(task.name); found != hotspots->end())
        found->second.add(window.profile, clock_ns(CLOCK_MONOTONIC));
    }
    if (!link_) return;
    const Result<std::string> bytes = to_otlp(window.profile);
    if (!bytes.ok()) return spool_.count_dropped(DropReason::Refused);
    bytes_recorded_ += bytes->size();
    const auto& header = window.profile.header;
    const Result<> kept = spool_.put(*bytes, stamp_of(header.time_ns, header.duration_ns, read_clocks(), boot_));
    {
      const std::lock_guard lock(mutex_);
      has_new_window_ = true;
      if (!kept.ok()) sending_trouble_ = "a window is lost: " + text_of(kept.error());
    }
    wake_.notify_all();
  }

  // The window with the times that it has by the controller's clock, where they are others.
  Result<std::optional<std::string>> settle(const Spool::Entry& entry) {
    std::optional<int64_t> shift_ns;
    {
      const std::lock_guard lock(mutex_);
      shift_ns = clock_.shift_of(*entry.stamp);
    }
    if (!shift_ns) return fail(ErrorCode::Unavailable, "the controller has not told its time yet");
    if (*shift_ns == 0) return std::optional<std::string>();
    return std::optional(TRY(shift_times(entry.window, *shift_ns)));
  }

  void send() {
    do {
      const Result<> sent = window_sender_->send(clock_ns(CLOCK_MONOTONIC), [this] { return wait(0); });
      const std::lock_guard lock(mutex_);
      if (!sent.ok()) sending_trouble_ = text_of(sent.error());
      if (sent.ok() && window_sender_->try_again_ns() == 0) sending_trouble_.clear();
    } while (wait_for_window(window_sender_->try_again_ns()));
  }

  // Until there is another window, or one that had to wait may be tried again (0: there is none). False: we are to end.
  bool wait_for_window(uint64_t try_again_ns) {
    std::unique_lock lock(mutex_);
    const auto is_called = [this] { return is_ending_ || has_new_window_; };
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (try_again_ns == 0)
      wake_.wait(lock, is_called);
    else
      wake_.wait_for(lock, std::chrono::nanoseconds(try_again_ns - std::min(now, try_again_ns)), is_called);
    has_new_window_ = false;
    return !is_ending_;
  }

  // The last windows, as far as the controller takes them at once.
  void send_what_is_left() {
    (void)window_sender_->send(UINT64_MAX, [] { return true; }).ok();
  }

  AgentReport report() const {
    AgentReport report{.node = options_.node,
                       .sender = sender_,
                       .version = ATYS_VERSION,
                       .metrics_address = options_.metrics_address,
                       .labels = options_.labels};
    for (const auto& [key, runner] : runners_) report.tasks.push_back(runner->state());
    for (const TaskState& order : orders_.not_understood()) report.tasks.push_back(order);
    const Spool::State spool = spool_.state();
    report.spooled_bytes = spool.bytes;
    report.dropped_windows = spool.dropped;
    for (size_t reason = 0; reason < kDropReasons; ++reason)
      if (spool.dropped_by[reason] > 0)
        report.dropped_by[to_string(static_cast<DropReason>(reason))] = spool.dropped_by[reason];
    report.trouble = sending_trouble_;
    report.now_ns = clock_ns(CLOCK_REALTIME);
    report.is_clock_synchronized = is_clock_synchronized();
    report.cpu_ns = spent_ns();
    report.memory_bytes = resident_bytes();
    report.started_ns = started_ns_;
    return report;
  }

  AgentOptions options_;
  std::unique_ptr<ControllerLink> link_;
  Spool spool_;
  std::string sender_;
  const std::string boot_ = read_boot();
  std::unique_ptr<SpoolSender> window_sender_;  // null without a link; of its thread, then of the one that ends us
  AgentBudget budget_;
  std::shared_ptr<WorkPace> pace_;                                      // with the runners
  std::unique_ptr<Guarded<std::map<std::string, Hotspots>>> hotspots_;  // by task
  uint64_t started_ns_;
  uint64_t started_for_ns_ = 0;  // CPU time until here

  std::mutex mutex_;  // over what follows, but for the atomic ones
  std::condition_variable wake_;
  bool is_ending_ = false;
  bool has_new_window_ = false;                                                         // in the spool
  std::map<std::pair<std::string, std::string>, std::unique_ptr<TaskRunner>> runners_;  // by task and kind
  OrderBook orders_;
  double ordered_factor_ = 1;
  double rate_factor_ = 1;
  bool is_connected_ = false;
  std::string trouble_;
  std::string sending_trouble_;
  ControllerClock clock_{boot_};
  uint64_t retry_ns_ = 0;
  std::atomic<uint64_t> sequence_ = 0;
  std::atomic<uint64_t> kernel_cpu_ns_ = 0;
  std::atomic<uint64_t> bytes_recorded_ = 0;
  std::thread ticker_;
  std::thread sender_thread_;
};

Agent::Agent(std::unique_ptr<State> state) : state_(std::move(state)) {}
Agent::~Agent() = default;

Result<std::unique_ptr<Agent>> Agent::start(AgentOptions options, std::unique_ptr<ControllerLink> link) {
  // It stays, with a thread for each task: memory that one window needed is given back, and shared by the threads.
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
  ::mallopt(M_ARENA_MAX, 2);
  if (options.node.empty()) options.node = TRY(linux::read_host()).name;
  TRY(make_private_folder(options.data_folder));
  remove_unfinished(options.data_folder + "/orders.bin");
  Spool spool = TRY(Spool::open(options.data_folder + "/spool", options.spool_bytes));
  std::string sender = TRY(random_bytes(16));
  auto state = std::make_unique<State>(std::move(options), std::move(link), std::move(spool), std::move(sender));
  state->start();
  return std::unique_ptr<Agent>(new Agent(std::move(state)));
}

AgentStatus Agent::status() const { return state_->status(); }

}  // namespace atys::fleet
