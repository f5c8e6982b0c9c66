#!/usr/bin/env node
// The program market-data-gateway: finds the command, and loads what it needs and no more.
import { suggest } from './core/suggest.js'
import { VERSION } from './platform/version.js'

interface Command {
  readonly name: string
  readonly summary: string
  /** Words put before those given. */
  readonly words?: readonly string[]
  /** A module that does the work when it is loaded, with `process.argv` as if it had been started itself. */
  load(): Promise<unknown>
}

const COMMANDS: readonly Command[] = [
  { name: 'start', summary: 'serves REST and GraphQL', load: () => import('./main.js') },
  {
    name: 'ingest',
    summary: 'runs a feed once, from its source or from a file',
    load: () => import('./commands/ingest.js'),
  },
  { name: 'analyse', summary: 'makes analyses of assets', load: () => import('./commands/analyse.js') },
  { name: 'key', summary: 'makes an account with an API key', load: () => import('./commands/key.js') },
  {
    name: 'admin',
    summary: 'users, keys, grants, usage, audit, doctor',
    load: () => import('./commands/admin.js'),
  },
  {
    name: 'verify',
    summary: 'recalculates a candle or checks an analysis snapshot',
    load: () => import('./commands/verify.js'),
  },
  {
    name: 'doctor',
    summary: 'says what is wrong with this installation and what to do',
    words: ['doctor'],
    load: () => import('./commands/admin.js'),
  },
]

const width = Math.max(...COMMANDS.map(({ name }) => name.length))

const HELP = `Usage: market-data-gateway <command> [options]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

  --help     prints this; after a command: its options
  --version  prints the version

Settings are environment variables: see the README.
`

async function run(): Promise<void> {
  const [node = '', script = '', name, ...rest] = process.argv
  if (name === '--help' || name === '-h' || name === 'help') return void process.stdout.write(HELP)
  if (name === '--version' || name === '-v') return void process.stdout.write(`${VERSION}\n`)
  const command = COMMANDS.find((known) => known.name === name)
  if (command === undefined) return rejectCommand(name)
  process.argv = [node, script, ...(command.words ?? []), ...rest]
  await command.load()
}

function rejectCommand(name: string | undefined): void {
  process.exitCode = 1
  if (name === undefined) return void process.stderr.write(HELP)
  const names = COMMANDS.map((command) => command.name)
  const near = suggest(name, names)
  process.stderr.write(
    `market-data-gateway: there is no command "${name}"; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}`} (see --help)\n`,
  )
}

// What reads the output may end first (`| head`); the work is not ended by that.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
await run()
