// SPDX-License-Identifier: Apache-2.0
// The blocks of a day that a question is about, dictionary by dictionary, decoded one at a time.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "store/embedded/block_sum.h"
#include "store/embedded/day_file.h"
#include "store/embedded/read_plan.h"
#include "store/question.h"

namespace atys::store {

class BlockScan {
 public:
  // Reads the lists only; to be called inside a transaction, like `run`.
  static Result<BlockScan> prepare(DayFile& file, const Question& question, const ReadNeeds& needs);

  struct Found {
    Block block;
    size_t windows = 0;  // that it stands for
    bool is_sum = false;
    int64_t start_ns = 0;
  };
  struct Visitor {
    std::function<Result<>(const Dictionary&)> begin_dictionary;
    std::function<void(Found&&)> visit;
    std::function<void(const Dictionary&)> end_dictionary;
  };
  Result<> run(const Visitor& visitor, Coverage& coverage);

  // Whether a window of a block is one of those asked for.
  bool wants(const BlockWindow& window) const;

 private:
  struct Listed {
    int64_t id = 0;
    int64_t dictionary = 0;
    int64_t start_ns = 0;
    size_t windows = 0;
    Stage stage = Stage::Raw;
  };
  BlockScan(DayFile& file, const Question& question) : file_(&file), question_(&question) {}
  Result<> list_groups();
  Result<> list_series();
  Result<> list_span(const ReadSpan& span);
  Result<> list_blocks(Stage stage, int64_t folded_at_most, int64_t group, int64_t from_ns, int64_t to_ns);
  Result<Found> read(const Listed& listed, const Dictionary& dictionary);
  Result<> visit(const Listed& listed, const Dictionary& dictionary, const Visitor& visitor, Coverage& coverage);

  DayFile* file_;
  const Question* question_;
  std::vector<int64_t> groups_;
  std::optional<std::set<uint32_t>> series_;  // nothing: all
  ReadPlan plan_;
  std::vector<Listed> blocks_;
};

}  // namespace atys::store
