// SPDX-License-Identifier: Apache-2.0
#include "verbs/list.h"

#include <fmt/format.h>

#include "present/json/answers.h"
#include "present/mcp/tool.h"
#include "present/text/answers.h"

namespace atys::present::mcp {

namespace {

constexpr size_t kDefaultMost = 10;

class ProfileList final : public Tool {
 public:
  ToolDescription describe() const override {
    return {
        .name = "profile_list",
        .title = "Profiles of the library",
        .text = "The profiles of the local library, newest first.",
        .properties =
            {{"most", {{"type", "integer"}, {"minimum", 1}, {"maximum", 100}, {"description", "most rows (default 10)"}}},
             {"skip",
              {{"type", "integer"}, {"minimum", 0}, {"maximum", 1000000}, {"description", "so many of the newest"}}}},
        .verb = "list"};
  }

  Result<ToolAnswer> call(const Json& arguments, const ToolContext&) const override {
    const verbs::ListRequest request{.skip = arguments.value("skip", size_t{0}),
                                     .most = arguments.value("most", kDefaultMost)};
    const verbs::ListAnswer answer = TRY(verbs::list(request));
    std::string text = answer.in_all == 0 ? "no profiles yet: profile_capture makes them\n" : text::render(answer);
    const size_t left = answer.in_all - std::min(answer.in_all, request.skip + answer.rows.size());
    if (left > 0) text += fmt::format("… {} more\n", left);
    return ToolAnswer{std::move(text), json::render(answer), {}};
  }
};

}  // namespace

std::unique_ptr<Tool> create_profile_list() { return std::make_unique<ProfileList>(); }

}  // namespace atys::present::mcp
