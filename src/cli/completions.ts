import { VaultError } from '../errors.ts'
import { COMMANDS } from './commands.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/**
 * A script that completes commands and flags in a shell.
 * @param flags of settings, which every command takes
 * @throws VaultError `bad_argument` for another shell
 */
export function completionsFor(shell: string | undefined, flags: readonly string[]): string {
  const commands = COMMANDS.map(({ name, summary, flags: own }) => ({
    name,
    summary,
    flags: [...own.map(({ flag }) => flag), ...flags, '--help'],
  }))
  if (shell === 'bash') return bash(commands)
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
  if (shell === 'fish') return fish(commands, flags)
  throw new VaultError(
    'bad_argument',
    `There are no completions for ${shell ?? 'a shell that is not named'}.`,
    {
      hint: `Name one of ${SHELLS.join(', ')}: knap completions bash`,
    },
  )
}

interface Completed {
  readonly name: string
  readonly summary: string
  readonly flags: readonly string[]
}

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, flags }) => `    ${name}) flags="${flags.join(' ')}" ;;`)
  return `_knap() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flags=""
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) flags="${commands.find(({ name }) => name === 'run')?.flags.join(' ')}" ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$current") $(compgen -d -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _knap knap
`
}

function fish(commands: readonly Completed[], shared: readonly string[]): string {
  const names = commands.map(
    ({ name, summary }) =>
      `complete -c knap -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
  )
  const own = commands.flatMap(({ name, flags }) =>
    flags
      .filter((flag) => !shared.includes(flag))
      .map((flag) => `complete -c knap -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  )
  return `${[...names, ...own, ...shared.map((flag) => `complete -c knap -l ${flag.slice(2)}`)].join('\n')}\n`
}
