// SPDX-License-Identifier: Apache-2.0
#include "capture/python/thread_names.h"

#include <algorithm>

namespace atys::capture::python {

namespace {

constexpr uint64_t kPauseForNewNs = 20'000'000;
constexpr uint64_t kPauseNs = 1'000'000'000;
constexpr size_t kMostNames = 65536;
constexpr size_t kMostThreads = 16384;
constexpr size_t kMostModules = 4096;
constexpr size_t kMostInterpreters = 256;
constexpr size_t kInterpretersLookedAt = 4;

std::string cut(std::string text) {
  if (text.size() <= ThreadNames::kLongestName) return text;
  size_t size = ThreadNames::kLongestName;
  while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xc0) == 0x80) --size;
  text.resize(size);
  return text;
}

}  // namespace

const std::string& ThreadNames::name_of(pid_t tid, uint64_t now_ns,
                                        const std::function<std::vector<NumberedThread>()>& list) {
  static const std::string kNone;
  const auto known = names_.find(tid);
  const bool is_new = known == names_.end();
  if (looked_at_ns_ == 0 || now_ns >= looked_at_ns_ + (is_new ? kPauseForNewNs : kPauseNs)) {
    looked_at_ns_ = now_ns;
    look(list(), !is_new && !known->second.empty(), now_ns);
    if (names_.size() < kMostNames) names_.try_emplace(tid);
  }
  const auto found = names_.find(tid);
  return found == names_.end() ? kNone : found->second;
}

// The interpreter's list has the newest first; the main one comes last, and is the first here.
std::vector<uint64_t> ThreadNames::interpreters() {
  std::vector<uint64_t> found;
  uint64_t of = dictionaries_.word(interpreter_.runtime + interpreter_.layout.interpreters_head);
  while (of != 0 && found.size() < kMostInterpreters && std::ranges::find(found, of) == found.end()) {
    found.push_back(of);
    of = dictionaries_.word(of + interpreter_.layout.interpreter_next);
  }
  std::ranges::reverse(found);
  found.resize(std::min(found.size(), kInterpretersLookedAt));
  return found;
}

// The dictionary stays the same as long as the interpreter lives. 0: nobody has imported the module yet.
uint64_t ThreadNames::active_of(uint64_t interpreter, uint64_t now_ns) {
  uint64_t& active = active_[interpreter];
  if (active != 0 && dictionaries_.is_dictionary(active)) return active;
  active = 0;
  if (searched_at_ns_ != now_ns && searched_at_ns_ != 0 && now_ns < searched_at_ns_ + kPauseNs) return 0;
  searched_at_ns_ = now_ns;
  const uint64_t modules = dictionaries_.word(interpreter + interpreter_.layout.interpreter_modules);
  const uint64_t threading = dictionaries_.find(modules, "threading", kMostModules);
  if (threading == 0) return 0;
  const uint64_t content = dictionaries_.word(threading + interpreter_.layout.object_type + 8);
  active = dictionaries_.find(content, "_active", kMostModules);
  return active;
}

std::string ThreadNames::name_in(uint64_t thread_object) {
  return cut(dictionaries_.text(dictionaries_.attribute(thread_object, "_name")).value_or(""));
}

// Keys are pthread_t as numbers, and the hash of a number below 2^61 is itself.
void ThreadNames::look(const std::vector<NumberedThread>& threads, bool is_again, uint64_t now_ns) {
  dictionaries_.allow_more();
  std::unordered_map<uint64_t, uint64_t> objects;  // by pthread_t
  const auto all = interpreters();
  std::erase_if(active_, [&](const auto& known) { return std::ranges::find(all, known.first) == all.end(); });
  for (const uint64_t interpreter : all)
    for (const auto& item : dictionaries_.items(active_of(interpreter, now_ns), kMostThreads))
      objects.emplace(item.hash, item.value);
  for (const auto& [tid, thread] : threads) {
    if (names_.size() >= kMostNames && !names_.contains(tid)) break;
    std::string& name = names_[tid];
    const auto object = objects.find(thread.pthread);
    if (object == objects.end() || (!name.empty() && !is_again)) continue;
    if (std::string now = name_in(object->second); !now.empty()) name = std::move(now);
  }
}

}  // namespace atys::capture::python
