"""``polymargin completion``: a script that completes its words in a shell."""

import argparse

from .exit_status import OK

HELP = "Print a script that completes commands, options and choices in a shell."
INTERRUPTED = "stopped."
EXAMPLES = """\
  polymargin completion bash > ~/.local/share/bash-completion/completions/polymargin
  polymargin completion zsh > ~/.polymargin.zsh   # and in ~/.zshrc:
                                                  # source ~/.polymargin.zsh
  polymargin completion fish > ~/.config/fish/completions/polymargin.fish
"""
SHELLS = ("bash", "zsh", "fish")
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
    script = _for_fish() if arguments.shell == "fish" else _for_bash()
    print((_ZSH if arguments.shell == "zsh" else "") + script, end="")
    return OK


def _for_bash() -> str:
    from . import SUBCOMMANDS

    options, choices = [], []
    for name in SUBCOMMANDS:
        flags = [flag for action in _actions(name) for flag in action.option_strings]
        options.append(f'            {name}) words="{" ".join(sorted(flags))}" ;;')
        for action in _actions(name):
            if not action.choices:
                continue
            values = " ".join(map(str, action.choices))
            for before in action.option_strings or [name]:
                choices.append(f'        {name}:{before}) words="{values}" ;;')
    return _SCRIPT.format(
        choices="\n".join(choices),
        options="\n".join(options),
        commands=" ".join(SUBCOMMANDS),
    )


def _for_fish() -> str:
    """Return a line for every command, option and list of choices."""
    from . import SUBCOMMANDS, _module

    first = "complete -c polymargin -n __fish_use_subcommand"
    lines = [f"{first} -l help", f"{first} -l version"]
    for name in SUBCOMMANDS:
        lines.append(f"{first} -f -a {name} -d {_quoted(_module(name).HELP)}")
        begin = f"complete -c polymargin -n '__fish_seen_subcommand_from {name}'"
        for action in _actions(name):
            if action.help == argparse.SUPPRESS:
                continue
            flags = " ".join(
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                for flag in action.option_strings
            )
            words = [begin, flags]
            if action.choices:
                values = " ".join(map(str, action.choices))
                words.append(f"-x -a {_quoted(values)}")
            elif not flags:
                continue  # a file, which fish completes by itself
            elif action.nargs != 0:
                words.append("-r")
            if action.help:
                words.append(f"-d {_quoted(action.help.split(';')[0])}")
            lines.append(" ".join(filter(None, words)))
    return "\n".join(lines) + "\n"


def _actions(command: str) -> list:
    from . import make_command_parser

    return make_command_parser(command)._actions


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
