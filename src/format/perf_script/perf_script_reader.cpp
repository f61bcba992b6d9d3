// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/perf_script_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "format/perf_script/sample_folder.h"
#include "format/perf_script/sample_line.h"
#include "format/perf_script/sample_pieces.h"

namespace atys::format::perf_script {

namespace {

// Folds pieces until there are none left.
Result<> fold_pieces(SamplePieces& pieces, Piece& piece, SampleFolder& folder) {
  do {
    folder.add(piece.text(), piece.offset(), piece.is_last());
    if (folder.is_full()) {
      return fail(ErrorCode::ResourceExhausted, "too many distinct stacks before offset " + std::to_string(piece.offset()),
                  "split the file and merge the profiles");
    }
  } while (TRY(pieces.next(piece)));
  return {};
}

struct Worker {
  std::unique_ptr<SampleFolder> folder = std::make_unique<SampleFolder>();
  Result<> result;
  std::jthread thread;  // last, so that it ends before the rest goes away
};

Result<> take_share(SamplePieces& pieces, SampleFolder& folder) {
  Piece piece;
  if (!TRY(pieces.next(piece))) return {};
  return fold_pieces(pieces, piece, folder);
}

// False where the system has no thread left; then those that there are do the work.
bool start(Worker& worker, SamplePieces& pieces) {
  try {
    worker.thread = std::jthread([&worker, &pieces] { worker.result = take_share(pieces, *worker.folder); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// With more than one piece the other threads take their share.
Result<> fold_all(SamplePieces& pieces, SampleFolder& folder, size_t threads) {
  Piece piece;
  if (!TRY(pieces.next(piece))) return {};
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 1; i < threads && !piece.is_last(); ++i) {
    workers.push_back(std::make_unique<Worker>());
    if (!start(*workers.back(), pieces)) break;
  }
  Result<> result = fold_pieces(pieces, piece, folder);
  for (const auto& worker : workers) {
    if (worker->thread.joinable()) worker->thread.join();
    if (result.ok()) result = std::move(worker->result);
    if (result.ok()) folder.merge(*worker->folder);
    worker->folder.reset();
  }
  return result;
}

std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

Result<Profile> read_perf_script(ByteSource& source, const ReadPlan& plan) {
  SamplePieces pieces(source, plan.piece_bytes);
  SampleFolder folder;
  TRY(fold_all(pieces, folder, plan.threads != 0 ? plan.threads : std::thread::hardware_concurrency()));
  const auto unreadable = folder.first_unreadable();
  if (unreadable && !folder.has_samples()) {
    return fail(
        ErrorCode::InvalidInput,
        "bad perf script data at offset " + std::to_string(*unreadable) + ": no line looks like the header of a sample",
        "write it with perf script -F comm,pid,tid,cpu,time,period,event,ip,sym,dso");
  }
  return folder.finish();
}

bool looks_like_perf_script(std::string_view head) {
  const bool has_perf_header = head.starts_with("# ========");
  while (!head.empty()) {
    const std::string_view line = next_line(head);
    if (trim(line).empty() || line.starts_with('#')) continue;
    const auto header = parse_header(trim(line));
    if (!header) return false;
    if (!header->event.empty() && (header->time_ns || header->period)) return true;
    if (header->rest.ends_with(')') && parse_frame(header->rest)) return true;
    const std::string_view below = next_line(head);
    return !below.empty() && is_blank(below.front()) && parse_frame(trim(below)).has_value();
  }
  return has_perf_header;
}

}  // namespace atys::format::perf_script
