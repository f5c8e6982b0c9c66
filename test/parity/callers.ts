import { randomUUID } from 'node:crypto'
import { createAccountWithKey } from '../../src/domains/access/operator.js'
import { quotasOf } from '../../src/policy/limits.js'
import { isScope, type Scope } from '../../src/policy/scopes.js'
import type { Tier } from '../../src/policy/tiers.js'
import { encoded } from '../fuzz/requests.js'
import type { TestApp } from '../support/app/app.js'
import { storeWebhook } from '../support/app/webhook-world.js'
import type { ParityRoute } from './routes.js'

export const CALLERS = [
  'anonymous',
  'malformed key',
  'free',
  'starter',
  'growth',
  'pro',
  'enterprise',
  'admin',
  'narrowed to nothing',
  'narrowed to the scope',
  'token',
  'spent',
] as const
export type CallerKind = (typeof CALLERS)[number]

export const PASSWORD = 'correct horse battery'

/** Who asks in one style. */
export interface ParityCaller {
  readonly headers: Readonly<Record<string, string>>
  /** What is its own, by the name that replaces it in questions and answers: key_id for @key_id. */
  readonly own: Readonly<Record<string, string>>
}

/** Two that have all in common, and have asked the same so far, each in its style: so they have as much left. */
export interface Twins {
  readonly rest: ParityCaller
  readonly graphql: ParityCaller
  /** Questions that they may still ask. */
  left: number
}

/** More than any account can ask. */
const FOR_EVER = Number.MAX_SAFE_INTEGER

/** Gives the twins of each kind for a route: new ones when their quota is spent. They are asked one question at a time. */
export function createCallers(app: TestApp) {
  const known = new Map<string, Twins>()
  return async (route: ParityRoute, kind: CallerKind): Promise<Twins> => {
    const name = sharedName(route, kind)
    const twins = known.get(name)
    if (twins !== undefined && twins.left > 0) {
      twins.left -= 1
      return twins
    }
    const made = await makeTwins(app, route, kind)
    known.set(name, made)
    return made
  }
}

/** Routes share their twins, but for those that change them, and that count what they ask. */
function sharedName(route: ParityRoute, kind: CallerKind): string {
  const { isChange, mayAskOthers, name, spec } = route
  if (isChange || mayAskOthers || name === 'usage') return `${kind} of ${name}`
  return kind === 'narrowed to the scope' ? `${kind} ${spec.endpoint.access}` : kind
}

async function makeTwins(app: TestApp, route: ParityRoute, kind: CallerKind): Promise<Twins> {
  const [rest, graphql] = [
    await createParityCaller(app, route, kind),
    await createParityCaller(app, route, kind),
  ]
  return { rest, graphql, left: questionsOf(route, kind) }
}

function questionsOf({ name }: ParityRoute, kind: CallerKind): number {
  if (name === 'login') return 3 // more logins to one account are throttled
  if (kind === 'anonymous' || kind === 'malformed key' || kind === 'spent') return FOR_EVER
  // Each may be asked twice; the last finds nothing left.
  return Math.ceil(quotasOf(tierOf(kind), null).hour / 2)
}

function tierOf(kind: CallerKind): Tier {
  switch (kind) {
    case 'free':
    case 'starter':
    case 'growth':
    case 'enterprise':
      return kind
    case 'admin':
      return 'enterprise'
    case 'spent':
      return 'free'
    default:
      return 'pro'
  }
}

async function createParityCaller(app: TestApp, route: ParityRoute, kind: CallerKind): Promise<ParityCaller> {
  const address = { 'x-forwarded-for': nextAddress() }
  const fresh = { fresh_email: `${randomUUID()}@example.org` }
  if (kind === 'malformed key') {
    return {
      headers: { ...address, 'x-api-key': 'mdg_test_x' },
      own: { ...fresh, ...(await ownOf(app, route)) },
    }
  }
  if (kind === 'anonymous') return { headers: address, own: { ...fresh, ...(await ownOf(app, route)) } }
  const email = `${randomUUID()}@example.org`
  const scopes = narrowing(kind, route)
  const { account_id, key_id, raw_key, key_prefix } = await createAccountWithKey(app.access, {
    tier: tierOf(kind),
    label: 'parity',
    email,
    ...(kind === 'admin' ? { grants: ['admin' as const] } : {}),
    ...(scopes === null ? {} : { scopes }),
  })
  const has = route.spec.field.args.some(({ name }) => name === 'webhook_id')
  const webhook = has ? { webhook_id: await storeWebhook(app.database, account_id) } : {}
  const own = {
    ...fresh,
    account_id,
    key_id,
    raw_key,
    key_prefix,
    email,
    ...webhook,
    ...(await ownOf(app, route)),
  }
  if (kind === 'token') {
    const token = await app.access.tokens.sign(account_id, app.clock.now())
    return { headers: { ...address, authorization: `Bearer ${token}` }, own }
  }
  if (kind === 'spent') await spend(app, raw_key, address)
  return { headers: { ...address, 'x-api-key': raw_key }, own }
}

/** A login needs an account with a password. */
async function ownOf(app: TestApp, { name }: ParityRoute): Promise<Readonly<Record<string, string>>> {
  if (name !== 'login') return {}
  const email = `${randomUUID()}@example.org`
  const body = { email, password: PASSWORD }
  await app.rest('/auth/register', { method: 'POST', body, headers: { 'x-forwarded-for': nextAddress() } })
  return { email }
}

function narrowing(kind: CallerKind, { spec }: ParityRoute): readonly Scope[] | null {
  if (kind === 'narrowed to nothing') return []
  if (kind !== 'narrowed to the scope') return null
  const { access } = spec.endpoint
  return isScope(access) && access !== 'admin' ? [access] : []
}

/** Asks until nothing is left of the hour. */
async function spend(app: TestApp, key: string, headers: ParityCaller['headers']): Promise<void> {
  for (let at = 0; at < quotasOf('free', null).hour; at++)
    await app.rest('/v1/assets?limit=1', { key, headers })
}

let addresses = 0

/** One of its own for each: logins and registrations are throttled by address. */
function nextAddress(): string {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** Puts what is an asker's own in the place of its names. */
export function withOwn<Value>(value: Value, { own }: ParityCaller): Value {
  let text = JSON.stringify(value)
  for (const [name, its] of Object.entries(own)) text = text.replaceAll(`@${name}@`, its)
  return JSON.parse(text) as Value
}

/** Puts the names in the place of what is an asker's own, so that the answers to two askers can be compared. */
export function withoutOwn(text: string, { own }: ParityCaller): string {
  let bare = text
  for (const [name, its] of Object.entries(own)) {
    bare = bare.replaceAll(its, `@${name}@`)
    const inAddress = encoded(its)
    if (inAddress !== its) bare = bare.replaceAll(inAddress, `@${name}@`)
  }
  return bare
}
