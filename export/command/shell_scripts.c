// The scripts with which shells complete command lines: they ask the command.

#include "command/command.h"

#include <stdio.h>
#include <string.h>

// bash breaks words at colons and equals signs; so the part that stands before
// the last of these is not repeated.
static const char bash[] =
    "_leakgraph() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} IFS=$'\\n' word\n"
    "    word=${line##* }\n"
    "    local before=${word%\"${word##*[:=]}\"}\n"
    "    COMPREPLY=($(leakgraph completion --line \"$line\" 2>/dev/null))\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] &&\n"
    "        compopt -o nospace\n"
    "}\n"
    "complete -F _leakgraph leakgraph\n";

static const char zsh[] =
    "#compdef leakgraph\n"
    "_leakgraph() {\n"
    "    local -a found\n"
    "    found=(\"${(@f)$(leakgraph completion --line \"$LBUFFER\" "
    "2>/dev/null)}\")\n"
    "    found=(${found:#})\n"
    "    compadd -Q -U -- \"${found[@]}\"\n"
    "}\n"
    "compdef _leakgraph leakgraph\n";

static const char fish[] =
    "complete -c leakgraph -f -a "
    "'(leakgraph completion --line (commandline -cp) 2>/dev/null)'\n";

int
lg__verb_completion(const lg__arguments *arguments)
{
    const char *shell = arguments->words[0];
    if (!strcmp(shell, "bash"))
        fputs(bash, stdout);
    else if (!strcmp(shell, "zsh"))
        fputs(zsh, stdout);
    else if (!strcmp(shell, "fish"))
        fputs(fish, stdout);
    else {
        lg__complain("completion takes bash, zsh or fish, not '%s'", shell);
        return LG__EXIT_USAGE;
    }
    return LG__EXIT_FINE;
}
