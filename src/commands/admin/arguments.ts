import { type ParseArgsConfig, parseArgs } from 'node:util'
import { parseUuid } from '../../core/identifiers.js'
import { suggest } from '../../core/suggest.js'
import { parseEmail } from '../../domains/access/model.js'
import { isScope, SCOPE_NAMES, type Scope } from '../../policy/scopes.js'
import { isTier, TIERS, type Tier } from '../../policy/tiers.js'
import { UsageError } from '../usage-error.js'
import {
  type AdminWorld,
  type Command,
  type CommandInput,
  OPTIONS,
  type OptionName,
  type OptionValues,
} from './command.js'

export interface Words {
  readonly words: readonly string[]
  readonly options: OptionValues
}

/** Splits words and options. Throws UsageError for an unknown option and for one without its value. */
export function parseWords(args: readonly string[]): Words {
  const config = { args: [...args], options: OPTIONS, allowPositionals: true } satisfies ParseArgsConfig
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens) {
    if (token.kind !== 'option' || Object.hasOwn(OPTIONS, token.name)) continue
    throw unknownOption(token.rawName, Object.keys(OPTIONS))
  }
  try {
    const { values, positionals } = parseArgs(config)
    return { words: positionals, options: values }
  } catch (error) {
    throw new UsageError((error instanceof Error ? error.message : String(error)).split('\n')[0])
  }
}

function unknownOption(rawName: string, known: readonly string[], command?: string): UsageError {
  const near = suggest(rawName.replace(/^-+/, ''), known)
  const whose = command === undefined ? '' : ` of ${command}`
  return new UsageError(
    `${rawName} is not an option${whose}${near === null ? '' : `; did you mean --${near}?`}`,
  )
}

/** Finds the command that the words begin with. Throws UsageError with a suggestion for an unknown one. */
export function findCommand(words: readonly string[], commands: readonly Command[]): Command {
  const found = commands.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name)
  if (found !== undefined) return found
  const [first, second] = words
  if (first === undefined) throw new UsageError('name a command')
  const names = commands.map(({ name }) => name)
  const members = names.filter((name) => name.startsWith(`${first} `))
  if (members.length > 0 && second === undefined) {
    throw new UsageError(
      `${first} needs a second word: ${members.map((name) => name.slice(first.length + 1)).join(', ')}`,
    )
  }
  const unknown = second === undefined ? first : `${first} ${second}`
  const near = suggest(unknown, names) ?? suggest(first, names)
  throw new UsageError(
    `unknown command ${JSON.stringify(unknown)}${near === null ? '' : `; did you mean ${near}?`}`,
  )
}

/** Creates the input of a command. Throws UsageError for a missing or extra word or option. */
export function toCommandInput(command: Command, { words, options }: Words, world: AdminWorld): CommandInput {
  const { parameters = [] } = command
  const own = words.slice(command.name.split(' ').length)
  const missing = parameters[own.length]
  if (missing !== undefined) throw new UsageError(`${command.name} needs <${missing}>`)
  const extra = own[parameters.length]
  if (extra !== undefined) throw new UsageError(`${command.name} does not expect ${JSON.stringify(extra)}`)
  const known: readonly string[] = [...(command.options ?? []), 'json', 'help']
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw unknownOption(`--${name}`, known, command.name)
  }
  for (const name of command.required ?? []) {
    if (options[name] === undefined) throw new UsageError(`${command.name} needs --${name}`)
  }
  return {
    ...world,
    options,
    word: (parameter) => {
      const word = own[parameters.indexOf(parameter)]
      if (word === undefined) throw new Error(`${command.name} has no parameter ${parameter}`)
      return word
    },
  }
}

/** Parses a whole number in the range. Returns the fallback if the option is absent. */
export function parseNumberOption(
  { options }: CommandInput,
  name: Extract<OptionName, 'month' | 'hour' | 'days' | 'limit' | 'offset'>,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  const given = options[name]
  if (given === undefined) return fallback
  const number = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN
  if (number >= min && number <= max) return number
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}; got ${JSON.stringify(given)}`)
}

export function parseTier(word: string): Tier {
  if (isTier(word)) return word
  throw unknownWord('tier', word, TIERS)
}

export function parseScope(word: string): Scope {
  if (isScope(word)) return word
  throw unknownWord('scope', word, SCOPE_NAMES)
}

function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  const near = suggest(word, known)
  const hint = near === null ? `use one of: ${known.join(', ')}` : `did you mean ${near}?`
  return new UsageError(`unknown ${what} ${JSON.stringify(word)}; ${hint}`)
}

/** Splits names of scopes at commas; returns null if the option is absent. `parseKeyRequest` checks the names. */
export function parseScopes({ options }: CommandInput): readonly string[] | null {
  return options.scopes?.split(',').map((name) => name.trim()) ?? null
}

/** Parses an e-mail address; returns it in lower case. */
export function parseEmailArgument(word: string): string {
  const email = parseEmail(word)
  if (email === null) throw new UsageError(`${JSON.stringify(word)} is not an e-mail address`)
  return email
}

export function parseIdWord(what: string, word: string): string {
  const uuid = parseUuid(word)
  if (uuid !== null) return uuid
  throw new UsageError(`${JSON.stringify(word)} is not a ${what}, which is a UUID`)
}

/** The id or the e-mail of an account. */
export type AccountName = { readonly accountId: string } | { readonly email: string }

export function parseAccountName(word: string): AccountName {
  const accountId = parseUuid(word)
  if (accountId !== null) return { accountId }
  const email = parseEmail(word)
  if (email !== null) return { email }
  throw new UsageError(`${JSON.stringify(word)} is neither an account id (a UUID) nor an e-mail address`)
}
