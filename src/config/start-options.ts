import { suggest } from '../core/suggest.js'

/** Each option of `start` sets a variable, unless the environment sets it. */
const START_FLAGS: Readonly<Record<string, readonly [variable: string, value: string, help: string]>> = {
  '--live': ['SCHEDULE', 'all', 'refreshes all datasets from their sources (SCHEDULE=all)'],
  '--seed': ['SEED', 'on', 'fills empty datasets with synthetic data, in development only (SEED=on)'],
}

const HELP_FLAGS = ['--help', '-h']

/** The help text of `start`. */
export function startHelp(call: string): string {
  const lines = Object.entries(START_FLAGS).map(([flag, [, , help]]) => `  ${flag}  ${help}\n`)
  return `Usage: ${call} [options]

Serves REST and GraphQL until it is stopped.

${lines.join('')}  --help  prints this

Settings are environment variables: see the settings guide.
`
}

export function hasHelpOption(args: readonly string[]): boolean {
  return args.some((arg) => HELP_FLAGS.includes(arg))
}

/** Returns why the options of `start` are invalid; null if they are valid. */
export function startOptionFault(args: readonly string[]): string | null {
  const known = [...Object.keys(START_FLAGS), ...HELP_FLAGS]
  const wrong = args.find((arg) => !known.includes(arg))
  if (wrong === undefined) return null
  const near = suggest(wrong, known)
  const hint = near === null ? `use one of: ${known.join(', ')}` : `did you mean ${near}?`
  return `unknown option ${JSON.stringify(wrong.slice(0, 100))}; ${hint} (see --help)`
}

/** Adds the variables of the given options to the environment. */
export function withFlags(env: NodeJS.ProcessEnv, args: readonly string[]): NodeJS.ProcessEnv {
  const added = args.flatMap((arg) => {
    const [variable, value] = START_FLAGS[arg] ?? []
    return variable === undefined || env[variable] ? [] : [[variable, value]]
  })
  return { ...env, ...Object.fromEntries(added) }
}
