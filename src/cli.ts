#!/usr/bin/env node
// The program market-data-gateway: finds the command and loads only the modules that it needs.
import { suggest } from './core/suggest.js'
import { VERSION } from './platform/version.js'

interface Command {
  readonly name: string
  readonly summary: string
  /** Arguments that precede those of the user. */
  readonly words?: readonly string[]
  /** Loads a module that runs the command on import and reads `process.argv`. */
  load(): Promise<unknown>
}

const COMMANDS: readonly Command[] = [
  { name: 'start', summary: 'serves REST and GraphQL', load: () => import('./main.js') },
  {
    name: 'ingest',
    summary: 'runs a feed once, from its source or from a file',
    load: () => import('./commands/ingest.js'),
  },
  { name: 'analyse', summary: 'analyses assets', load: () => import('./commands/analyse.js') },
  { name: 'key', summary: 'creates an account with an API key', load: () => import('./commands/key.js') },
  {
    name: 'admin',
    summary: 'users, keys, grants, usage, audit, doctor',
    load: () => import('./commands/admin.js'),
  },
  {
    name: 'verify',
    summary: 'recalculates a candle, or checks an analysis snapshot or a release',
    load: () => import('./commands/verify.js'),
  },
  {
    name: 'release',
    summary: 'writes datasets as signed Parquet files',
    load: () => import('./commands/release.js'),
  },
  {
    name: 'doctor',
    summary: 'finds problems of this installation and says what to do',
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
    `market-data-gateway: unknown command "${name}"; ${near ? `did you mean ${near}?` : `use one of: ${names.join(', ')}`} (see --help)\n`,
  )
}

// The reader of the output may end first (`| head`). The command continues.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
await run()
