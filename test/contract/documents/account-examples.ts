import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import type { AnswerExample } from '../../../src/gateway/rest/openapi/operation/responses.js'
import { hasBody } from '../../../src/schema-kit/endpoint.js'
import type { TestApp } from '../../support/app/app.js'
import {
  type Arguments,
  callRest,
  exampleArguments,
  restPath,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { SEEDED_AT } from '../../support/database/database.js'

type Examples = Readonly<Record<string, AnswerExample>>
type Members = Readonly<Record<string, unknown>>

/**
 * Requests of one new account, from its registration on: keys, webhooks, usage and the newsletter. Each names what an answer
 * before it gave. What is random is replaced by the same text in all of them.
 */
export async function accountExamples(app: TestApp): Promise<Examples> {
  const examples: Record<string, AnswerExample> = {}
  const roots = new Map(rootFields().map((root) => [root.name, root]))
  const call = async (name: string, given: Arguments, headers: Readonly<Record<string, string>> = {}) => {
    const root = roots.get(name)
    const rest = root?.endpoint.rest
    if (root === undefined || rest == null) throw new Error(`${name} has no route`)
    const args = exampleArguments(root, given)
    const { status, body, text } = await callRest(app, root, rest, args, { headers })
    if (status >= 300) throw new Error(`${name}: ${status} ${text}`)
    const inPath = new Set(rest.path.match(/(?<=\{)\w+(?=\})/g))
    const members = Object.fromEntries(Object.entries(args).filter(([argument]) => !inPath.has(argument)))
    const sent = hasBody(rest) && Object.keys(members).length > 0 ? ` ${JSON.stringify(members)}` : ''
    examples[name] = { request: `${rest.method} ${restPath(root, rest, args)}${sent}`, answer: body }
    return body as Members
  }

  await call('register', {})
  // The free tier has few scopes and no webhooks.
  await app.database.prisma.account.updateMany({
    where: { email: 'ada@example.org' },
    data: { tier: 'growth' },
  })
  const { access_token: token } = await call('login', {})
  const signedIn = { authorization: `Bearer ${token}` }
  const key = await call('create_api_key', { scopes: ['ai:read'] }, signedIn)
  await call('api_keys', {}, signedIn)
  await call('api_key', { key_id: key.key_id }, signedIn)
  await call('rotate_api_key', { key_id: key.key_id, grace_seconds: 3600 }, signedIn)
  const clock = { as_of: '2026-11-01T00:00:00Z' }
  const past = await call('create_api_key', { scopes: ['ai:read'], clock }, signedIn)
  await call('advance_api_key', { key_id: past.key_id, clock: { as_of: '2026-11-02T00:00:00Z' } }, signedIn)
  await call('me', {}, signedIn)
  await call('usage', {}, signedIn)
  await call('newsletter_subscribe', {}, signedIn)
  const asked = { event_types: ['ai_analysis.change'], asset_ids: ['bitcoin'] }
  const { webhook } = await call('create_webhook', asked, signedIn)
  const { webhook_id } = webhook as Members
  await withReceiver(async (url) => {
    await call('update_webhook', { webhook_id, url }, signedIn)
    await call('test_webhook', { webhook_id }, signedIn)
  })
  await call('update_webhook', { webhook_id, url: 'https://hooks.example.com/changes' }, signedIn)
  await call('webhooks', {}, signedIn)
  await call('webhook', { webhook_id }, signedIn)
  await call('webhook_events', { webhook_id }, signedIn)
  await call('rotate_webhook_secret', { webhook_id }, signedIn)
  await call('replay_webhook', { webhook_id, from: 'dead_letters' }, signedIn)

  const { raw_key } = await createAccountWithKey(app.access, {
    tier: 'enterprise',
    grants: ['admin'],
    label: 'x',
  })
  await call('newsletter_send', { issue_id: '2026-W46', dry_run: true }, { 'x-api-key': raw_key })
  return steady(examples)
}

/** The credential's examples, which need a database whose owner may create roles. */
export async function sqlCredentialExamples(app: TestApp, key: string): Promise<Examples> {
  const ask = { key }
  const created = await app.rest('/v1/billing/sql-credentials', {
    ...ask,
    method: 'POST',
    body: { label: 'Power BI', expires_in_days: 30 },
  })
  const listed = await app.rest('/v1/billing/sql-credentials', ask)
  return steady({
    create_sql_credentials: {
      request: 'POST /v1/billing/sql-credentials {"label":"Power BI","expires_in_days":30}',
      answer: created.body,
    },
    sql_credentials: { request: 'GET /v1/billing/sql-credentials', answer: listed.body },
  })
}

/** Runs the work with a server that takes every event. */
async function withReceiver(work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  }).listen(0, 'localhost')
  await once(server, 'listening')
  try {
    await work(`http://localhost:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
  }
}

const RANDOM_ID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Random texts other than ids, and the text that replaces each. */
const RANDOM: readonly (readonly [RegExp, string])[] = [
  [/mdg_test_\w{30}_\w{6}/g, `mdg_test_${'EXAMPLE'.repeat(4)}EX_000000`],
  [/mdg_test_\w{7}(?=")/g, 'mdg_test_EXAMPLE'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.ZXhhbXBsZQ'],
  [/whsec_[\w+/=]+/g, `whsec_${Buffer.from('example').toString('base64')}`],
  [/(?<="password":")\w{32}/g, 'example'],
  [/sql_[0-9a-f]{8}/g, 'sql_0a1b2c3d'],
  [/(?<="database":")\w+/g, 'market_data'],
  [/(?<="duration_ms":)\d+/g, '72'],
]

/**
 * Replaces instants of the real clock by the same distance from the fixed clock of the tests. Whole minutes come from the
 * fixed clock and stay.
 */
export function withSteadyInstants(text: string): string {
  return text.replace(INSTANT, (instant) => {
    if (Date.parse(instant) % MINUTE_MS === 0) return instant
    const days = (Date.parse(instant) - Date.now()) / DAY_MS
    return days > -0.1 ? new Date(SEEDED_AT.getTime() + Math.round(days) * DAY_MS).toISOString() : instant
  })
}

/** Random ids and secrets become fixed ones. */
function steady(examples: Examples): Examples {
  const ids = new Map<string, string>()
  const text = JSON.stringify(examples).replace(RANDOM_ID, (id) => {
    const known = ids.get(id) ?? `3f2b8c1e-5d4a-4b6f-9a7e-${String(ids.size + 1).padStart(12, '0')}`
    ids.set(id, known)
    return known
  })
  const fixed = RANDOM.reduce(
    (steadied, [pattern, example]) => steadied.replace(pattern, example),
    withSteadyInstants(text),
  )
  return JSON.parse(fixed) as Examples
}
