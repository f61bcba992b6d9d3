// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/transport/stdio_transport.h"

#include <unistd.h>

#include <cerrno>
#include <list>
#include <thread>

#include "base/descriptor_io.h"
#include "base/guarded.h"
#include "present/mcp/transport/in_flight.h"
#include "present/mcp/transport/line_reader.h"

namespace atys::present::mcp {

namespace {

constexpr size_t kMostThreads = 64;

class StdioSession {
 public:
  StdioSession(const Server& server, Performer& performer, int output)
      : server_(server), performer_(performer), output_(output) {}
  ~StdioSession();

  void take(const LineReader::Line& line);

 private:
  struct Task {
    std::thread thread;
    std::atomic<bool> is_done = false;
  };

  void act_on(Outcome outcome);
  void start(Work work);
  void perform(const Work& work, const CancelFlag& is_cancelled);
  void send(const Json& message);
  void forget_finished();

  const Server& server_;
  Performer& performer_;
  int output_;
  Channel channel_;
  InFlight in_flight_;
  std::mutex sending_;
  std::list<Task> tasks_;
};

// The client is gone: nobody wants the answers, and what was started for them ends.
StdioSession::~StdioSession() {
  in_flight_.cancel_all();
  for (Task& task : tasks_) task.thread.join();
}

void StdioSession::take(const LineReader::Line& line) {
  if (line.is_too_long)
    return act_on(
        server_.refuse({{}, {kInvalidRequest, "a message is at most " + std::to_string(kMostMessageBytes) + " bytes", {}}}));
  if (line.text.find_first_not_of(" \t\r") == std::string::npos) return;
  const auto parsed = parse_message(line.text);
  if (const auto* bad = std::get_if<BadMessage>(&parsed)) return act_on(server_.refuse(*bad));
  act_on(server_.handle(std::get<Message>(parsed), channel_));
}

void StdioSession::act_on(Outcome outcome) {
  if (!outcome.agreed_version.empty()) channel_.legacy_version = outcome.agreed_version;
  switch (outcome.kind) {
    case Outcome::Kind::Nothing: break;
    case Outcome::Kind::Answer: send(outcome.answer); break;
    case Outcome::Kind::Cancel: in_flight_.cancel({}, outcome.cancelled_id); break;
    case Outcome::Kind::Work: start(std::move(outcome.work)); break;
  }
}

void StdioSession::start(Work work) {
  forget_finished();
  const CancelFlag flag = in_flight_.add({}, work.id);
  if (flag == nullptr) return send(make_error(work.id, {kInvalidRequest, "a request with this id is under way", {}}));
  if (tasks_.size() >= kMostThreads) {
    in_flight_.remove({}, work.id);
    return send(make_error(work.id, {kInternalError, "too many requests at once", {}}));
  }
  Task& task = tasks_.emplace_back();
  task.thread = std::thread([this, &task, flag, moved = std::move(work)] {
    perform(moved, flag);
    task.is_done = true;
  });
}

void StdioSession::perform(const Work& work, const CancelFlag& is_cancelled) {
  WorkObserver observer;
  observer.is_cancelled = [&] { return is_cancelled->load(); };
  if (!work.progress_token.is_null())
    observer.on_progress = [&](const Progress& progress) { send(server_.progress_of(work, progress)); };
  const Json done = performer_.perform(work, observer);
  in_flight_.remove({}, work.id);
  // After a cancellation nothing more is said about the request.
  if (!is_cancelled->load()) send(server_.finish(work, done));
}

void StdioSession::send(const Json& message) {
  const std::string line = to_line(message) + "\n";
  const std::lock_guard lock(sending_);
  (void)write_all(output_, line);  // where it fails the input will end too
}

void StdioSession::forget_finished() {
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    if (!task->is_done) {
      ++task;
      continue;
    }
    task->thread.join();
    task = tasks_.erase(task);
  }
}

}  // namespace

Result<> serve_stdio(const Server& server, Performer& performer, int input, int output) {
  StdioSession session(server, performer, output);
  LineReader lines(input, kMostMessageBytes);
  while (const auto line = lines.next()) session.take(*line);
  return {};
}

}  // namespace atys::present::mcp
