// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/task_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/nearest.h"

namespace atys::fleet {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".yaml";
// The first line of a file: what is known of the task besides what was applied.
constexpr std::string_view kFirstLine = "# atys controller: applied ";
constexpr std::string_view kStoppedWord = " stopped";

Result<TaskEntry> read_entry(const std::string& path) {
  const auto source = TRY(open_source(path));
  const std::string text(as_text(TRY(source->read_all(TaskBook::kMostBytes + 200))));
  const size_t end = text.find('\n');
  if (!text.starts_with(kFirstLine) || end == std::string::npos)
    return fail(ErrorCode::InvalidInput, path + " was not written by a controller", "apply the task, or move the file away");
  TaskEntry entry;
  const std::string_view line = std::string_view(text).substr(0, end);
  std::from_chars(line.data() + kFirstLine.size(), line.data() + line.size(), entry.applied_ns);
  entry.is_stopped = line.ends_with(kStoppedWord);
  entry.text = text.substr(end + 1);
  entry.task = TRY(parse_task(entry.text, path));
  return entry;
}

}  // namespace

const char* to_string(TaskPhase phase) {
  switch (phase) {
    case TaskPhase::Running: return "running";
    case TaskPhase::Stopped: return "stopped";
    case TaskPhase::Ended: return "ended";
  }
  return "?";
}

TaskPhase TaskEntry::phase(int64_t now_ns) const {
  if (is_stopped) return TaskPhase::Stopped;
  // In either direction: a clock that was ahead when it was applied does not keep it running until then.
  const bool is_over = task.for_ns != 0 && std::llabs(now_ns - applied_ns) >= static_cast<int64_t>(task.for_ns);
  return is_over ? TaskPhase::Ended : TaskPhase::Running;
}

Result<TaskBook> TaskBook::open(std::string folder, std::vector<std::string>& problems) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::PermissionDenied, "cannot make " + folder + ": " + error.message());
  TaskBook book(std::move(folder));
  for (const auto& file : fs::directory_iterator(book.folder_, error)) {
    const std::string path = file.path().string();
    if (!path.ends_with(kSuffix) || !file.is_regular_file(error)) continue;
    if (const auto loaded = book.load(path); !loaded.ok()) problems.push_back(loaded.error().message);
  }
  if (error) return fail(ErrorCode::PermissionDenied, "cannot read " + book.folder_ + ": " + error.message());
  return book;
}

Result<> TaskBook::load(const std::string& path) {
  TaskEntry entry = TRY(read_entry(path));
  if (path_of(entry.task.name) != path)
    return fail(ErrorCode::InvalidInput, path + " holds the task " + entry.task.name, "a file is named by its task");
  std::string name = entry.task.name;
  own_.insert_or_assign(std::move(name), std::move(entry));
  return {};
}

std::string TaskBook::path_of(const std::string& name) const { return folder_ + "/" + name + std::string(kSuffix); }

Result<> TaskBook::save(const TaskEntry& entry) const {
  const auto sink = TRY(open_sink(path_of(entry.task.name)));
  TRY(sink->write(fmt::format("{}{}{}\n", kFirstLine, entry.applied_ns, entry.is_stopped ? kStoppedWord : "")));
  TRY(sink->write(entry.text));
  return sink->commit();
}

Result<TaskEntry> TaskBook::apply(const std::string& text, std::string_view source, int64_t now_ns) {
  if (text.size() > kMostBytes) return fail(ErrorCode::InvalidInput, fmt::format("{}: more than 64 KiB", source));
  TaskEntry entry{.task = TRY(parse_task(text, source)), .text = text, .applied_ns = now_ns};
  const std::string name = entry.task.name;
  if (from_above_.contains(name))
    return fail(ErrorCode::InvalidInput, "the task " + name + " comes from the controller above", "change it there");
  if (!own_.contains(name) && own_.size() >= kMostTasks)
    return fail(ErrorCode::ResourceExhausted, "there are 500 tasks already", "atys task delete what has ended");
  TRY(save(entry));
  own_.insert_or_assign(name, entry);
  return entry;
}

Result<TaskEntry> TaskBook::stop(const std::string& name) {
  TaskEntry entry = TRY(find(name));
  if (entry.is_from_above)
    return fail(ErrorCode::InvalidInput, "the task " + name + " comes from the controller above", "stop it there");
  entry.is_stopped = true;
  TRY(save(entry));
  own_.insert_or_assign(name, entry);
  return entry;
}

Result<TaskEntry> TaskBook::remove(const std::string& name) {
  TaskEntry entry = TRY(find(name));
  if (entry.is_from_above)
    return fail(ErrorCode::InvalidInput, "the task " + name + " comes from the controller above", "delete it there");
  std::error_code error;
  fs::remove(path_of(name), error);
  if (error) return fail(ErrorCode::PermissionDenied, "cannot delete " + path_of(name) + ": " + error.message());
  own_.erase(name);
  return entry;
}

Result<TaskEntry> TaskBook::find(const std::string& name) const {
  if (const auto found = own_.find(name); found != own_.end()) return found->second;
  if (const auto found = from_above_.find(name); found != from_above_.end()) return found->second;
  std::vector<std::string> names;
  for (const TaskEntry& entry : list()) names.push_back(entry.task.name);
  return fail(ErrorCode::NotFound, "there is no task " + name,
              did_you_mean(name, names, "atys task list shows what there is"));
}

std::vector<TaskEntry> TaskBook::list() const {
  std::map<std::string, TaskEntry> all = from_above_;
  all.insert(own_.begin(), own_.end());
  std::vector<TaskEntry> entries;
  for (auto& [name, entry] : all) entries.push_back(std::move(entry));
  return entries;
}

std::vector<std::string> TaskBook::orders_for(const std::string& node, bool is_controller, int64_t now_ns) const {
  std::vector<std::string> orders;
  for (TaskEntry& entry : list()) {
    if (entry.phase(now_ns) != TaskPhase::Running || !(is_controller || entry.task.runs_on(node))) continue;
    entry.task.for_ns = 0;  // it ends when it is no longer handed out
    orders.push_back(to_yaml(entry.task));
  }
  return orders;
}

void TaskBook::set_from_above(const std::vector<std::string>& texts, int64_t now_ns) {
  std::map<std::string, TaskEntry> fresh;
  for (const std::string& text : texts) {
    auto task = parse_task(text, "the controller above");
    if (!task.ok()) continue;
    TaskEntry entry{.task = task.take(), .text = text, .applied_ns = now_ns, .is_from_above = true};
    const auto known = from_above_.find(entry.task.name);
    if (known != from_above_.end() && known->second.text == text) entry.applied_ns = known->second.applied_ns;
    std::string name = entry.task.name;
    fresh.insert_or_assign(std::move(name), std::move(entry));
  }
  from_above_ = std::move(fresh);
}

}  // namespace atys::fleet
