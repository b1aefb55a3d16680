/**
 * Completion scripts for bash, zsh and fish, made from the table of commands. Pure. Every word comes
 * from the table, which holds no character that a shell would read.
 */

import {
  COMMAND_NAMES,
  type CommandName,
  commandSpec,
  operandWords,
  type Option,
  optionsOf,
} from "./command_table.ts";

/** Takes a shell; gives the script that completes monky-deployd in it, ending in a line feed. */
export function completionScript(shell: "bash" | "zsh" | "fish"): string {
  switch (shell) {
    case "bash":
      return bash();
    case "zsh":
      return zsh();
    case "fish":
      return fish();
  }
}

/** What may follow a command: its operand's words and its options. */
function wordsAfter(name: CommandName): string {
  return [...operandWords(name), ...[...optionsOf(name).keys()].map((option) => `--${option}`)]
    .join(" ");
}

/** Options of any command that take one of a few words. */
function choices(): ReadonlyMap<string, readonly string[]> {
  const all = COMMAND_NAMES.flatMap((name) => [...optionsOf(name)]);
  return new Map(all.flatMap(([name, { takes }]) => isChoice(takes) ? [[name, takes]] : []));
}

function isChoice(takes: Option["takes"]): takes is readonly string[] {
  return Array.isArray(takes);
}

function bash(): string {
  return `# bash completion for monky-deployd
_monky_deployd() {
  local word previous command="" i
  word="\${COMP_WORDS[COMP_CWORD]}"
  previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  case "$previous" in
    --config) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
${
    [...choices()].map(([name, words]) =>
      `    --${name}) mapfile -t COMPREPLY < <(compgen -W "${
        words.join(" ")
      }" -- "$word"); return ;;`
    ).join("\n")
  }
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${COMMAND_NAMES.join("|")}) command="\${COMP_WORDS[i]}"; break ;;
    esac
  done
  case "$command" in
    "") mapfile -t COMPREPLY < <(compgen -W "${COMMAND_NAMES.join(" ")}" -- "$word") ;;
${
    COMMAND_NAMES.map((name) =>
      `    ${name}) mapfile -t COMPREPLY < <(compgen -W "${wordsAfter(name)}" -- "$word") ;;`
    ).join("\n")
  }
  esac
}
complete -F _monky_deployd monky-deployd
`;
}

function zsh(): string {
  const described = COMMAND_NAMES.map((name) =>
    `    "${name}:${commandSpec(name).summary.replaceAll(":", "\\:")}"`
  );
  const commands = COMMAND_NAMES.map((name) =>
    `        ${name}) compadd -- ${wordsAfter(name)} ;;`
  );
  const values = [...choices()].map(([name, words]) =>
    `    --${name}) compadd -- ${words.join(" ")}; return ;;`
  );
  return `#compdef monky-deployd
_monky_deployd() {
  local -a known
  local word
  known=(
${described.join("\n")}
  )
  case "$words[CURRENT-1]" in
    --config) _files; return ;;
${values.join("\n")}
  esac
  for word in \${words[2,CURRENT-1]}; do
    if (( \${known[(I)$word:*]} )); then
      case "$word" in
${commands.join("\n")}
      esac
      return
    fi
  done
  _describe command known
}
compdef _monky_deployd monky-deployd
`;
}

function fish(): string {
  const names = COMMAND_NAMES.join(" ");
  const lines = COMMAND_NAMES.flatMap((name) => {
    const seen = `-n "__fish_seen_subcommand_from ${name}"`;
    const words = operandWords(name);
    return [
      `complete -c monky-deployd -f -n "not __fish_seen_subcommand_from ${names}" -a ${name} -d ${
        quote(commandSpec(name).summary)
      }`,
      ...(words.length === 0
        ? []
        : [`complete -c monky-deployd -f ${seen} -a ${quote(words.join(" "))}`]),
      ...[...optionsOf(name)].map(([option, { takes, doc }]) => {
        const value = takes === null
          ? ""
          : isChoice(takes)
          ? ` -x -a ${quote(takes.join(" "))}`
          : " -r -F";
        return `complete -c monky-deployd ${seen} -l ${option}${value} -d ${quote(doc)}`;
      }),
    ];
  });
  return `# fish completion for monky-deployd\n${lines.join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
