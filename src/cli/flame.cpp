// SPDX-License-Identifier: Apache-2.0
#include "verbs/flame.h"

#include "cli/print.h"
#include "cli/raw_text.h"
#include "cli/view_options.h"

namespace atys::cli {

namespace {

class FlameSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "flame",
        .summary = "Draw a flame graph: an HTML page, or an SVG picture",
        .description = R"(
          Writes one self-contained file: open it in any browser, send it to a colleague. The page zooms, searches,
          inverts, shows callers and callees of any function, threads apart, and samples in order of time where they
          have times; it works with the keyboard (? shows the keys). With --base, colour says what changed. Prints the
          path of the file.
          )"_text,
        .examples = R"(
          # web.cpu.html in the current folder
          atys flame web.cpu.pb.gz
          # only what the request handler does, as a picture
          atys flame web.cpu.pb.gz --focus handle_request -o handler.svg
          # what changed
          atys flame --base before.pb.gz after.pb.gz
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("PROFILE", request_.profile, "The profile")->required();
    output_.define(app, "named after PROFILE, .html");
    app.add_option("--title", title_, "Title of the page (default: the name of PROFILE)")->type_name("TEXT");
    app.add_flag("--inverted", inverted_, "Leaf functions at the root, their callers above");
    auto* base = app.add_option("--base", request_.base, "Compare with this profile: colour says what changed since")
                     ->type_name("PROFILE");
    app.add_flag("--absolute", request_.is_absolute, "Compare values, not shares of the whole")->needs(base);
    app.add_option("--widths", widths_,
                   "Frames are as wide as in the 'new' profile, the 'base', or in 'either' that is larger")
        ->type_name("WHICH")
        ->check(CLI::IsMember({"new", "base", "either"}))
        ->default_str("new")
        ->needs(base);
    maps_.define(app)->needs(base);
    filter_.define(app);
  }

  Result<> prepare() override {
    request_.output = output_.parse();
    request_.output.title = title_;
    request_.output.inverted = inverted_;
    if (widths_ == "base") request_.widths = format::ComparedWidths::Base;
    if (widths_ == "either") request_.widths = format::ComparedWidths::Either;
    request_.filter = TRY(filter_.parse());
    request_.maps = TRY(maps_.parse());
    return {};
  }

  Result<Printed> run() override {
    const auto written = TRY(verbs::flame(request_));
    if (written.path == "-") return Printed{};
    return print(written, json);
  }

 private:
  verbs::FlameRequest request_;
  OutputFlags output_;
  FilterFlags filter_;
  MapFlags maps_;
  std::string title_;
  std::string widths_ = "new";
  bool inverted_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_flame() { return std::make_unique<FlameSubcommand>(); }

}  // namespace atys::cli
