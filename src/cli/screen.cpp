// SPDX-License-Identifier: Apache-2.0
#include "cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/help_text.h"

namespace atys::cli {

namespace {

constexpr size_t kUsualColumns = 80;
constexpr size_t kMostColumns = 10'000;

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) == "dumb";
}

// 0: it is no terminal.
size_t columns_of_output() {
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  // A terminal that does not know, such as a serial line: what the shell was told.
  const char* said = std::getenv("COLUMNS");
  const size_t columns = said == nullptr ? 0 : std::strtoul(said, nullptr, 10);
  return columns == 0 ? kUsualColumns : std::min(columns, kMostColumns);
}

}  // namespace

present::text::Screen screen_of_output(const std::string& color) {
  present::text::Screen screen{.columns = columns_of_output()};
  screen.has_color = color == "always" || (color == "auto" && screen.columns > 0 && !is_set("NO_COLOR") && !is_dumb());
  return screen;
}

size_t help_columns() {
  const size_t columns = columns_of_output();
  return columns == 0 ? kHelpColumns : std::min(columns, kHelpColumns);
}

}  // namespace atys::cli
