# SPDX-License-Identifier: Apache-2.0
# bash completion of atys; load it with: source <(atys completion bash)

# Words as they stand on the line up to the cursor: bash cuts them at : and =. Fills `words`, and `at`: where each began.
_atys_words() {
  local rest=${COMP_LINE:0:COMP_POINT} trimmed word i
  words=() at=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    trimmed=${rest#"${rest%%[![:space:]]*}"}
    if ((i == 0)) || [[ $trimmed != "$rest" ]]; then
      words+=('') at+=("$i")
    fi
    if [[ $trimmed == "$word"* ]]; then rest=${trimmed#"$word"}; else word=$trimmed rest=''; fi
    words[-1]+=$word
  done
}

# As wide as the terminal: more than one line for a candidate cannot be read.
_atys_show() {
  local i width=0 line
  for i in "${!COMPREPLY[@]}"; do ((${#COMPREPLY[i]} > width)) && width=${#COMPREPLY[i]}; done
  for i in "${!COMPREPLY[@]}"; do
    [[ -n ${texts[i]} ]] || continue
    printf -v line "%-${width}s  (%s)" "${COMPREPLY[i]}" "${texts[i]}"
    COMPREPLY[i]=${line:0:$((${COLUMNS:-80} - 1))}
  done
}

_atys_command() {
  local first=${at[$1]}
  if declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "$first"
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$first"
  elif ((first == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "${words[-1]}")
  fi
}

_atys() {
  local -a words at texts=() files
  local what more value text cut='' breaks=${COMP_WORDBREAKS//[^:=]/}
  COMPREPLY=()
  _atys_words
  local last=${words[-1]}
  # Only what is behind the last of these is replaced.
  if [[ -n $breaks && $last == *["$breaks"]* ]]; then cut=${last%"${last##*["$breaks"]}"}; fi
  {
    IFS=$'\t' read -r what more
    while IFS=$'\t' read -r value text; do
      COMPREPLY+=("${value#"$cut"}") texts+=("$text")
    done
  } < <("${words[0]/#\~/$HOME}" completion bash -- "${words[@]:1}" 2>/dev/null)
  case $what in
    command) _atys_command "$((more + 1))"; return ;;
    files | folders)
      mapfile -t files < <(compgen "-$([[ $what == files ]] && echo f || echo d)" -- "${last#"$more"}")
      if ((${#files[@]} > 0)); then
        compopt -o filenames 2>/dev/null
        COMPREPLY+=("${files[@]}")
      fi
      ;;
  esac
  if ((${#COMPREPLY[@]} == 1)); then
    [[ ${COMPREPLY[0]} != *[:=,] ]] || compopt -o nospace 2>/dev/null
  elif [[ ${COMP_TYPE-} != 37 && ${COMP_TYPE-} != 42 ]]; then # not where one candidate after the other is put in
    _atys_show
  fi
}

complete -F _atys atys ./atys
