# SPDX-License-Identifier: Apache-2.0
# fish completion of atys; load it with: atys completion fish | source
function __atys_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    command -q $words[1]; or return
    set -l lines ($words[1] completion fish -- $words[2..-1] "$last" 2>/dev/null)
    set -l head (string split -m 1 \t -- "$lines[1]")
    string join \n -- $lines[2..-1]
    switch "$head[1]"
        case command
            # Behind the words before it, as if it were alone on the line.
            set -l from (math "$head[2]" + 2)
            set -l rest
            if test "$from" -le (count $words)
                set rest (string escape -- $words[$from..-1])
            end
            complete -C (string join ' ' -- $rest "$last")
        case files folders
            set -l path (string sub -s (math (string length -- "$head[2]") + 1) -- "$last")
            for found in (__fish_complete_path "$path" | string split -m 1 -f 1 \t)
                if test "$head[1]" = files; or string match -q -- '*/' "$found"
                    echo "$head[2]$found"
                end
            end
    end
end

complete -c atys -f -a '(__atys_complete)'
