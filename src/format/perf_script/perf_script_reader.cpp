// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/perf_script_reader.h"

#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "format/perf_script/sample_folder.h"
#include "format/perf_script/sample_pieces.h"
#include "format/perf_script/text_layout.h"

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
  Worker(const TextLayout& layout, bool keeps_times) : folder(std::make_unique<SampleFolder>(layout, keeps_times)) {}

  std::unique_ptr<SampleFolder> folder;
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

// The layout is that of the first samples. With more than one piece the other threads take their share.
Result<std::unique_ptr<SampleFolder>> fold_all(SamplePieces& pieces, size_t threads, bool keeps_times) {
  Piece piece;
  const bool has_any = TRY(pieces.next(piece));
  const TextLayout layout = find_layout(piece.text()).value_or(TextLayout{});
  auto folder = std::make_unique<SampleFolder>(layout, keeps_times);
  if (!has_any) return folder;
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 1; i < threads && !piece.is_last(); ++i) {
    workers.push_back(std::make_unique<Worker>(layout, keeps_times));
    if (!start(*workers.back(), pieces)) break;
  }
  Result<> result = fold_pieces(pieces, piece, *folder);
  for (const auto& worker : workers) {
    if (worker->thread.joinable()) worker->thread.join();
    if (result.ok()) result = std::move(worker->result);
    if (result.ok()) folder->merge(*worker->folder);
    worker->folder.reset();
  }
  if (!result.ok()) return result.error();
  return folder;
}

}  // namespace

Result<Profile> read_perf_script(ByteSource& source, const ReadPlan& plan) {
  SamplePieces pieces(source, plan.piece_bytes);
  const size_t threads = plan.threads != 0 ? plan.threads : std::thread::hardware_concurrency();
  const auto folder = TRY(fold_all(pieces, threads, plan.keeps_times));
  const auto unreadable = folder->first_unreadable();
  if (unreadable && !folder->has_samples()) {
    return fail(
        ErrorCode::InvalidInput,
        "bad perf script data at offset " + std::to_string(*unreadable) + ": no line looks like the header of a sample",
        "write it with perf script -F comm,pid,tid,cpu,time,period,event,ip,sym,dso");
  }
  return folder->finish();
}

bool looks_like_perf_script(std::string_view head) {
  return head.starts_with("# ========") || find_layout(head).has_value();
}

}  // namespace atys::format::perf_script
