// Makes an account with one API key and prints the key as JSON, the only time it is shown:
// npm run -s key -- --tier pro --label NAME [--scopes a,b] [--admin]
// Works on PostgreSQL, or on an embedded directory that no other process holds.
import { parseArgs } from 'node:util'
import { SERVED_SCOPES } from '../assembly/served-scopes.js'
import { ConfigError } from '../config.js'
import { ApiError } from '../core/errors.js'
import { suggest } from '../core/suggest.js'
import { systemClock } from '../core/time.js'
import { parseKeyRequest } from '../domains/access/key-model.js'
import { type AccountWithKey, createAccountWithKey } from '../domains/access/operator.js'
import { scopesOfTier } from '../policy/scopes.js'
import { isTier, TIERS } from '../policy/tiers.js'
import { callOf } from '../process/call-of.js'
import { withAccess } from './admin/installation.js'

const HELP = `Usage: ${callOf('key')} --tier TIER --label NAME [--scopes a,b] [--admin]

  --tier    ${TIERS.join(', ')}
  --label   name of the key, at most 100 characters
  --scopes  narrows the key to these: ${[...SERVED_SCOPES].join(', ')}
  --admin   grants the scope admin
`

/** A mistake on the command line. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const asked = readArguments(process.argv.slice(2))
  if (asked === null) {
    process.stdout.write(HELP)
    return
  }
  const { key_id, raw_key, key_prefix, tier, label, scopes } = await withAccess(process.env, (access) =>
    createAccountWithKey(access, asked),
  )
  process.stdout.write(`${JSON.stringify({ key_id, raw_key, key_prefix, tier, label, scopes })}\n`)
}

/** Null: help was asked for. */
function readArguments(args: readonly string[]): AccountWithKey | null {
  const { tier, label, scopes, admin = false, help } = parseOptions(args)
  if (help) return null
  if (tier === undefined || label === undefined) throw new UsageError('--tier and --label are needed')
  if (!isTier(tier)) {
    const near = suggest(tier, TIERS)
    throw new UsageError(
      `--tier "${tier}" is none of ${TIERS.join(', ')}${near ? `; did you mean ${near}?` : ''}`,
    )
  }
  const names = scopes?.split(',').map((name) => name.trim())
  const maker = { tier, scopes: scopesOfTier(tier), isNarrowed: false, endsAt: null }
  const terms = { now: systemClock.now(), servedScopes: SERVED_SCOPES }
  const request = parseKeyRequest({ label, scopes: names }, maker, terms)
  const grants = admin ? (['admin'] as const) : []
  return {
    tier,
    label: request.label,
    grants,
    // A narrowed key still holds what is granted in the same breath.
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

main().catch((error: unknown) => {
  const isExpected = error instanceof UsageError || error instanceof ApiError || error instanceof ConfigError
  const cause = error instanceof ApiError && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const message = (error instanceof Error ? error.message : String(error)) + cause
  process.stderr.write(`${message}${error instanceof UsageError ? `\n\n${HELP}` : '\n'}`)
  if (!isExpected && process.env.LOG_LEVEL === 'debug' && error instanceof Error) {
    process.stderr.write(`${error.stack}\n`)
  }
  process.exitCode = 1
})
