import { TIERS } from '../../policy/tiers.js'
import { SERVED_SCOPES } from '../../served-scopes.js'
import type { CommandWorld } from '../command-world.js'

const text = (value: string, help: string) => ({ type: 'string', value, help }) as const
const flag = (help: string) => ({ type: 'boolean', value: '', help }) as const

/** Every option of every command: a name means the same wherever it is taken. */
export const OPTIONS = {
  tier: text('TIER', TIERS.join(', ')),
  email: text('E', 'e-mail of the account; without one only its keys get in'),
  label: text('L', 'name of the key, at most 100 characters'),
  scopes: text('a,b', `narrows the key to these of: ${[...SERVED_SCOPES].join(', ')}`),
  month: text('N', 'units per calendar month (UTC)'),
  hour: text('N', 'units per clock hour (UTC)'),
  clear: flag('takes the contract out'),
  days: text('N', 'days back from today, 1 to 90 (default 30)'),
  limit: text('N', 'rows at most, 1 to 1000 (default 50)'),
  offset: text('N', 'rows to skip (default 0)'),
  json: flag('prints one JSON value instead of tables'),
  help: flag('prints this'),
} as const

export type OptionName = keyof typeof OPTIONS

export type OptionValues = {
  readonly [Name in OptionName]?: (typeof OPTIONS)[Name]['type'] extends 'string' ? string : boolean
}

/** Where the tool works, and what interrupts it. */
export interface AdminWorld extends CommandWorld {
  readonly signal: AbortSignal
}

/** What was asked of a command: its shape is checked, the meaning of its values is the command's own business. */
export interface CommandInput extends AdminWorld {
  readonly options: OptionValues
  /** The word given for a parameter of the command. */
  word(parameter: string): string
}

/** The same answer for machines and for people. */
export interface Answer {
  readonly json: unknown
  readonly text: string
  /** Exit with 1, though the answer is complete. */
  readonly isFailure?: boolean
}

export interface Command {
  /** One or two words, e.g. users list. */
  readonly name: string
  /** Names of the words that follow, all required. */
  readonly parameters: readonly string[]
  readonly options: readonly OptionName[]
  readonly required?: readonly OptionName[]
  readonly summary: string
  /** Throws UsageError, or ApiError for what the installation refuses. */
  run(given: CommandInput): Promise<Answer>
}
