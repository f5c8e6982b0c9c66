import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { buildSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tier } from '../../src/policy/tiers.js'
import { startTestApp, type TestApp } from '../support/app/app.js'
import { commitSeed } from '../support/commit-seed.js'
import { quickestDatabase } from '../support/database/database.js'
import { noteFigures } from '../support/figures.js'
import { checkAgainst, internalsIn } from './checks.js'
import { type Endpoint, endpointsOf, type OpenApi } from './openapi.js'
import { operationsOf } from './operations.js'
import { requestsTo } from './requests.js'
import { send } from './send.js'

/** All together; `npm run trust -- fuzz` sends 50,000 of each kind. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000)

/** The same for one commit; the name of the test shows it. */
const SEED = Number(process.env.FUZZ_SEED ?? commitSeed())

const TIERS: readonly Tier[] = ['free', 'starter', 'growth', 'pro', 'enterprise']

/** What changes accounts and keys would change what the next request may do. */
const isLeftOut = (method: string, path: string) =>
  path.startsWith('/auth') || (method !== 'get' && path !== '/v1/sanctions/screen')

const GRAPHQL_STATUSES = [200, 400, 401, 403, 404, 409, 413, 422, 429]

describe(`random requests (seed ${SEED})`, { timeout: 3_600_000 }, () => {
  let app: TestApp
  let document: OpenApi
  let keys: readonly string[]
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { BURST_PER_MINUTE: '1000000000' } })
    document = (await app.rest<OpenApi>('/openapi-full.json')).body
    const quota = { quotaMonth: 1_000_000_000, quotaHour: 1_000_000_000 }
    keys = await Promise.all(
      TIERS.map((tier) => app.newKey({ tier, ...(tier === 'enterprise' ? quota : {}) })),
    )
  }, 180_000)
  afterAll(() => app?.close())

  it('get from REST only what OpenAPI documents', async () => {
    const check = checkAgainst(document)
    const endpoints = endpointsOf(document, isLeftOut)
    const numRuns = Math.ceil(REQUESTS / 2 / endpoints.length)
    let sent = 0
    const statuses = new Map<number, number>()
    // Each operation has its own seed. With one for all, each would get the same keys and the same kinds of values.
    const tryEndpoint = (endpoint: Endpoint, seed: number) =>
      fc.assert(
        fc.asyncProperty(requestsTo(endpoint, keys), async (asked) => {
          const received = await send(app.url, asked)
          sent += 1
          statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1)
          const wrong = check(endpoint, asked.method, received)
          if (wrong !== null) throw new Error(`${wrong}\n${received.text.slice(0, 500)}`)
        }),
        { numRuns, seed },
      )
    const failures: string[] = []
    for (const [place, endpoint] of endpoints.entries()) {
      await tryEndpoint(endpoint, SEED + place).catch((error: Error) => {
        failures.push(`${endpoint.path}: ${error.message}\n${String(error.cause)}`)
      })
    }
    process.stdout.write(
      `REST: ${sent} requests to ${endpoints.length} operations, by status ${JSON.stringify(Object.fromEntries(statuses))}\n`,
    )
    noteFigures({
      part: 'fuzz of REST',
      done: { requests: sent, operations: endpoints.length },
      findings: failures,
    })
    expect(failures).toEqual([])
    expect(sent).toBeGreaterThanOrEqual(REQUESTS / 2)
    expect((statuses.get(200) ?? 0) / sent).toBeGreaterThan(0.15)
  })

  it('get from GraphQL data or expected errors', async () => {
    const schema = buildSchema(await readFile(resolve(import.meta.dirname, '../../schema.graphql'), 'utf8'))
    const operations = operationsOf(schema, knownValues(document))
    let sent = 0
    let answered = 0
    await fc.assert(
      fc.asyncProperty(operations, fc.constantFrom(...keys), async (query, key) => {
        const received = await send(app.url, {
          method: 'POST',
          path: '/graphql',
          headers: { 'content-type': 'application/json', 'x-api-key': key },
          body: JSON.stringify({ query }),
        })
        sent += 1
        const { data, errors = [] } = JSON.parse(received.text) as {
          data?: object
          errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
        }
        if (data !== undefined) answered += 1
        const codes = errors.map(({ extensions }) => extensions?.code)
        const wrong = codes.find((code) => code === undefined || code === 'INTERNAL_ERROR')
        const isOut = codes.includes('SERVICE_UNAVAILABLE')
        const said = errors.map(({ message }) => internalsIn(400, message)).find((found) => found !== null)
        const isKnown = GRAPHQL_STATUSES.includes(received.status) || (isOut && received.status === 503)
        if (!isKnown || said !== undefined || (errors.length > 0 && codes.includes(wrong))) {
          throw new Error(`${received.status} ${said ?? ''}\n${received.text.slice(0, 500)}`)
        }
      }),
      // Smaller operations that fail are not looked for: they are made in one piece.
      { numRuns: Math.ceil(REQUESTS / 2), seed: SEED, endOnFailure: true },
    )
    process.stdout.write(`GraphQL: ${sent} operations, ${answered} with data\n`)
    noteFigures({ part: 'fuzz of GraphQL', done: { operations: sent }, findings: [] })
    expect(answered / sent).toBeGreaterThan(0.1)
  })
})

/** Examples of the parameters of a document, by their names. */
function knownValues({ paths }: OpenApi): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>()
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const parameter of operation.parameters ?? []) {
      if ('$ref' in parameter || parameter.example === undefined) continue
      known.set(parameter.name, [...(known.get(parameter.name) ?? []), String(parameter.example)])
    }
  }
  return known
}
