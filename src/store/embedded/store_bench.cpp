// SPDX-License-Identifier: Apache-2.0
// store_bench [SERVICES [INSTANCES [MINUTES]]]: what the embedded store costs beside a plain SQLite table with a row per
// sample, both with the same load in turns: windows of ten seconds, 5,000 stacks a service drawn by Zipf's law, 550 hits a
// window. The table is given the numbers of stacks; the store has to find them by content.
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>

#include "base/clock.h"
#include "profile/import.h"
#include "store/embedded/calendar.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_store.h"
#include "store/store_maintenance.h"

namespace {

using namespace atys;
using namespace atys::store;

constexpr int kStacks = 5000, kHits = 550;
constexpr int64_t kStart = 20'700 * kDayNs + 12 * kHourNs, kStep = 10'000'000'000;

struct Spent {
  double wall = 0, cpu = 0;
};

template <typename Work>
void timed(Spent& spent, const Work& work) {
  const uint64_t wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  work();
  spent.wall += static_cast<double>(clock_ns(CLOCK_MONOTONIC) - wall) / 1e9;
  spent.cpu += static_cast<double>(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e9;
}

template <typename T>
T must(Result<T> result) {
  if (result.ok()) return result.take();
  fmt::print(stderr, "{}\n", result.error().message);
  std::exit(1);
}

// One window: which stacks, how often.
using Hits = std::vector<std::pair<uint32_t, int64_t>>;

class Service {
 public:
  Service(int number, std::mt19937_64& random) : name(fmt::format("service-{}", number)) {
    profile_.add_value_type("samples", "count");
    std::vector<profile::FrameId> frames;
    for (int i = 0; i < 3000; ++i) {
      frames.push_back(profile_.named_frame(
          fmt::format("service{}::module{}::Class{}::method_{}(std::string const&)", number, i % 40, i % 300, i),
          fmt::format("src/module{}/file{}.cpp", i % 40, i % 300), i % 900, "native"));
    }
    for (int i = 0; i < kStacks; ++i) {
      // Stacks share what is near the root, as they do in life.
      std::vector<profile::FrameId> stack(8 + random() % 62);
      for (size_t depth = 0; depth < stack.size(); ++depth) {
        const size_t from_root = stack.size() - depth;
        stack[depth] = frames[(from_root * 37 + random() % (1 + from_root * 2)) % frames.size()];
      }
      ids_.push_back(profile_.stacks.intern(stack));
      total_ += 1.0 / (i + 1);
      cumulative_.push_back(total_);
    }
  }

  Hits draw(std::mt19937_64& random) const {
    std::vector<int64_t> counts(kStacks);
    std::uniform_real_distribution<double> pick(0, total_);
    for (int i = 0; i < kHits; ++i) {
      const auto found = std::ranges::lower_bound(cumulative_, pick(random));
      ++counts[static_cast<size_t>(found - cumulative_.begin()) % kStacks];
    }
    Hits hits;
    for (uint32_t i = 0; i < kStacks; ++i) {
      if (counts[i] != 0) hits.emplace_back(i, counts[i]);
    }
    return hits;
  }

  Profile profile_of(const Hits& hits) const {
    Profile result;
    profile::Importer importer(profile_, result);
    importer.copy_header();
    for (const auto& [stack, count] : hits) result.samples.add(importer.stack(ids_[stack]), {}, {&count, 1});
    return result;
  }
  std::string folded(uint32_t stack) const {
    std::string text;
    const auto frames = profile_.stacks[ids_[stack]];
    for (size_t i = frames.size(); i-- > 0;) text += frame_name(profile_, frames[i]) + (i == 0 ? "" : ";");
    return text;
  }

  std::string name;

 private:
  Profile profile_;
  std::vector<profile::StackId> ids_;
  std::vector<double> cumulative_;
  double total_ = 0;
};

class RowPerSample {
 public:
  explicit RowPerSample(const std::string& path) : database_(must(Database::open(path, Database::Mode::Create))) {
    must(database_->execute(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE stack(service, stack, frames TEXT, PRIMARY KEY(service, stack)) WITHOUT ROWID;"
        "CREATE TABLE sample(service, t, instance, stack, value, PRIMARY KEY(service, t, instance, stack)) "
        "WITHOUT ROWID;"));
  }
  void add_service(int number, const Service& service) {
    must(database_->execute("BEGIN"));
    for (uint32_t i = 0; i < kStacks; ++i) {
      Statement insert = must(database_->prepare("INSERT OR IGNORE INTO stack VALUES(?, ?, ?)"));
      const std::string folded = service.folded(i);
      must(insert.bind(1, int64_t{number}).bind(2, int64_t{i}).bind(3, folded).run());
    }
    must(database_->execute("COMMIT"));
  }
  void begin() { must(database_->execute("BEGIN")); }
  void commit() { must(database_->execute("COMMIT")); }
  void add(int service, int64_t start, int instance, const Hits& hits) {
    for (const auto& [stack, count] : hits) {
      Statement insert = must(database_->prepare("INSERT INTO sample VALUES(?, ?, ?, ?, ?)"));
      insert.bind(1, int64_t{service}).bind(2, start).bind(3, int64_t{instance}).bind(4, int64_t{stack}).bind(5, count);
      must(insert.run());
    }
  }
  Profile merge(int service, int64_t from, int64_t to) {
    Profile result;
    result.add_value_type("samples", "count");
    Statement rows = must(database_->prepare(
        "SELECT sums.value, stack.frames FROM (SELECT stack, sum(value) AS value FROM sample WHERE service=?1 AND t>=?2 AND "
        "t<?3 GROUP BY stack) AS sums JOIN stack ON stack.service=?1 AND stack.stack=sums.stack"));
    rows.bind(1, int64_t{service}).bind(2, from).bind(3, to);
    while (must(rows.step())) {
      const int64_t value = rows.number(0);
      std::vector<profile::FrameId> frames;
      std::string_view text = rows.bytes(1);
      while (!text.empty()) {
        const size_t end = std::min(text.find(';'), text.size());
        frames.push_back(result.named_frame(text.substr(0, end)));
        text.remove_prefix(std::min(text.size(), end + 1));
      }
      std::ranges::reverse(frames);
      result.samples.add(result.stacks.intern(frames), {}, {&value, 1});
    }
    return result;
  }
  void checkpoint() { must(database_->execute("PRAGMA wal_checkpoint(TRUNCATE)")); }

 private:
  std::unique_ptr<Database> database_;
};

double best_ms(const std::function<void()>& work) {
  double best = 1e18;
  for (int i = 0; i < 3; ++i) {
    Spent spent;
    timed(spent, work);
    best = std::min(best, spent.wall * 1000);
  }
  return best;
}

uint64_t bytes_in(const std::string& folder) {
  uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) sum += entry.file_size();
  return sum;
}

int64_t total_of(const Profile& profile) {
  int64_t total = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) total += profile.samples.value(row, 0);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const auto option = [&](int position, int otherwise) { return argc > position ? std::atoi(argv[position]) : otherwise; };
  const int services = option(1, 2), instances = option(2, 20), minutes = option(3, 60);
  std::string folder = std::filesystem::temp_directory_path() / "atys-store-bench-XXXXXX";
  if (services < 1 || instances < 1 || minutes < 1 || ::mkdtemp(folder.data()) == nullptr) return 2;
  std::filesystem::create_directories(folder + "/peer");
  auto store = must(open_embedded_store({.folder = folder + "/ours"}));
  RowPerSample peer(folder + "/peer/rows.db");
  std::mt19937_64 random(1);
  std::vector<Service> made;
  for (int i = 0; i < services; ++i) peer.add_service(i, made.emplace_back(i, random));

  Spent in, compaction, peer_in;
  uint64_t samples = 0, number = 0;
  for (int64_t t = kStart; t < kStart + minutes * kMinuteNs; t += kStep) {
    for (int s = 0; s < services; ++s) {
      // One transaction for what a service's instances send at a time.
      std::vector<Window> windows;
      std::vector<Hits> all_hits;
      for (int i = 0; i < instances; ++i) {
        all_hits.push_back(made[static_cast<size_t>(s)].draw(random));
        samples += all_hits.back().size();
        Window window;
        ++number;
        std::copy_n(reinterpret_cast<const uint8_t*>(&number), sizeof number, window.id.begin());
        window.service = made[static_cast<size_t>(s)].name;
        window.kind = "cpu";
        window.node = fmt::format("node-{}", i);
        window.instance = fmt::format("{}-{}", s, i);
        window.start_ns = t;
        window.end_ns = t + kStep;
        window.profile = made[static_cast<size_t>(s)].profile_of(all_hits.back());
        windows.push_back(std::move(window));
      }
      timed(in, [&] { must(store->append(windows)); });
      timed(peer_in, [&] {
        peer.begin();
        for (int i = 0; i < instances; ++i) peer.add(s, t, i, all_hits[static_cast<size_t>(i)]);
        peer.commit();
      });
    }
    if (t % kMinuteNs == 0) timed(compaction, [&] { must(store->maintenance()->compact(t)); });
  }
  const Selection hour{.service = made[0].name, .kind = "cpu", .from_ns = kStart, .to_ns = kStart + minutes * kMinuteNs};
  const double ours_early_ms = best_ms([&] { must(store->merge(hour)); });
  timed(compaction, [&] { must(store->maintenance()->compact(kStart + kDayNs)); });
  const int64_t total = total_of(must(store->merge(hour)).profile);
  const double ours_ms = best_ms([&] { must(store->merge(hour)); });
  const double windows_ms = best_ms([&] { must(store->merge(hour, Detail::Samples)); });
  Selection of_node = hour;
  of_node.matchers = {equals("node", "node-0")};
  const double node_ms = best_ms([&] { must(store->merge(of_node)); });
  const double series_ms = best_ms([&] { must(store->series({.selection = hour, .function = "x"})); });
  peer.checkpoint();
  const int64_t peer_total = total_of(peer.merge(0, kStart, hour.to_ns));
  const double peer_ms = best_ms([&] { (void)peer.merge(0, kStart, hour.to_ns); });
  if (total != peer_total) {
    fmt::print(stderr, "the answers differ: {} and {}\n", total, peer_total);
    return 1;
  }
  const Health health = must(store->maintenance()->health(false));
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  store.reset();  // the log becomes part of the file
  const double n = static_cast<double>(samples);
  const double ours_bytes = static_cast<double>(bytes_in(folder + "/ours"));
  const double peer_bytes = static_cast<double>(bytes_in(folder + "/peer"));
  fmt::print("{} services x {} instances x {} min: {} windows, {:.1f} M samples\n", services, instances, minutes, number,
             n / 1e6);
  fmt::print("| what | ours | row per sample | ratio |\n|---|---|---|---|\n");
  const auto row = [](const char* what, double ours, double theirs, const char* unit, bool more_is_better) {
    fmt::print("| {} | {:.2f} {} | {:.2f} {} | {:.1f} |\n", what, ours, unit, theirs, unit,
               more_is_better ? ours / theirs : theirs / ours);
  };
  row("samples in, wall", n / in.wall / 1e6, n / peer_in.wall / 1e6, "M/s", true);
  row("CPU of it, with compaction", (in.cpu + compaction.cpu) / n * 1e9, peer_in.cpu / n * 1e9, "ns/sample", false);
  row("bytes on disk", ours_bytes / n, peer_bytes / n, "B/sample", false);
  row("merging it all, one service", ours_ms, peer_ms, "ms", false);
  fmt::print("compaction {:.0f} ns/sample CPU; windows {:.2f}, minutes {:.3f}, hours {:.3f} B/sample\n",
             compaction.cpu / n * 1e9, static_cast<double>(health.levels[0].bytes) / n,
             static_cast<double>(health.levels[1].bytes) / n, static_cast<double>(health.levels[2].bytes) / n);
  fmt::print(
      "merge before the hour is over {:.1f} ms, from windows {:.1f} ms, of one node {:.1f} ms; series {:.1f} ms; peak {} "
      "MB\n",
      ours_early_ms, windows_ms, node_ms, series_ms, usage.ru_maxrss / 1024);
  std::filesystem::remove_all(folder);
  return 0;
}
