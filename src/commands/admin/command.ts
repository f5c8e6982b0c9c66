import { TIERS } from '../../policy/tiers.js'
import { SERVED_SCOPES } from '../../served-scopes.js'
import type { CommandWorld } from '../command-world.js'

const text = (value: string, help: string) => ({ type: 'string', value, help }) as const
const flag = (help: string) => ({ type: 'boolean', value: '', help }) as const

/** All options. An option means the same in every command. */
export const OPTIONS = {
  tier: text('TIER', TIERS.join(', ')),
  email: text('E', 'e-mail of the account; without one, only its keys give access'),
  label: text('L', 'name of the key, at most 100 characters'),
  scopes: text('a,b', `restricts the key to some of these scopes: ${[...SERVED_SCOPES].join(', ')}`),
  month: text('N', 'units per calendar month (UTC)'),
  hour: text('N', 'units per clock hour (UTC)'),
  clear: flag('removes the contract'),
  contract: flag('applies contract migrations too: only when every node runs this version'),
  asset: text('SLUG', 'the exchanges of one crypto asset, e.g. bitcoin'),
  days: text('N', 'days back from today, 1 to 90 (default 30)'),
  limit: text('N', 'maximum number of rows, 1 to 1000 (default 50)'),
  offset: text('N', 'rows to skip (default 0)'),
  json: flag('prints one JSON value instead of tables'),
  help: flag('prints this help'),
} as const

export type OptionName = keyof typeof OPTIONS

export type OptionValues = {
  readonly [Name in OptionName]?: (typeof OPTIONS)[Name]['type'] extends 'string' ? string : boolean
}

/** The environment of a command and the signal that interrupts it. */
export interface AdminWorld extends CommandWorld {
  readonly signal: AbortSignal
  /** The directory of the caller, to which paths are relative; null if this process was called itself. */
  readonly directory: string | null
}

/** The words and options of a command. Their number and names are checked; the command checks their values. */
export interface CommandInput extends AdminWorld {
  readonly options: OptionValues
  word(parameter: string): string
}

/** The same result for programs and for people. */
export interface Answer {
  readonly json: unknown
  readonly text: string
  /** Whether to exit with 1, although the result is complete. */
  readonly isFailure?: boolean
}

export interface Command {
  /** One or two words, e.g. users list. */
  readonly name: string
  /** Names of the required words after the command's name. */
  readonly parameters?: readonly string[]
  readonly options?: readonly OptionName[]
  readonly required?: readonly OptionName[]
  readonly summary: string
  /** Throws UsageError, or ApiError if the installation rejects the request. */
  run(given: CommandInput): Promise<Answer>
}
