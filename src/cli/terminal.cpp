// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "base/utf8.h"

namespace atys::cli {

namespace {

constexpr std::string_view kOtherScreen = "\033[?1049h\033[?25l";
constexpr std::string_view kOwnScreen = "\033[?25h\033[?1049l";

void write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

winsize size_of_terminal() {
  winsize size{};
  ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  if (size.ws_row == 0) size.ws_row = 24;
  if (size.ws_col == 0) size.ws_col = 80;
  return size;
}

Key key_of(std::string_view bytes) {
  if (bytes == "\033[A" || bytes == "k") return Key::Up;
  if (bytes == "\033[B" || bytes == "j") return Key::Down;
  if (bytes == "\r" || bytes == "\n" || bytes == "\033[C" || bytes == "l") return Key::Enter;
  if (bytes == "\177" || bytes == "\b" || bytes == "\033[D" || bytes == "h" || bytes == "\033") return Key::Back;
  if (bytes == "q" || bytes == "\003" || bytes == "\004") return Key::Quit;
  if (bytes == "p" || bytes == " ") return Key::Pause;
  if (bytes == "s") return Key::Sort;
  return bytes == "?" ? Key::Help : Key::None;
}

// The first `columns` characters of a line; a character of several bytes counts once.
std::string_view cut(std::string_view line, size_t columns) {
  size_t at = 0;
  for (size_t used = 0; at < line.size(); ++at) {
    if ((static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) continue;
    if (used++ == columns) break;
  }
  return line.substr(0, at);
}

}  // namespace

Result<Terminal> Terminal::take_over() {
  Terminal terminal;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &terminal.before_) != 0)
    return fail(ErrorCode::Unavailable, "not a terminal", "say how many windows: --windows N");
  termios raw = terminal.before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) return fail_errno("set up the terminal");
  terminal.is_ours_ = true;
  write_out(kOtherScreen);
  return terminal;
}

Terminal::Terminal(Terminal&& other) noexcept : before_(other.before_), is_ours_(std::exchange(other.is_ours_, false)) {}

Terminal::~Terminal() {
  if (!is_ours_) return;
  write_out(kOwnScreen);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

size_t Terminal::rows() const { return size_of_terminal().ws_row; }
size_t Terminal::columns() const { return size_of_terminal().ws_col; }

Key Terminal::take_key() const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 0) <= 0) return Key::None;
  char bytes[8];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof(bytes));
  return got <= 0 ? Key::Quit : key_of({bytes, static_cast<size_t>(got)});
}

void Terminal::draw(std::string_view text, size_t marked) const {
  const winsize size = size_of_terminal();
  std::string screen = "\033[H";
  for (size_t row = 0; row < size.ws_row; ++row) {
    const size_t end = text.find('\n');
    const std::string_view line = cut(text.substr(0, end), size.ws_col);
    screen += row == marked ? "\033[7m" : "";
    screen.append(line).append("\033[K").append(row == marked ? "\033[0m" : "");
    if (row + 1 < size.ws_row) screen += "\r\n";
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  write_out(screen);
}

}  // namespace atys::cli
