#compdef atys
# SPDX-License-Identifier: Apache-2.0
# zsh completion of atys; put it into a folder of $fpath as _atys, or load it with: source <(atys completion zsh)
_atys() {
  local -a lines values shown open_values open_shown
  local line what more value text
  lines=("${(@f)$("${(Q)words[1]}" completion zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  what=${lines[1]%%$'\t'*} more=${lines[1]#*$'\t'}
  for line in "${(@)lines[2,-1]}"; do
    [[ -n $line ]] || continue
    value=${line%%$'\t'*} text=${line#*$'\t'}
    [[ -n $text ]] && text="$value -- $text" || text=$value
    if [[ $value == *[:=,] ]]; then
      open_values+=("$value") open_shown+=("$text")
    else
      values+=("$value") shown+=("$text")
    fi
  done
  local found=1
  (( $#values )) && compadd -l -d shown -a values && found=0
  (( $#open_values )) && compadd -S '' -l -d open_shown -a open_values && found=0
  case $what in
    command)
      words=("${(@)words[more+2,-1]}")
      (( CURRENT -= more + 1 ))
      _normal && found=0
      ;;
    files) [[ -z $more ]] || compset -P "${(b)more}"; _files && found=0 ;;
    folders) [[ -z $more ]] || compset -P "${(b)more}"; _files -/ && found=0 ;;
  esac
  return found
}
if [[ ${funcstack[1]-} == _atys ]]; then _atys "$@"; else compdef _atys atys ./atys; fi
