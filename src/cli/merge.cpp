// SPDX-License-Identifier: Apache-2.0
#include "verbs/merge.h"

#include <unistd.h>

#include <cstdio>

#include "cli/print.h"
#include "cli/raw_text.h"
#include "cli/view_options.h"

namespace atys::cli {

namespace {

class MergeSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "merge",
        .summary = "Add profiles up",
        .description = R"(
          Samples with equal stacks and labels become one, with the sum of their values. Files are read on all cores; if
          one cannot be read, nothing is written. Prints the path, or the id in the library where no file is named.
          )"_text,
        .examples = R"(
          # a day's profiles as one
          atys merge day/*.pb.gz -o day.pb.gz
          # keep the sum in the library
          atys merge a.pb.gz b.pb.gz
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("PROFILE", request_.profiles, "The profiles")->required();
    output_.define(app, "the local library");
  }

  Result<> prepare() override {
    request_.output = output_.parse();
    TRY(verbs::choose_format(request_.output));
    return {};
  }

  Result<Printed> run() override {
    const bool shows_progress = ::isatty(STDERR_FILENO) != 0;
    if (shows_progress) {
      request_.on_progress = [](size_t done, size_t all) {
        if (done % 16 == 0 || done == all) std::fprintf(stderr, "\rmerging %zu of %zu", done, all);
      };
    }
    auto answer = verbs::merge(request_);
    if (shows_progress) std::fprintf(stderr, "\r\033[K");
    if (!answer.ok()) return answer.error();
    std::vector<std::string> notes = notes_on(answer->written);
    for (const std::string& type : answer->mixed_value_types)
      notes.push_back("note: not all profiles have " + type + "; its sum is of those that do");
    if (answer->written.path == "-") return Printed{{}, notes};
    return print(*answer, json, notes);
  }

 private:
  verbs::MergeRequest request_;
  OutputFlags output_;
};

}  // namespace

std::unique_ptr<Subcommand> create_merge() { return std::make_unique<MergeSubcommand>(); }

}  // namespace atys::cli
