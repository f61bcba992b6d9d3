// SPDX-License-Identifier: Apache-2.0
#include "verbs/flame.h"

#include "cli/print.h"
#include "cli/view_options.h"

namespace atys::cli {

namespace {

class FlameSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "flame",
        .summary = "Draw a flame graph: an HTML page, or an SVG picture",
        .description =
            "Writes one self-contained file: open it in any browser, send it to a colleague. The page zooms, searches, "
            "inverts and\n"
            "works with the keyboard (? shows the keys). Prints the path of the file.",
        .examples =
            "  # web.cpu.html in the current folder\n"
            "  atys flame web.cpu.pb.gz\n"
            "  # only what the request handler does, as a picture\n"
            "  atys flame web.cpu.pb.gz --focus handle_request -o handler.svg",
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("PROFILE", request_.profile, "The profile")->required();
    output_.define(app, "named after PROFILE, .html");
    app.add_option("--title", title_, "Title of the page (default: the name of PROFILE)")->type_name("TEXT");
    app.add_flag("--inverted", inverted_, "Leaf functions at the root, their callers above");
    filter_.define(app);
  }

  Result<> prepare() override {
    request_.output = output_.parse();
    request_.output.title = title_;
    request_.output.inverted = inverted_;
    request_.filter = TRY(filter_.parse());
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
  std::string title_;
  bool inverted_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_flame() { return std::make_unique<FlameSubcommand>(); }

}  // namespace atys::cli
