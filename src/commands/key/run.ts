import { parseArgs } from 'node:util'
import { ConfigError } from '../../config.js'
import { ApiError } from '../../core/errors.js'
import { suggest } from '../../core/suggest.js'
import { systemClock } from '../../core/time.js'
import { parseKeyRequest } from '../../domains/access/keys/key-model.js'
import { type AccountWithKey, createAccountWithKey } from '../../domains/access/operator.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { scopesOfTier } from '../../policy/scopes.js'
import { isTier, TIERS } from '../../policy/tiers.js'
import { SERVED_SCOPES } from '../../served-scopes.js'
import { withAccess } from '../admin/installation.js'
import type { CommandRun } from '../command-world.js'
import { UsageError } from '../usage-error.js'

const HELP = `Usage: ${commandLine('key')} --tier TIER --label NAME [--scopes a,b] [--admin]

  --tier    ${TIERS.join(', ')}
  --label   name of the key, at most 100 characters
  --scopes  restricts the key to some of these scopes, or none: ${[...SERVED_SCOPES].join(', ')}
  --admin   grants the scope admin
`

/** Runs `key`, which creates an account with one key. */
export const runKey: CommandRun = async (call, world) => {
  try {
    const request = parseArguments(call.args)
    if (request === null) {
      call.out(HELP)
      return 0
    }
    const created = await withAccess({ ...world, signal: call.signal }, (access) =>
      createAccountWithKey(access, request),
    )
    const { key_id, raw_key, key_prefix, tier, label, scopes } = created
    call.out(`${JSON.stringify({ key_id, raw_key, key_prefix, tier, label, scopes })}\n`)
    return 0
  } catch (error) {
    call.err(explain(error))
    return 1
  }
}

/** Returns null for --help. */
function parseArguments(args: readonly string[]): AccountWithKey | null {
  const { tier, label, scopes, admin = false, help } = parseOptions(args)
  if (help) return null
  if (tier === undefined || label === undefined) throw new UsageError('give --tier and --label')
  if (!isTier(tier)) {
    const near = suggest(tier, TIERS)
    throw new UsageError(
      `unknown tier "${tier}"; ${near ? `did you mean ${near}?` : `use one of: ${TIERS.join(', ')}`}`,
    )
  }
  const names = scopes === 'none' ? [] : scopes?.split(',').map((name) => name.trim())
  const maker = { tier, scopes: scopesOfTier(tier), isNarrowed: false, endsAt: null }
  const terms = { now: systemClock.now(), servedScopes: SERVED_SCOPES }
  const request = parseKeyRequest({ label, scopes: names }, maker, terms)
  const grants = admin ? (['admin'] as const) : []
  return {
    tier,
    label: request.label,
    grants,
    // The grants of the same command also apply to a narrowed key.
    ...(request.scopes && { scopes: [...request.scopes, ...grants] }),
  }
}

function parseOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  try {
    const options = { tier: text, label: text, scopes: text, admin: flag, help: flag }
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function explain(error: unknown): string {
  const isExpected = error instanceof UsageError || error instanceof ApiError || error instanceof ConfigError
  const cause = error instanceof ApiError && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const message = (error instanceof Error ? error.message : String(error)) + cause
  const stack =
    !isExpected && process.env.LOG_LEVEL === 'debug' && error instanceof Error ? `${error.stack}\n` : ''
  return `${message}${error instanceof UsageError ? `\n\n${HELP}` : '\n'}${stack}`
}
