// SPDX-License-Identifier: Apache-2.0
// Bytes that went bad on disk: every answer is right, or says that something is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "store/embedded/calendar.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_store.h"
#include "store/store_maintenance.h"
#include "support/generated_profiles.h"
#include "support/scratch_folder.h"
#include "support/store_windows.h"

namespace atys::test {

using namespace store;

namespace {

constexpr size_t kPage = 4096;

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + " ";
  return all;
}

// What the store says to one question, and whether it says that something is missing.
struct Said {
  std::string text;
  bool tells = false;
};

Said say(const Result<Merged>& merged) {
  if (!merged.ok()) return {merged.error().message, true};
  const Coverage& coverage = merged->coverage;
  return {to_text(merged->profile) + std::to_string(coverage.windows) + (coverage.dropped ? " dropped" : ""),
          coverage.is_damaged() && !coverage.exact};
}

Said say(const Result<Series>& series) {
  if (!series.ok()) return {series.error().message, true};
  std::string text = series->value_type + series->unit;
  for (const SeriesPoint& point : series->points)
    text +=
        " " + std::to_string(point.total) + "/" + std::to_string(point.function_total) + "/" + std::to_string(point.windows);
  return {text, series->coverage.is_damaged() && !series->coverage.exact};
}

std::vector<Said> answers(ProfileStore& store) {
  std::vector<Said> all;
  const auto range = all_of(kNoon - kHour, kNoon + 3 * kHour);
  all.push_back(say(store.merge(range)));
  all.push_back(say(store.merge(range, Detail::Samples)));
  Selection node = range;
  node.matchers = {equals("node", "node-a")};
  all.push_back(say(store.merge(node)));
  all.push_back(say(store.series({.selection = all_of(kNoon, kNoon + 3 * kHour), .function = "main"})));
  Missing missing;
  std::string text;
  const auto services = store.services(&missing);
  for (size_t i = 0; services.ok() && i < services->size(); ++i) {
    const ServiceEntry& entry = (*services)[i];
    text += entry.service + joined(entry.kinds) + joined(entry.versions) + std::to_string(entry.windows) +
            std::to_string(entry.first_ns) + std::to_string(entry.last_ns) + std::to_string(entry.instances);
  }
  all.push_back({text, !services.ok() || !missing.problems.empty()});
  missing = {};
  text.clear();
  const auto instances = store.instances("shop", &missing);
  for (size_t i = 0; instances.ok() && i < instances->size(); ++i) {
    const InstanceEntry& entry = (*instances)[i];
    text += entry.node + entry.instance + entry.version + std::to_string(entry.windows) + std::to_string(entry.last_ns);
  }
  all.push_back({text, !instances.ok() || !missing.problems.empty()});
  return all;
}

}  // namespace

class DamageTest : public testing::Test {
 protected:
  std::string day() const { return folder_.path() + "/" + day_file_name(kNoon); }
  std::unique_ptr<ProfileStore> open(bool read_only) {
    auto opened = open_embedded_store({.folder = folder_.path(), .read_only = read_only});
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.take();
  }
  // Sums of hours and minutes, segments and windows as they came, ids, marks, several dictionaries.
  void fill() {
    const auto store = open(false);
    std::vector<Window> windows;
    for (uint64_t i = 1; i <= 60; ++i) {
      windows.push_back(window_at(i, kNoon + static_cast<int64_t>(i) * 2 * kMinute, generate_profile(i)));
      windows.back().node = i % 2 == 0 ? "node-a" : "node-b";
      windows.back().mark = {id_of(7), i};
      if (i % 5 == 0) windows.back().service = "bank";
    }
    ASSERT_TRUE(store->append(std::span(windows).first(50)).ok());
    ASSERT_TRUE(store->maintenance()->compact(kNoon + 90 * kMinute).ok());
    ASSERT_TRUE(store->append(std::span(windows).last(10)).ok());
  }
  void forget_rest() {
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(day() + suffix);
  }
  // Whether each answer was right or told; counts those that told.
  size_t check(const std::vector<Said>& right, const std::string& where) {
    const auto store = open(/*read_only=*/true);
    const std::vector<Said> said = answers(*store);
    size_t told = 0;
    for (size_t i = 0; i < said.size(); ++i) {
      told += said[i].tells ? 1 : 0;
      EXPECT_TRUE(said[i].tells || said[i].text == right[i].text) << "answer " << i << " is wrong in silence: " << where;
    }
    return told;
  }

  ScratchFolder folder_;
};

TEST_F(DamageTest, a_single_bit_anywhere_in_a_file_gives_no_wrong_answer_in_silence) {
  fill();
  ASSERT_FALSE(std::filesystem::exists(day() + "-wal")) << "who ends well leaves no log";
  const std::string bytes = read_bytes(day());
  const std::vector<Said> right = answers(*open(true));
  for (const Said& each : right) ASSERT_FALSE(each.tells) << each.text;
  // Every other bit of the header, and some of every page.
  std::vector<size_t> bits;
  for (size_t bit = 0; bit < 800; bit += 2) bits.push_back(bit);
  std::mt19937_64 random(18);
  for (size_t page = 0; page < bytes.size() / kPage; ++page) {
    for (int i = 0; i < 8; ++i) bits.push_back(page * kPage * 8 + random() % (kPage * 8));
  }
  ASSERT_GE(bits.size(), 450u);
  size_t told = 0;
  for (const size_t bit : bits) {
    forget_rest();
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_bytes(day(), damaged);
    told += check(right, "bit " + std::to_string(bit)) > 0 ? 1 : 0;
  }
  EXPECT_GT(told, bits.size() / 2);
}

TEST_F(DamageTest, a_file_that_is_cut_off_or_empty_is_told) {
  fill();
  const std::string bytes = read_bytes(day());
  const std::vector<Said> right = answers(*open(true));
  for (const size_t size :
       {size_t{0}, size_t{50}, kPage, kPage + 100, bytes.size() / 2, bytes.size() - 1, bytes.size() - 9}) {
    forget_rest();
    write_bytes(day(), bytes.substr(0, size));
    EXPECT_GT(check(right, "cut to " + std::to_string(size)), 0u) << size;
  }
}

// A log is taken up to its first frame that is damaged, and what was stored after it is gone: the store says so ever after.
TEST_F(DamageTest, a_log_that_is_damaged_is_told_and_kept) {
  std::string file, log;
  {
    const auto store = open(false);
    for (uint64_t i = 1; i <= 8; ++i) {
      const Window window = window_at(i, kNoon + static_cast<int64_t>(i) * kMinute, "main;w" + std::to_string(i) + " 1");
      ASSERT_TRUE(store->append({&window, 1}).ok());
    }
    file = read_bytes(day());
    log = read_bytes(day() + "-wal");
  }
  ASSERT_GT(log.size(), 10 * kPage);
  const auto put_back = [&](const std::string& with_log) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) std::filesystem::remove(entry.path());
    write_bytes(day(), file);
    write_bytes(day() + "-wal", with_log);
  };
  put_back(log);
  const std::vector<Said> right = answers(*open(false));
  EXPECT_FALSE(right[0].tells) << "a log that is whole is no damage";
  std::mt19937_64 random(5);
  size_t told = 0;
  for (int round = 0; round < 60; ++round) {
    std::string damaged = log;
    // The header, then anywhere; the last transaction and those before it.
    const size_t at = round < 32 ? static_cast<size_t>(round) : random() % log.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    put_back(damaged);
    for (const bool is_later : {false, true}) {
      const auto store = open(false);
      const std::vector<Said> said = answers(*store);
      for (size_t i = 0; i < said.size(); ++i) {
        EXPECT_TRUE(said[i].tells || said[i].text == right[i].text) << "byte " << at << ", answer " << i << is_later;
      }
      told += said[0].tells ? 1 : 0;
      const Window window = window_at(99, kNoon + 5 * kHour, "main;later 1");
      ASSERT_TRUE(store->append({&window, 1}).ok());
    }
  }
  EXPECT_GT(told, 60u);
}

TEST_F(DamageTest, what_is_set_aside_is_told_in_every_answer_and_goes_with_its_day) {
  fill();
  write_bytes(day(), std::string(20'000, 'x'));
  const auto store = open(false);
  const Window window = window_at(99, kNoon, "main;later 1");
  ASSERT_TRUE(store->append({&window, 1}).ok());
  for (const Said& said : answers(*store)) EXPECT_TRUE(said.tells) << said.text;
  const auto elsewhere = store->merge(all_of(kNoon + 3 * kDay, kNoon + 4 * kDay));
  EXPECT_FALSE(elsewhere->coverage.is_damaged()) << "other days are whole";
  EXPECT_TRUE(elsewhere->coverage.exact);
  ASSERT_TRUE(std::filesystem::exists(day() + ".damaged"));
  ASSERT_TRUE(store->maintenance()->retain({}, kNoon + 400 * kDay).ok());
  EXPECT_FALSE(std::filesystem::exists(day() + ".damaged"));
  EXPECT_EQ(store->maintenance()->health()->damaged, 0u);
}

TEST_F(DamageTest, files_without_checksums_are_read_and_counted) {
  fill();
  const std::vector<Said> right = answers(*open(true));
  const std::string old = folder_.path() + "/old";
  {
    sqlite3* plain = nullptr;  // past the layer that checks
    ASSERT_EQ(sqlite3_open(old.c_str(), &plain), SQLITE_OK);
    std::string copy = "ATTACH '" + day() + "' AS new; PRAGMA main.application_id=0x41747973; PRAGMA main.user_version=1;";
    sqlite3_stmt* rows = nullptr;
    ASSERT_EQ(sqlite3_exec(plain, copy.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    ASSERT_EQ(
        sqlite3_prepare_v2(plain, "SELECT sql, name, type FROM new.sqlite_schema WHERE sql IS NOT NULL", -1, &rows, nullptr),
        SQLITE_OK);
    copy.clear();
    while (sqlite3_step(rows) == SQLITE_ROW) {
      const auto text = [&](int column) {
        return std::string(reinterpret_cast<const char*>(sqlite3_column_text(rows, column)));
      };
      copy += text(0) + ";";
      if (text(2) == "table") copy += "INSERT INTO main." + text(1) + " SELECT * FROM new." + text(1) + ";";
    }
    sqlite3_finalize(rows);
    char* error = nullptr;
    ASSERT_EQ(sqlite3_exec(plain, copy.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
    sqlite3_close(plain);
  }
  forget_rest();
  std::filesystem::rename(old, day());
  const auto store = open(false);
  const std::vector<Said> said = answers(*store);
  for (size_t i = 0; i < said.size(); ++i) EXPECT_EQ(said[i].text, right[i].text);
  EXPECT_EQ(store->maintenance()->health()->unchecked_files, 1u);
  const std::vector<Window> more = {window_at(99, kNoon, "main 1"), window_at(100, kNoon + kDay, "main 1")};
  ASSERT_TRUE(store->append(more).ok());
  EXPECT_EQ(store->maintenance()->health()->unchecked_files, 1u);
  EXPECT_EQ(store->maintenance()->health()->files, 2u);
}

}  // namespace atys::test
