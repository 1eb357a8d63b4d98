"""``polymargin completion``: a script that completes its words in a shell."""

import argparse

from .exit_status import OK

HELP = "Print a script that completes commands, options and choices in a shell."
INTERRUPTED = "stopped."
EXAMPLES = """\
  polymargin completion bash > ~/.local/share/bash-completion/completions/polymargin
  polymargin completion zsh > ~/.polymargin.zsh   # and in ~/.zshrc:
                                                  # source ~/.polymargin.zsh
"""
SHELLS = ("bash", "zsh")
_ZSH = "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n"
_SCRIPT = """\
_polymargin() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    local words=""
    case "${{COMP_WORDS[1]}}:$before" in
{choices}
        *) case "${{COMP_WORDS[1]}}" in
{options}
        esac ;;
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then words="{commands} --help --version"; fi
    case "$word:$COMP_CWORD" in
        -*|*:1) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
        *) if [ "${{words#-}}" = "$words" ]; then
               COMPREPLY=($(compgen -W "$words" -- "$word"))
           fi ;;
    esac
}}
complete -o default -F _polymargin polymargin
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be asked for."""
    parser.add_argument("shell", choices=SHELLS)


def run(arguments: argparse.Namespace) -> int:
    """Print the script, made from what the commands say of themselves."""
    from . import SUBCOMMANDS, make_command_parser

    options, choices = [], []
    for name in SUBCOMMANDS:
        actions = make_command_parser(name)._actions
        flags = [flag for action in actions for flag in action.option_strings]
        options.append(f'            {name}) words="{" ".join(sorted(flags))}" ;;')
        for action in actions:
            if not action.choices:
                continue
            values = " ".join(map(str, action.choices))
            for before in action.option_strings or [name]:
                choices.append(f'        {name}:{before}) words="{values}" ;;')
    script = _SCRIPT.format(
        choices="\n".join(choices),
        options="\n".join(options),
        commands=" ".join(SUBCOMMANDS),
    )
    print((_ZSH if arguments.shell == "zsh" else "") + script, end="")
    return OK
