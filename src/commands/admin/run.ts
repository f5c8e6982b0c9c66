import { ApiError } from '../../core/errors.js'
import { failureText } from '../../core/failure-text.js'
import { commandLine } from '../../platform/installation/command-line.js'
import type { CommandRun } from '../command-world.js'
import { UsageError } from '../usage-error.js'
import { findCommand, parseWords, toCommandInput } from './arguments.js'
import { BACKUP_COMMANDS } from './backup.js'
import { type AdminWorld, type Answer, type Command, OPTIONS } from './command.js'
import { doctor } from './doctor.js'
import { EXPORT_COMMANDS } from './exports.js'
import { feeds } from './feeds.js'
import { KEY_COMMANDS } from './keys.js'
import { migrateDatabase } from './migrate.js'
import { RECORD_COMMANDS } from './records.js'
import { RELEASE_COMMANDS } from './releases.js'
import { SECRET_COMMANDS } from './secrets/secrets.js'
import { seedRemove } from './seed.js'
import { USER_COMMANDS } from './users.js'

const COMMANDS: readonly Command[] = [
  ...USER_COMMANDS,
  ...KEY_COMMANDS,
  ...RECORD_COMMANDS,
  feeds,
  ...RELEASE_COMMANDS,
  ...SECRET_COMMANDS,
  migrateDatabase,
  ...BACKUP_COMMANDS,
  ...EXPORT_COMMANDS,
  seedRemove,
  doctor,
]

const CALL = commandLine('admin')

/** The output of a call and its exit code. */
export interface Printed {
  readonly code: 0 | 1
  readonly out: string
  readonly err: string
}

export const runAdminCommand: CommandRun = async (call, world) => {
  const { code, out, err } = await runAdmin(call.args, world.env, {
    ...world,
    signal: call.signal,
    directory: call.directory,
  })
  call.out(out)
  call.err(err)
  return code
}

/** Runs one call of the operator's tool. Any error becomes one line in `err` and code 1. */
export async function runAdmin(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  world: Omit<AdminWorld, 'env'> = {
    shared: null,
    signal: new AbortController().signal,
    directory: null,
  },
): Promise<Printed> {
  try {
    const answer = await answerTo(args, { ...world, env })
    return { code: answer.isFailure ? 1 : 0, out: answer.text, err: '' }
  } catch (error) {
    return { code: 1, out: '', err: `admin: ${explain(error)}\n` }
  }
}

async function answerTo(args: readonly string[], world: AdminWorld): Promise<Answer> {
  const read = parseWords(args)
  if (read.options.help) return { json: null, text: helpFor(read.words) }
  const command = findCommand(read.words, COMMANDS)
  const answer = await command.run(toCommandInput(command, read, world))
  return read.options.json ? { ...answer, text: `${JSON.stringify(answer.json, null, 2)}\n` } : answer
}

/** The help of one command, of a group such as users, or of all commands. */
function helpFor(words: readonly string[]): string {
  const group = COMMANDS.filter(({ name }) => words.length === 1 && name.startsWith(`${words[0]} `))
  if (words.length > 0 && group.length === 0) return commandHelp(findCommand(words, COMMANDS))
  const shown = group.length > 0 ? group : COMMANDS
  const usages = shown.map((command) => [usageOf(command), command.summary] as const)
  const lines = usages.map(([usage, summary]) => `  ${usage}\n      ${summary}\n`)
  return `Usage: ${CALL} <command>

The operator's tool. It works on DATABASE_URL, or on the embedded database in DATA_DIR: by the gateway that runs
on it, else by itself.
An <account> is its id or its e-mail.

${lines.join('')}
  --json  prints one JSON value instead of tables
  --help  after a command: its options
`
}

function commandHelp(command: Command): string {
  const names = [...(command.options ?? []), 'json', 'help'] as const
  const lines = names.map((name) => [`--${name} ${OPTIONS[name].value}`.trim(), OPTIONS[name].help] as const)
  const width = Math.max(...lines.map(([left]) => left.length))
  const options = lines.map(([left, help]) => `  ${left.padEnd(width)}  ${help}\n`).join('')
  return `Usage: ${CALL} ${usageOf(command)}\n\n${command.summary}\n\n${options}`
}

function usageOf({ parameters = [], options = [], ...command }: Command): string {
  const words = parameters.map((parameter) => `<${parameter}>`)
  const shown = options.map((name) => {
    const option = `--${name} ${OPTIONS[name].value}`.trim()
    return command.required?.includes(name) ? option : `[${option}]`
  })
  return [command.name, ...words, ...shown].join(' ')
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} (see --help)`
  if (error instanceof ApiError && error.code === 'service_unavailable') {
    return failureText(error)
  }
  // Joins the lines of a configuration error or of a driver's error.
  return failureText(error)
    .replace(/:\n *- */, ': ')
    .replace(/\n *- */g, '; ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
