import { suggest } from '../core/suggest.js'

/** What each option of a start puts in place of a variable that is not set. */
const START_FLAGS: Readonly<Record<string, readonly [variable: string, value: string, help: string]>> = {
  '--live': ['SCHEDULE', 'all', 'refreshes all datasets from their sources (SCHEDULE=all)'],
  '--seed': ['SEED', 'on', 'fills empty datasets with synthetic data, in development only (SEED=on)'],
}

const HELP_FLAGS = ['--help', '-h']

/** The help of a start that is called like this. */
export function startHelp(call: string): string {
  const lines = Object.entries(START_FLAGS).map(([flag, [, , help]]) => `  ${flag}  ${help}\n`)
  return `Usage: ${call} [options]

Serves REST and GraphQL until it is asked to stop.

${lines.join('')}  --help  prints this

Settings are environment variables: see the guide of settings.
`
}

export function asksForHelp(args: readonly string[]): boolean {
  return args.some((arg) => HELP_FLAGS.includes(arg))
}

/** What is wrong with the options of a start; null: nothing. */
export function startOptionFault(args: readonly string[]): string | null {
  const known = [...Object.keys(START_FLAGS), ...HELP_FLAGS]
  const wrong = args.find((arg) => !known.includes(arg))
  if (wrong === undefined) return null
  const near = suggest(wrong, known)
  const hint = near === null ? `there are ${known.join(', ')}` : `did you mean ${near}?`
  return `start has no option ${JSON.stringify(wrong.slice(0, 100))}; ${hint} (see --help)`
}

/** The environment with what the command line of a start adds. */
export function withFlags(env: NodeJS.ProcessEnv, args: readonly string[]): NodeJS.ProcessEnv {
  const added = args.flatMap((arg) => {
    const [variable, value] = START_FLAGS[arg] ?? []
    return variable === undefined || env[variable] ? [] : [[variable, value]]
  })
  return { ...env, ...Object.fromEntries(added) }
}
