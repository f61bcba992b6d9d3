// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/upstream.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

#include "base/byte_source.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/hex.h"
#include "fleet/controller/passed_on.h"
#include "fleet/controller/pooled_merge.h"
#include "fleet/spool_sender.h"

namespace atys::fleet {

namespace {

constexpr auto kTick = std::chrono::milliseconds(500);
constexpr uint64_t kReportRetryNs = 2'000'000'000;
constexpr int kMostPerRound = 60;  // intervals closed, windows sent: between them it looks whether it is to end

// How far we are, on disk: "UNTIL" or, while an interval is being closed, "UNTIL closing".
struct Progress {
  int64_t until_ns = 0;
  bool is_closing = false;
};

Result<Progress> load_progress(const std::string& path, int64_t first_ns) {
  const auto source = open_source(path);
  if (!source.ok()) return Progress{first_ns, false};
  const std::string text(as_text(TRY((*source)->read_all(100))));
  Progress progress;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), progress.until_ns);
  if (error != std::errc{})
    return fail(ErrorCode::InvalidInput, path + " is damaged", "remove it: what is passed on begins anew");
  progress.is_closing = std::string_view(end, text.data() + text.size()).starts_with(" closing");
  return progress;
}

// There whole or not at all, and there for good.
Result<> write_whole(const std::string& path, std::string_view text, FileCalls& files) {
  TRY(write_synced(path + ".part", text, files));
  return rename_synced(path + ".part", path, files);
}

Result<> save_progress(const std::string& path, const Progress& progress, FileCalls& files) {
  return write_whole(path, fmt::format("{}{}\n", progress.until_ns, progress.is_closing ? " closing" : ""), files);
}

// Trouble of the disk: the sender may come again.
Result<> write_note(const std::string& path, FileCalls& files) {
  const Result<> written = write_whole(path, "", files);
  if (written.ok()) return {};
  return fail(ErrorCode::Unavailable, "what is to be passed on cannot be noted: " + written.error().message);
}

class Link final : public Upstream {
 public:
  Link(UpstreamOptions options, store::ProfileStore& store, std::unique_ptr<ControllerLink> link, Spool spool,
       Progress progress)
      : options_(std::move(options)),
        store_(store),
        link_(std::move(link)),
        spool_(std::move(spool)),
        until_ns_(progress.until_ns) {}

  ~Link() override {
    {
      const std::lock_guard lock(wake_mutex_);
      is_ending_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void start() override {
    thread_ = std::thread([this] {
      std::unique_lock lock(wake_mutex_);
      while (!wake_.wait_for(lock, kTick, [this] { return is_ending_; })) {
        lock.unlock();
        work_once();
        lock.lock();
      }
    });
  }

  Result<store::Appended> append(std::span<const store::Window> windows) override;
  UpstreamStatus status() const override;
  void work_once() override;

  // False: none is over yet that has windows.
  Result<bool> close_interval();
  void must_close() { must_close_ = true; }

 private:
  std::string progress_path() const { return options_.folder + "/progress"; }
  Result<bool> close(int64_t from_ns, const std::vector<store::ServiceEntry>& services);
  Result<store::Appended> append_late(const store::Window& window);
  Result<Spool::Pending> prepare(const Profile& profile, const PassedOn& origin);
  PassedOn origin_of_late(const store::Window& window) const;
  Result<std::vector<store::ServiceEntry>> services();
  Result<> pass_on(const store::ServiceEntry& service, int64_t from_ns, int64_t to_ns, std::vector<Spool::Pending>& passed);
  void send();
  void take_orders();
  bool is_ending() {
    const std::lock_guard lock(wake_mutex_);
    return is_ending_;
  }

  const UpstreamOptions options_;
  store::ProfileStore& store_;
  std::unique_ptr<ControllerLink> link_;
  mutable Spool spool_;
  std::shared_mutex closing_;           // shared while windows are stored, alone while an interval is closed
  int64_t until_ns_;                    // intervals before are closed; guarded by closing_, as what follows
  bool must_close_ = false;             // the next one: it is half passed on, and takes no more windows
  int64_t due_ns_ = INT64_MIN;          // when the next one may be closed, but for what is new
  std::atomic<bool> has_new_ = true;    // windows; also without the lock
  SpoolSender sender_{spool_, *link_};  // of the thread alone
  uint64_t next_report_ns_ = 0;         // likewise
  mutable Guarded<UpstreamStatus> status_;
  std::mutex wake_mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::thread thread_;
};

Result<store::Appended> Link::append(std::span<const store::Window> windows) {
  const std::shared_lock lock(closing_);
  if (must_close_)
    return fail(ErrorCode::Unavailable, "what was stored before is still to be passed on", "see the log of the controller");
  has_new_ = true;
  std::vector<store::Window> in_time;
  std::vector<size_t> late, positions;
  for (size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].start_ns < until_ns_) {
      late.push_back(i);
      continue;
    }
    in_time.push_back(windows[i]);
    positions.push_back(i);
  }
  store::Appended all;
  if (!in_time.empty()) all = TRY(store_.append(in_time));
  for (auto& refusal : all.refused) refusal.position = positions[refusal.position];
  // One by one, to know which of them are new.
  for (const size_t i : late) {
    store::Appended one = TRY(append_late(windows[i]));
    all.added += one.added;
    all.duplicates += one.duplicates;
    for (auto& refusal : one.refused) all.refused.push_back({i, std::move(refusal.why)});
  }
  return all;
}

// Its place in the spool is taken before it is stored: a disk that fills up in between would keep it from the controller
// above for good, since it is new only once. And what is on its way from the store to the spool has a note on disk: where it
// was stored and the sender never heard of it, it comes again as one that is there already, and has still to be passed on.
// Twice is no harm: its id is the same.
Result<store::Appended> Link::append_late(const store::Window& window) {
  const std::string note = options_.folder + "/late/" + to_hex(std::as_bytes(std::span(window.id)));
  const bool was_begun = ::access(note.c_str(), F_OK) == 0;
  if (!was_begun) TRY(write_note(note, *options_.files));
  Spool::Pending pending = TRY(prepare(window.profile, origin_of_late(window)));
  const store::Appended one = TRY(store_.append(std::span(&window, 1)));
  if (one.added > 0 || (was_begun && one.duplicates > 0)) TRY(spool_.commit(std::move(pending)));
  ::unlink(note.c_str());
  return one;
}

Result<Spool::Pending> Link::prepare(const Profile& profile, const PassedOn& origin) {
  return spool_.prepare(TRY(to_message(profile, origin)));
}

PassedOn Link::origin_of_late(const store::Window& window) const {
  PassedOn origin{options_.name, window.service, window.kind, window.version, {}, "late "};
  origin.stretch = store::to_text(window.stretch);
  origin.occasion += to_hex(std::as_bytes(std::span(window.id)));
  return origin;
}

// What is damaged stays so, and the rest is passed on. What may be read later is waited for.
Result<std::vector<store::ServiceEntry>> Link::services() {
  store::Missing missing;
  auto services = TRY(store_.services(&missing));
  if (missing.may_return) return fail(ErrorCode::Unavailable, missing.problems.front());
  return services;
}

Result<> Link::pass_on(const store::ServiceEntry& service, int64_t from_ns, int64_t to_ns,
                       std::vector<Spool::Pending>& passed) {
  for (const std::string& kind : service.kinds) {
    for (const std::string& version : service.versions) {
      const store::Selection selection{.service = service.service,
                                       .kind = kind,
                                       .from_ns = from_ns,
                                       .to_ns = to_ns,
                                       .matchers = {store::equals("version", version)}};
      for (const auto& [stretch, merged] : TRY(merge_stretches(store_, selection))) {
        if (merged.coverage.may_return) return fail(ErrorCode::Unavailable, merged.coverage.problems.front());
        if (merged.coverage.windows > 0)
          passed.push_back(TRY(prepare(merged.profile, {options_.name, service.service, kind, version,
                                                        store::to_text(stretch), std::to_string(from_ns)})));
      }
    }
  }
  return {};
}

namespace {

// Where the next windows are that are not passed on yet; nothing: there are none.
std::optional<int64_t> next_start(const std::vector<store::ServiceEntry>& services, int64_t from_ns) {
  std::optional<int64_t> next;
  for (const store::ServiceEntry& service : services) {
    if (service.windows == 0 || service.last_ns < from_ns) continue;
    const int64_t start_ns = std::max(service.first_ns, from_ns);
    next = next ? std::min(*next, start_ns) : start_ns;
  }
  return next;
}

}  // namespace

Result<bool> Link::close_interval() {
  const std::unique_lock lock(closing_);
  if (must_close_) return close(until_ns_, TRY(services()));
  if (!has_new_ && options_.now_ns() < due_ns_) return false;
  const std::vector<store::ServiceEntry> known = TRY(services());
  has_new_ = false;
  const std::optional<int64_t> next_ns = next_start(known, until_ns_);
  due_ns_ = INT64_MAX;
  if (!next_ns) return false;
  const int64_t from_ns = until_ns_ + (*next_ns - until_ns_) / options_.interval_ns * options_.interval_ns;
  due_ns_ = from_ns + options_.interval_ns + options_.grace_ns;
  if (options_.now_ns() < due_ns_) return false;
  return close(from_ns, known);
}

// What was marked as closing before a crash is done again, from the same windows: none were taken since.
Result<bool> Link::close(int64_t from_ns, const std::vector<store::ServiceEntry>& services) {
  const int64_t to_ns = from_ns + options_.interval_ns;
  TRY(save_progress(progress_path(), {from_ns, true}, *options_.files));
  until_ns_ = from_ns;
  std::vector<Spool::Pending> passed;
  for (const store::ServiceEntry& service : services) {
    const bool is_elsewhere = service.windows > 0 && (service.last_ns < from_ns || service.first_ns >= to_ns);
    if (!is_elsewhere) TRY(pass_on(service, from_ns, to_ns, passed));
  }
  // From the first of them on the minute is as it is: append() waits until all of it is done.
  must_close_ = true;
  for (Spool::Pending& each : passed) TRY(spool_.commit(std::move(each)));
  TRY(save_progress(progress_path(), {to_ns, false}, *options_.files));
  until_ns_ = to_ns;
  must_close_ = false;
  due_ns_ = INT64_MIN;
  return true;
}

void Link::send() {
  const Result<> sent =
      sender_.send(clock_ns(CLOCK_MONOTONIC), [this, i = 0]() mutable { return ++i < kMostPerRound && !is_ending(); });
  if (sent.ok()) return;
  auto status = status_.lock();
  status->trouble = sent.error().hint.empty() ? sent.error().message : sent.error().message + "; " + sent.error().hint;
  if (!reason_to_drop(sent.error())) status->is_connected = false;
}

void Link::take_orders() {
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (now < next_report_ns_) return;
  AgentReport report = options_.report();
  const Spool::State spool = spool_.state();
  report.spooled_bytes = spool.bytes;
  report.dropped_windows = spool.dropped;
  for (size_t reason = 0; reason < kDropReasons; ++reason)
    if (spool.dropped_by[reason] > 0)
      report.dropped_by[to_string(static_cast<DropReason>(reason))] = spool.dropped_by[reason];
  const auto orders = link_->report(report);
  next_report_ns_ = now + (orders.ok() ? orders->report_again_ns : kReportRetryNs);
  {
    auto status = status_.lock();
    status->is_connected = orders.ok();
    status->trouble = orders.ok() ? "" : orders.error().message;
  }
  if (orders.ok()) options_.on_orders(*orders);
}

void Link::work_once() {
  std::string waits_for;
  for (int i = 0; i < kMostPerRound && !is_ending(); ++i) {
    const auto closed = close_interval();
    if (!closed.ok()) waits_for = "what is to be passed on waits: " + closed.error().message;
    if (!closed.ok() || !*closed) break;
  }
  take_orders();
  send();
  if (!waits_for.empty()) status_.lock()->trouble = waits_for;
}

UpstreamStatus Link::status() const {
  UpstreamStatus status = *status_.lock();
  const Spool::State spool = spool_.state();
  status.spooled_bytes = spool.bytes;
  status.spooled_windows = spool.windows;
  status.dropped_windows = spool.dropped;
  status.sent_windows = spool.sent;
  return status;
}

}  // namespace

Result<std::unique_ptr<Upstream>> Upstream::open(UpstreamOptions options, store::ProfileStore& store,
                                                 std::unique_ptr<ControllerLink> link) {
  Spool spool = TRY(Spool::open(options.folder, options.spool_bytes, *options.files));
  std::error_code error;
  std::filesystem::create_directories(options.folder + "/late", error);
  if (error) return fail(ErrorCode::PermissionDenied, "cannot make " + options.folder + "/late: " + error.message());
  const std::string path = options.folder + "/progress";
  const int64_t now_ns = options.now_ns();
  const Progress progress = TRY(load_progress(path, now_ns / options.interval_ns * options.interval_ns));
  // Where we begin is on disk before anything is taken: it would be later at the next start.
  if (::access(path.c_str(), F_OK) != 0) TRY(save_progress(path, progress, *options.files));
  auto opened = std::make_unique<Link>(std::move(options), store, std::move(link), std::move(spool), progress);
  if (progress.is_closing) opened->must_close();
  if (progress.is_closing) (void)opened->close_interval().ok();  // a disk that is full is no reason not to start
  return std::unique_ptr<Upstream>(std::move(opened));
}

}  // namespace atys::fleet
