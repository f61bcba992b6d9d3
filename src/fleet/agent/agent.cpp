// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/agent.h"

#include <malloc.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "base/random.h"
#include "fleet/agent/agent_costs.h"
#include "fleet/agent/outbox.h"
#include "fleet/agent/reporter.h"
#include "fleet/agent/task_hotspots.h"
#include "fleet/agent/task_runners.h"
#include "fleet/clock_agreement.h"
#include "linux/host.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kTickNs = 1'000'000'000;

}  // namespace

// Puts the parts together, each of which may be used by any thread; what is here itself is the thread that ticks.
class Agent::State {
 public:
  State(AgentOptions options, std::unique_ptr<ControllerLink> link, Spool spool, std::string sender)
      : options_(std::move(options)),
        link_(std::move(link)),
        sender_(std::move(sender)),
        outbox_(std::move(spool), link_.get()),
        reporter_(link_ ? std::make_unique<Reporter>(*link_, options_.data_folder + "/orders.bin") : nullptr),
        costs_(options_.budget),
        runners_([this](const Task& task, const std::string& kind) { return begin(task, kind); }) {}

  void start() {
    runners_.follow(tasks());
    ticker_ = std::thread([this] { tick(); });
    outbox_.start();
  }

  ~State() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    wake_.notify_all();
    runners_.close();
    outbox_.end_soon();
    if (ticker_.joinable()) ticker_.join();
    costs_.pace()->end();
    runners_.end();  // what they have is put into the outbox
    outbox_.end();
  }

  AgentStatus status() {
    const AgentCosts::Figures costs = costs_.figures();
    const Reporter::State reporter = reporter_state();
    const Outbox::State outbox = outbox_.state();
    return {.report = report(reporter, outbox),
            .spool = outbox.spool,
            .hotspots = hotspots_.rows(clock_ns(CLOCK_MONOTONIC)),
            .cpu_share = costs.cpu_share,
            .begun_for_ns = costs.begun_for_ns,
            .rate_factor = costs.rate_factor,
            .is_connected = reporter.is_connected,
            .trouble = reporter.trouble,
            .sending_trouble = outbox.trouble,
            .clock_trouble = outbox.clock_trouble,
            .clock_ahead_ns = outbox.clock_ahead_ns,
            .bytes_recorded = outbox.bytes_recorded};
  }

 private:
  bool wait(uint64_t ns) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return is_ending_; });
    return !is_ending_;
  }

  void tick() {
    uint64_t next_report_ns = 0;
    while (wait(kTickNs)) {
      keep_budget();
      const uint64_t now = clock_ns(CLOCK_MONOTONIC);
      if (!reporter_ || now < next_report_ns) continue;
      next_report_ns = now + take_orders();
      runners_.follow(tasks());
    }
  }

  void keep_budget() {
    const AgentBudget::Order order = costs_.update(runners_.least_memory());
    runners_.follow(order);
    if (order.shed_memory) ::malloc_trim(0);
  }

  // Returns when to ask again.
  uint64_t take_orders() {
    const Reporter::Round round = reporter_->report(report(reporter_->state(), outbox_.state()));
    if (round.orders) {
      outbox_.note_time(round.before, round.after, *round.orders);
      costs_.set_ordered_factor(round.orders->rate_factor);
    }
    return round.again_after_ns;
  }

  // Its own and the controller's, as far as they are for this node.
  std::vector<Task> tasks() const {
    std::vector<Task> all = options_.tasks;
    if (reporter_)
      for (Task& task : reporter_->tasks()) all.push_back(std::move(task));
    std::erase_if(all, [this](const Task& task) { return !task.runs_on(options_.node); });
    return all;
  }

  std::unique_ptr<TaskRunner> begin(const Task& task, const std::string& kind) {
    hotspots_.begin(task);
    RunnerSurroundings surroundings{.node = options_.node,
                                    .sender = to_hex(sender_),
                                    .cache_folder = options_.data_folder + "/cache",
                                    .trace_folder = options_.data_folder + "/traces",
                                    .pace = costs_.pace(),
                                    .next_sequence = [this] { return ++sequence_; },
                                    .deliver = [this](const Task& of, const FinishedWindow& window) { take(of, window); }};
    return std::make_unique<TaskRunner>(task, capture::Kind::parse(kind).take(), std::move(surroundings));
  }

  void take(const Task& task, const FinishedWindow& window) {
    costs_.add_kernel_cpu(window.kernel_cpu_ns);
    hotspots_.add(task, window.profile, clock_ns(CLOCK_MONOTONIC));
    outbox_.put(window.profile);
  }

  Reporter::State reporter_state() const { return reporter_ ? reporter_->state() : Reporter::State{}; }

  AgentReport report(const Reporter::State& reporter, const Outbox::State& outbox) const {
    AgentReport report{.node = options_.node,
                       .sender = sender_,
                       .version = ATYS_VERSION,
                       .metrics_address = options_.metrics_address,
                       .labels = options_.labels,
                       .tasks = runners_.states(),
                       .spooled_bytes = outbox.spool.bytes,
                       .dropped_windows = outbox.spool.dropped,
                       .cpu_ns = costs_.spent_ns(),
                       .memory_bytes = resident_bytes(),
                       .started_ns = started_ns_,
                       .now_ns = clock_ns(CLOCK_REALTIME),
                       .is_clock_synchronized = is_clock_synchronized(),
                       .trouble = outbox.trouble};
    for (const TaskState& order : reporter.not_understood) report.tasks.push_back(order);
    for (size_t reason = 0; reason < kDropReasons; ++reason)
      if (const uint64_t dropped = outbox.spool.dropped_by[reason]; dropped > 0)
        report.dropped_by[to_string(static_cast<DropReason>(reason))] = dropped;
    return report;
  }

  const AgentOptions options_;
  const std::unique_ptr<ControllerLink> link_;  // null: it works alone
  const std::string sender_;
  const uint64_t started_ns_ = clock_ns(CLOCK_REALTIME);
  std::atomic<uint64_t> sequence_ = 0;

  TaskHotspots hotspots_;
  Outbox outbox_;
  std::unique_ptr<Reporter> reporter_;  // null without a link
  AgentCosts costs_;
  TaskRunners runners_;

  std::mutex mutex_;  // of the next two
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::thread ticker_;
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
