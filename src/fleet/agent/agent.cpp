// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/agent.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "linux/host.h"
#include "linux/proc_file.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kTickNs = 1'000'000'000;
constexpr uint64_t kFirstRetryNs = 500'000'000;
constexpr uint64_t kLongestRetryNs = 30'000'000'000;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

Result<std::string> random_bytes(size_t count) {
  std::string bytes(count, '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(count))
    return fail_errno("cannot draw a random number");
  return bytes;
}

uint64_t resident_bytes() {
  const Result<std::string> text = linux::read_proc_file("/proc/self/statm", 256);
  unsigned long long pages = 0;
  if (!text.ok() || std::sscanf(text->c_str(), "%*u %llu", &pages) != 1) return 0;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Orders that are to outlive a restart of the agent while its controller is away.
std::string orders_path(const std::string& folder) { return folder + "/orders.bin"; }

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
        started_ns_(clock_ns(CLOCK_REALTIME)) {}

  void start() {
    if (link_) restore_orders();
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
    runners_.clear();  // what they have is put into the spool
    if (sender_thread_.joinable()) sender_thread_.join();
    if (link_) send_what_is_left();
  }

  AgentStatus status() {
    const std::lock_guard lock(mutex_);
    AgentStatus status{.report = report(),
                       .spool = spool_.state(),
                       .cpu_share = budget_.cpu_share(),
                       .rate_factor = rate_factor_,
                       .is_connected = is_connected_,
                       .trouble = trouble_,
                       .bytes_recorded = bytes_recorded_,
                       .notes = notes_};
    const auto hotspots = hotspots_->lock();
    for (const auto& [task, one] : *hotspots)
      for (Hotspots::Row& row : one.rows(clock_ns(CLOCK_MONOTONIC))) status.hotspots.push_back(std::move(row));
    return status;
  }

 private:
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
      if (link_ && now >= next_report_ns) next_report_ns = now + take_orders();
      reconcile();
    }
  }

  void keep_budget() {
    const AgentBudget::Order order =
        budget_.update({clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID) + kernel_cpu_ns_, resident_bytes()});
    const std::lock_guard lock(mutex_);
    rate_factor_ = order.rate_factor * ordered_factor_;
    for (auto& [key, runner] : runners_) {
      runner->set_rate_factor(rate_factor_);
      if (order.shed_memory) runner->shed_memory();
    }
    if (order.shed_memory) ::malloc_trim(0);
  }

  // Returns when to ask again.
  uint64_t take_orders() {
    AgentReport own;
    {
      const std::lock_guard lock(mutex_);
      own = report();
    }
    const Result<Orders> orders = link_->report(own);  // without the lock: a network is slow
    const std::lock_guard lock(mutex_);
    is_connected_ = orders.ok();
    trouble_ = orders.ok() ? "" : orders.error().message;
    if (!orders.ok()) {
      retry_ns_ = std::clamp(retry_ns_ * 2, kFirstRetryNs, kLongestRetryNs);
      return retry_ns_;
    }
    retry_ns_ = 0;
    ordered_factor_ = orders->rate_factor;
    if (orders->tasks != ordered_) {
      follow(*orders);
      std::ofstream(orders_path(options_.data_folder), std::ios::binary | std::ios::trunc) << encode(*orders);
    }
    return std::max(orders->report_again_ns, kTickNs);
  }

  void follow(const Orders& orders) {
    ordered_ = orders.tasks;
    tasks_of_controller_.clear();
    notes_.clear();
    for (const std::string& text : orders.tasks) {
      Result<Task> task = parse_task(text, "a task of the controller");
      if (task.ok())
        tasks_of_controller_.push_back(task.take());
      else
        notes_.push_back(task.error().message);
    }
  }

  void restore_orders() {
    std::ifstream file(orders_path(options_.data_folder), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    if (const Result<Orders> orders = decode_orders(bytes); orders.ok()) follow(*orders);
  }

  // A runner for each kind of each task; one whose task has changed makes room for the new one.
  void reconcile() {
    std::map<std::pair<std::string, std::string>, Task> wanted;
    std::vector<std::unique_ptr<TaskRunner>> ended;  // joined without the lock
    {
      const std::lock_guard lock(mutex_);
      for (const auto* tasks : {&options_.tasks, &tasks_of_controller_})
        for (const Task& task : *tasks)
          if (task.runs_on(options_.node))
            for (const std::string& kind : task.kinds) wanted[{task.name, kind}] = task;
      for (auto at = runners_.begin(); at != runners_.end();) {
        const auto found = wanted.find(at->first);
        const bool stays = found != wanted.end() && to_yaml(found->second) == to_yaml(at->second->task());
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
        .sender = hex(sender_),
        .cache_folder = options_.data_folder + "/cache",
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
    if (!bytes.ok()) return;
    bytes_recorded_ += bytes->size();
    spool_.put(*bytes);
    wake_.notify_all();
  }

  void send() {
    uint64_t retry_ns = 0;
    while (wait(retry_ns > 0 ? retry_ns : kTickNs / 4)) {
      for (auto entry = spool_.oldest(); entry; entry = spool_.oldest()) {
        const Result<> sent = link_->send(entry->window);
        const bool is_worth_trying = !sent.ok() && sent.error().code == ErrorCode::Unavailable;
        if (is_worth_trying) {
          retry_ns = std::clamp(retry_ns * 2, kFirstRetryNs, kLongestRetryNs);
          break;
        }
        retry_ns = 0;
        spool_.remove(entry->name, sent.ok());
        if (!wait(0)) return;
      }
    }
  }

  // The last windows, as far as the controller takes them at once.
  void send_what_is_left() {
    for (auto entry = spool_.oldest(); entry; entry = spool_.oldest()) {
      if (!link_->send(entry->window).ok()) return;
      spool_.remove(entry->name, true);
    }
  }

  AgentReport report() const {
    AgentReport report{.node = options_.node,
                       .sender = sender_,
                       .version = ATYS_VERSION,
                       .metrics_address = options_.metrics_address,
                       .labels = options_.labels};
    for (const auto& [key, runner] : runners_) report.tasks.push_back(runner->state());
    const Spool::State spool = spool_.state();
    report.spooled_bytes = spool.bytes;
    report.dropped_windows = spool.dropped;
    report.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + kernel_cpu_ns_;
    report.memory_bytes = resident_bytes();
    report.started_ns = started_ns_;
    return report;
  }

  AgentOptions options_;
  std::unique_ptr<ControllerLink> link_;
  Spool spool_;
  std::string sender_;
  AgentBudget budget_;
  std::unique_ptr<Guarded<std::map<std::string, Hotspots>>> hotspots_;  // by task
  uint64_t started_ns_;

  std::mutex mutex_;  // over what follows, but for the atomic ones
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<TaskRunner>> runners_;  // by task and kind
  std::vector<Task> tasks_of_controller_;
  std::vector<std::string> ordered_;
  std::vector<std::string> notes_;
  double ordered_factor_ = 1;
  double rate_factor_ = 1;
  bool is_connected_ = false;
  std::string trouble_;
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
  Spool spool = TRY(Spool::open(options.data_folder + "/spool", options.spool_bytes));
  std::string sender = TRY(random_bytes(16));
  auto state = std::make_unique<State>(std::move(options), std::move(link), std::move(spool), std::move(sender));
  state->start();
  return std::unique_ptr<Agent>(new Agent(std::move(state)));
}

AgentStatus Agent::status() const { return state_->status(); }

}  // namespace atys::fleet
