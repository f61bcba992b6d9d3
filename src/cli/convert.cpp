// SPDX-License-Identifier: Apache-2.0
#include "verbs/convert.h"

#include "cli/print.h"
#include "cli/raw_text.h"
#include "cli/view_options.h"
#include "format/format.h"

namespace atys::cli {

namespace {

// The formats, from their own descriptors.
std::string format_list() {
  std::string text = "Formats:";
  for (const auto& format : format::all_formats()) {
    const auto& descriptor = format->descriptor();
    const char* ways = descriptor.can_read && descriptor.can_write ? "read, write" : descriptor.can_read ? "read" : "write";
    std::string line = "\n  " + std::string(descriptor.name);
    line.resize(std::max<size_t>(line.size() + 1, 16), ' ');
    text += line + ways + std::string(12 - std::string_view(ways).size(), ' ') + " " + std::string(descriptor.description);
  }
  return text;
}

class ConvertSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static const std::string description = std::string(R"(
      Reads a profile of whatever format and writes it in another. What the format cannot hold is named on standard error.
      Without -o the profile goes to the local library, and its id is printed.
      )"_text) + "\n\n" + format_list();
    static const Manual manual{
        .name = "convert",
        .summary = "Write a profile in another format",
        .description = description,
        .examples = R"(
          # for speedscope
          atys convert cpu.pb.gz -o cpu.speedscope.json
          # perf's text as pprof
          perf script | atys convert - -o cpu.pb.gz
          # collapsed stacks of the allocated bytes, on standard output
          atys convert heap.pb.gz --to collapsed --value alloc_space -o -
        )"_text,
    };
    return manual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("PROFILE", request_.profile, "The profile")->required();
    output_.define(app, "the local library");
    filter_.define(app);
  }

  Result<> prepare() override {
    request_.output = output_.parse();
    request_.filter = TRY(filter_.parse());
    TRY(verbs::choose_format(request_.output));
    return {};
  }

  Result<Printed> run() override {
    const auto written = TRY(verbs::convert(request_));
    if (written.path == "-") return Printed{{}, notes_on(written)};
    return print(written, json, notes_on(written));
  }

 private:
  verbs::ConvertRequest request_;
  OutputFlags output_;
  FilterFlags filter_;
};

}  // namespace

std::unique_ptr<Subcommand> create_convert() { return std::make_unique<ConvertSubcommand>(); }

}  // namespace atys::cli
