// SPDX-License-Identifier: Apache-2.0
// What the embedded store has to do beyond the contract of all stores: files that are damaged, processes that are killed.
#include "store/embedded/embedded_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <random>

#include "base/unique_fd.h"
#include "store/byte_codec.h"
#include "store/embedded/calendar.h"
#include "store/embedded/database.h"
#include "store/store_maintenance.h"
#include "support/generated_profiles.h"
#include "support/scratch_folder.h"
#include "support/store_contract.h"
#include "support/store_windows.h"

namespace atys::test {

using namespace store;

namespace {

class Folder final : public StorePlace {
 public:
  explicit Folder(EmbeddedOptions options) : options_(std::move(options)) { options_.folder = scratch_.path() + "/store"; }
  Result<std::unique_ptr<ProfileStore>> open() override { return open_embedded_store(options_); }

 private:
  ScratchFolder scratch_;
  EmbeddedOptions options_;
};

StoreUnderTest usual() {
  return {"embedded", [] { return std::make_unique<Folder>(EmbeddedOptions{}); }};
}

// Many small dictionaries instead of one, and none of them kept in memory.
StoreUnderTest forgetful() {
  return {"embedded_forgetful",
          [] { return std::make_unique<Folder>(EmbeddedOptions{.cache_bytes = 0, .dictionary_bytes = 20'000}); }};
}

std::string numbered(uint64_t number) { return "main;w" + std::to_string(number) + " 1"; }

}  // namespace

INSTANTIATE_TEST_SUITE_P(Embedded, StoreContract, testing::Values(usual(), forgetful()));

class EmbeddedStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "atys-embedded-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ProfileStore> open(bool read_only = false) {
    auto opened = open_embedded_store({.folder = folder_, .read_only = read_only});
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.ok() ? opened.take() : nullptr;
  }
  std::string day_path(int64_t time_ns = kNoon) const { return folder_ + "/" + day_file_name(time_ns); }
  void run_sql(const char* statements) {
    const auto database = Database::open(day_path(), Database::Mode::Write);
    ASSERT_TRUE(database.ok()) << database.error().message;
    const auto done = (*database)->execute(statements);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  std::string folder_;
};

TEST_F(EmbeddedStoreTest, has_one_writer_and_says_who_it_is) {
  const auto writer = open();
  const auto second = open_embedded_store({.folder = folder_});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::Unavailable);
  EXPECT_NE(second.error().message.find("pid " + std::to_string(::getpid())), std::string::npos) << second.error().message;
  EXPECT_FALSE(second.error().hint.empty());
}

TEST_F(EmbeddedStoreTest, can_be_read_beside_its_writer_and_without_one) {
  auto writer = open();
  const Window first = window_at(1, kNoon, "main 1");
  ASSERT_TRUE(writer->append({&first, 1}).ok());
  const auto reader = open(/*read_only=*/true);
  EXPECT_EQ(to_text(reader->merge(all_of())->profile), "main 1\n");
  const Window second = window_at(2, kNoon, "main 1");
  ASSERT_TRUE(writer->append({&second, 1}).ok());
  EXPECT_EQ(to_text(reader->merge(all_of())->profile), "main 2\n");
  EXPECT_EQ(reader->append({&second, 1}).error().code, ErrorCode::PermissionDenied);
  EXPECT_EQ(reader->maintenance()->compact(kNoon + kDay).error().code, ErrorCode::PermissionDenied);
  EXPECT_EQ(reader->maintenance()->retain({}, kNoon).error().code, ErrorCode::PermissionDenied);
  // A day that the writer drops is gone for the reader as well.
  writer->maintenance()->retain({.max_age_ns = {kHour, kHour, kHour}}, kNoon + 3 * kDay).take();
  EXPECT_EQ(reader->merge(all_of())->coverage.windows, 0u);
  EXPECT_TRUE(reader->merge(all_of())->coverage.dropped);
  ASSERT_TRUE(writer->append({&first, 1}).ok());
  writer.reset();
  EXPECT_EQ(to_text(reader->merge(all_of())->profile), "main 1\n");
  EXPECT_EQ(to_text(open(true)->merge(all_of())->profile), "main 1\n");
  EXPECT_EQ(open_embedded_store({.folder = folder_ + "/none", .read_only = true}).error().code, ErrorCode::NotFound);
}

TEST_F(EmbeddedStoreTest, is_closed_to_others) {
  std::filesystem::remove_all(folder_);
  const auto store = open();
  const Window window = window_at(1, kNoon, "main 1");
  ASSERT_TRUE(store->append({&window, 1}).ok());
  struct stat status {};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 077, 0u) << entry.path();
  }
}

TEST_F(EmbeddedStoreTest, answers_without_a_block_that_is_damaged) {
  for (const bool is_compacted : {false, true}) {
    std::filesystem::remove_all(folder_);
    auto store = open();
    std::vector<Window> windows;
    for (uint64_t i = 1; i <= 5; ++i)
      windows.push_back(window_at(i, kNoon + static_cast<int64_t>(i) * kMinute, numbered(i)));
    ASSERT_TRUE(store->append(windows).ok());
    ASSERT_TRUE(!is_compacted || store->maintenance()->compact(kNoon + kDay).ok());
    store.reset();
    // Of the third minute: one byte in the middle of each of its blocks.
    run_sql(
        "UPDATE block SET data=CAST(substr(data, 1, length(data)/2) || x'5a' || substr(data, length(data)/2+2) AS BLOB) "
        "WHERE start/60000000000%60=3");
    store = open();
    const auto merged = store->merge(all_of(kNoon, kNoon + 10 * kMinute));
    ASSERT_TRUE(merged.ok()) << merged.error().message;
    EXPECT_EQ(to_text(merged->profile), "main;w1 1\nmain;w2 1\nmain;w4 1\nmain;w5 1\n");
    ASSERT_EQ(merged->coverage.problems.size(), 1u);
    EXPECT_NE(merged->coverage.problems[0].find(day_file_name(kNoon)), std::string::npos);
    EXPECT_GT(store->maintenance()->health(true)->damaged, 0u);
    // It does not keep the others from being summed up, and is not forgotten by that.
    ASSERT_TRUE(store->maintenance()->compact(kNoon + kDay).ok());
    ASSERT_TRUE(store->maintenance()->compact(kNoon + kDay).ok());
    const auto again = store->merge(all_of(kNoon, kNoon + 10 * kMinute));
    EXPECT_EQ(to_text(again->profile), to_text(merged->profile));
    EXPECT_EQ(again->coverage.problems.size(), 1u);
    EXPECT_GT(store->maintenance()->health()->damaged + store->maintenance()->health(true)->damaged, 0u);
  }
}

TEST_F(EmbeddedStoreTest, goes_on_with_another_dictionary_where_one_is_damaged) {
  auto store = open();
  const Window before = window_at(1, kNoon, numbered(1));
  ASSERT_TRUE(store->append({&before, 1}).ok());
  store.reset();
  run_sql("UPDATE chunk SET data=x'00'");
  store = open();
  const Window after = window_at(2, kNoon, numbered(2));
  ASSERT_TRUE(store->append({&after, 1}).ok());
  for (int round = 0; round < 2; ++round) {
    const auto merged = store->merge(all_of());
    EXPECT_EQ(to_text(merged->profile), "main;w2 1\n");
    EXPECT_EQ(merged->coverage.problems.size(), 1u);
    ASSERT_TRUE(store->maintenance()->compact(kNoon + kDay).ok());
  }
}

TEST_F(EmbeddedStoreTest, answers_from_other_days_where_a_file_is_damaged) {
  auto store = open();
  const std::vector<Window> windows = {window_at(1, kNoon, numbered(1)), window_at(2, kNoon + kDay, numbered(2))};
  ASSERT_TRUE(store->append(windows).ok());
  store.reset();
  std::ofstream(day_path(), std::ios::trunc) << std::string(10'000, 'x');
  store = open();
  const auto merged = store->merge(all_of(kNoon - kDay, kNoon + 2 * kDay));
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(to_text(merged->profile), "main;w2 1\n");
  EXPECT_EQ(merged->coverage.problems.size(), 1u);
  EXPECT_EQ(store->services()->size(), 1u);
  EXPECT_EQ(store->maintenance()->health()->damaged, 1u);
  EXPECT_TRUE(store->maintenance()->compact(kNoon + 2 * kDay).ok());
  // The damaged file is kept, under another name, and the day goes on.
  const Window more = window_at(3, kNoon, numbered(3));
  ASSERT_TRUE(store->append({&more, 1}).ok());
  EXPECT_EQ(to_text(store->merge(all_of(kNoon - kDay, kNoon + 2 * kDay))->profile), "main;w2 1\nmain;w3 1\n");
  EXPECT_TRUE(std::filesystem::exists(day_path() + ".damaged"));
  EXPECT_EQ(store->maintenance()->health()->damaged, 1u);
}

TEST_F(EmbeddedStoreTest, survives_damage_anywhere_in_a_file) {
  auto store = open();
  std::vector<Window> windows;
  for (uint64_t i = 1; i <= 30; ++i) {
    windows.push_back(window_at(i, kNoon + static_cast<int64_t>(i) * 20 * kSecond, generate_profile(i)));
  }
  ASSERT_TRUE(store->append(windows).ok());
  ASSERT_TRUE(store->maintenance()->compact(kNoon + kDay).ok());
  store.reset();
  std::string bytes;
  {
    std::ifstream in(day_path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 1 + round % 20; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (round % 7 == 0) damaged.resize(random() % damaged.size());
    std::ofstream(day_path(), std::ios::binary | std::ios::trunc) << damaged;
    store = open(/*read_only=*/true);
    // Whatever they answer, they answer.
    (void)store->merge(all_of(), Detail::Samples).ok();
    (void)store->series({.selection = all_of(), .function = "main"}).ok();
    (void)store->services().ok();
    (void)store->maintenance()->health(true).ok();
    store.reset();
    std::filesystem::remove(day_path() + "-wal");
    std::filesystem::remove(day_path() + "-shm");
  }
}

// As versions before this one wrote it: stretches as a label, "-" for windows of none.
TEST_F(EmbeddedStoreTest, reads_stretches_that_were_labels_once) {
  auto store = open();
  std::vector<Window> windows;
  for (uint64_t i = 1; i <= 3; ++i) {
    windows.push_back(window_at(i, kNoon + static_cast<int64_t>(i) * kMinute, numbered(i)));
    windows.back().labels = {{"pod", std::to_string(i)}};
  }
  ASSERT_TRUE(store->append(windows).ok());
  store.reset();
  const char* const labels[] = {"-", "0011/shop/4@330", "0011/shop/7-1700000000123@330"};
  for (int i = 0; i < 3; ++i) {
    std::string hex;
    ByteWriter writer;
    for (const std::string& text :
         {std::string("atys.stretch"), std::string(labels[i]), std::string("pod"), std::string("p")})
      writer.text(text);
    for (const unsigned char c : writer.bytes()) hex += fmt::format("{:02x}", c);
    run_sql(fmt::format("UPDATE series SET labels=x'{}' WHERE id={}", hex, i + 1).c_str());
  }
  store = open();
  // New ones beside them, of the same stretch and of none.
  windows = {window_at(4, kNoon + 4 * kMinute, numbered(4)), window_at(5, kNoon + 5 * kMinute, numbered(5))};
  for (Window& window : windows) window.labels = {{"pod", "p"}};
  windows[0].stretch = {.stream = "0011/shop", .number = 4, .rate = 330};
  ASSERT_TRUE(store->append(windows).ok());
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(store->instances("shop")->size(), 1u);
    EXPECT_EQ(store->instances("shop")->at(0).labels, (LabelList{{"pod", "p"}}));
    EXPECT_EQ(store->label_names(all_of())->names.size(), 6u) << "the stretch is no label";
    const auto merged = store->merge_grouped(all_of(), {});
    ASSERT_TRUE(merged.ok()) << merged.error().message;
    ASSERT_EQ(merged->parts.size(), 3u);
    EXPECT_TRUE(merged->parts[0].group.stretch.is_none());
    EXPECT_EQ(to_text(merged->parts[0].profile), "main;w1 1\nmain;w5 1\n");
    EXPECT_EQ(merged->parts[1].group.stretch.number, 4u);
    EXPECT_EQ(to_text(merged->parts[1].profile), "main;w2 1\nmain;w4 1\n");
    EXPECT_EQ(merged->parts[2].group.stretch.began_ns, 1'700'000'000'123'000'000);
    EXPECT_EQ(to_text(merged->parts[2].profile), "main;w3 1\n");
    ASSERT_TRUE(store->maintenance()->compact(kNoon + kDay).ok());
  }
}

TEST_F(EmbeddedStoreTest, follows_no_links_that_others_put_there) {
  std::ofstream(folder_ + "/elsewhere") << "not ours";
  std::filesystem::create_symlink(folder_ + "/elsewhere", day_path());
  const auto store = open();
  const Window window = window_at(1, kNoon, "main 1");
  EXPECT_FALSE(store->append({&window, 1}).ok());
  EXPECT_EQ(store->merge(all_of())->coverage.problems.size(), 1u) << "it is not passed over in silence";
  std::ifstream in(folder_ + "/elsewhere");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "not ours");
}

// A writer that is killed in the middle, again and again, and each time repeats some of what it had sent.
class KilledWriter {
 public:
  explicit KilledWriter(std::string folder) : folder_(std::move(folder)) {}

  // Starts at a sequence number, is killed after `acknowledgements`, and returns the last one acknowledged.
  uint64_t run(uint64_t first, int acknowledgements, std::mt19937_64& random) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      write_for_ever(first, ends[1]);
      ::_exit(1);
    }
    ::close(ends[1]);
    const UniqueFd acknowledged(ends[0]);
    uint64_t last = 0, sequence = 0;
    for (int i = 0; i < acknowledgements && ::read(acknowledged.get(), &sequence, sizeof sequence) == sizeof sequence; ++i) {
      last = sequence;
    }
    ::usleep(static_cast<useconds_t>(random() % 20'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it failed before it was killed";
    while (::read(acknowledged.get(), &sequence, sizeof sequence) == sizeof sequence) last = sequence;
    return last;
  }

 private:
  void write_for_ever(uint64_t sequence, int acknowledged) {
    auto store = open_embedded_store({.folder = folder_});
    if (!store.ok()) return;
    for (;; sequence += 3) {
      std::vector<Window> windows;
      for (uint64_t i = sequence; i < sequence + 3; ++i) {
        // Every few hundred windows another day.
        windows.push_back(window_at(i, kNoon + static_cast<int64_t>(i) * 200 * kSecond, numbered(i)));
        windows.back().mark = {id_of(7), i};
      }
      if (!(*store)->append(windows).ok()) return;
      const uint64_t last = sequence + 2;
      if (::write(acknowledged, &last, sizeof last) != sizeof last) return;
      if (sequence % 4 == 0 && !(*store)->maintenance()->compact(windows.back().start_ns).ok()) return;
    }
  }

  std::string folder_;
};

TEST_F(EmbeddedStoreTest, has_everything_once_that_was_acknowledged_before_the_writer_was_killed) {
  std::mt19937_64 random(3);
  uint64_t last = 0;
  KilledWriter writer(folder_);
  for (int round = 0; round < 6; ++round) {
    const uint64_t repeat_from = last > 20 ? last - 20 : 1;
    const uint64_t acknowledged = writer.run(repeat_from, 10, random);
    ASSERT_GT(acknowledged, last) << "no progress";
    last = acknowledged;
    const auto store = open();
    EXPECT_GE(*store->acknowledged(id_of(7)), last);
    const auto health = store->maintenance()->health(/*check_integrity=*/true);
    ASSERT_TRUE(health.ok()) << health.error().message;
    EXPECT_TRUE(health->problems.empty()) << health->problems.front();
    for (const Detail detail : {Detail::Stacks, Detail::Samples}) {
      const auto merged = store->merge(all_of(kNoon, kNoon + 60 * kDay), detail);
      ASSERT_TRUE(merged.ok());
      // Not more than was sent, not less than was acknowledged, each once.
      EXPECT_GE(merged->coverage.windows, last);
      EXPECT_LE(merged->coverage.windows, last + 6);
      ASSERT_EQ(merged->profile.samples.size(), merged->coverage.windows);
      for (size_t row = 0; row < merged->profile.samples.size(); ++row) EXPECT_EQ(merged->profile.samples.value(row, 0), 1);
    }
  }
}

}  // namespace atys::test
