import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { daysBetween, type IsoDate, parseIsoDate } from '../../../src/core/time.js'
import { ANSWER_EXAMPLES } from '../../../src/gateway/rest/openapi/answer-examples.js'
import { buildOpenApi } from '../../../src/gateway/rest/openapi/openapi.js'
import type { AnswerExample } from '../../../src/gateway/rest/openapi/operation/responses.js'
import { restSchema } from '../../../src/schema.js'
import { exampleReleases } from '../../domains/releases/example-release.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import {
  type Arguments,
  callRest,
  exampleArguments,
  type RootField,
  restPath,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { availableDatabases, quickestDatabase } from '../../support/database/database.js'
import { openSqlWorld } from '../../support/database/sql-world.js'
import { type MailServer, startMailServer } from '../../support/peers/mail-server.js'
import { accountExamples, sqlCredentialExamples, withSteadyInstants } from './account-examples.js'

/** A longer one helps nobody who reads the document, so its lists are cut to their first entries. */
const MAX_LENGTH = 2_700
const MAX_TEXT = 600

/** Asked for what the seed knows, where the hints of the arguments alone do not lead to an answer. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  asset_index: { asset_class: 'commodity' },
  forex: { from: '2026-11-16', to: '2026-11-20' },
  forex_cross: { from: '2026-11-16', to: '2026-11-20' },
  screen_leis: { as_of: '2026-11-20T00:00:00Z' },
  check_sanctions: { wallets: ['0x000000000000000000000000000000000000de01'] },
}

/** Days of the calendar, to a year from the day of the test's clock: the database counts them to a year from its own. */
const DAYS = daysBetween(parseIsoDate('2009-01-03') as IsoDate, parseIsoDate('2027-11-20') as IsoDate) + 1

const FILE = '../../../src/gateway/rest/openapi/answer-examples.ts'

const HEADER = `// biome-ignore-all format: one answer a line.
// Real answers over the synthetic world at a fixed time. Written by \`npx vitest run test/contract/documents/openapi-examples.test.ts -u\`.

/** Example requests and responses by operation. */
export const ANSWER_EXAMPLES: Readonly<Record<string, { readonly request: string; readonly answer: unknown }>> = {
`

/** The key of the first example of RFC 8032. */
const SIGNING_KEY = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'

/** An answer with its receipt. */
async function receiptOf(app: TestApp, key: string): Promise<Arguments> {
  const { headers, text } = await app.rest('/v1/forex/cross?base=USD&quote=JPY&from=2026-11-20', {
    ...{ key, headers: { prefer: 'receipt' } },
  })
  return { receipt: headers.get('x-receipt'), answer: text }
}

/** Logins of SQL need a database whose owner may create roles. */
const OF_SQL = ['create_sql_credentials', 'sql_credentials'] as const

describe('examples of answers in the OpenAPI document', () => {
  let app: TestApp
  let mail: MailServer
  let releases: Awaited<ReturnType<typeof exampleReleases>>
  let key: string
  beforeAll(async () => {
    mail = await startMailServer({})
    releases = await exampleReleases()
    app = await startTestApp(quickestDatabase(), {
      env: {
        ...releases.env,
        SIGNING_KEY,
        SMTP_URL: mail.url,
        NEWSLETTER_FROM: 'Market Data <news@gateway.example>',
      },
    })
    const quota = { quotaMonth: 1_000_000, quotaHour: 1_000_000 }
    key = await app.newKey({ tier: 'enterprise', ...quota })
  })
  afterAll(async () => {
    await app?.close()
    await mail?.close()
    await releases?.remove()
  })

  it('equal the gateway’s answers to their requests', { timeout: 60_000 }, async () => {
    const ofAccount = { ...(await sqlExamples()), ...(await accountExamples(app)) }
    const newest = await app.rest<Arguments>('/v1/assets/bitcoin/ai-analysis/latest', { key })
    const { snapshot_id } = newest.body
    const given = {
      ...GIVEN,
      release: releases.named,
      ai_analysis_snapshot: { snapshot_id },
      verify_receipt: await receiptOf(app, key),
    }
    const lines: string[] = []
    for (const root of rootFields()) {
      const example = ofAccount[root.name] ?? (await exampleOf(app, root, key, given))
      if (example !== null) lines.push(`  ${root.name}: ${withSteadyInstants(JSON.stringify(example))},\n`)
    }
    await expect(`${HEADER}${lines.join('')}}\n`).toMatchFileSnapshot(FILE)
  })

  it('exist for every operation whose success has a body', () => {
    const without = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId, responses }) =>
        hasJson(responses) && ANSWER_EXAMPLES[String(operationId)] === undefined ? [operationId] : [],
      ),
    )
    expect(without).toEqual([])
  })

  it('contain marked synthetic data, except catalogues', () => {
    const made = Object.values(ANSWER_EXAMPLES).filter(({ request }) => !request.includes('/star/dim/'))
    for (const { request, answer } of made)
      expect(JSON.stringify(answer), request).not.toMatch(/"is_dev_dataset":false/)
  })

  it('match the schemas of their operations', () => {
    const misfits = Object.entries(ANSWER_EXAMPLES).flatMap(
      ([name, { answer }]) => misfitOf(name, answer) ?? [],
    )
    expect(misfits).toEqual([])
  })

  it.each(['BTC', 'AAPL'])(
    'of a halal analysis of %s match the schema of the hashed content',
    async (ticker) => {
      const found = await app.rest<{ readonly slug: string }>(`/v1/discover/${ticker}`, { key })
      const { slug } = found.body
      const path = `/v1/assets/${slug}/ai-analysis/latest?analysis_type=halal_analysis`
      const { status, body } = await app.rest<{ readonly content: object }>(path, { key })
      expect(status, path).toBe(200)
      expect(body.content).toHaveProperty('aaoifi')
      expect(misfitOf('ai_analysis_latest', body)).toBeNull()
      expect(
        misfitOf('ai_analysis_latest', { ...body, content: { summary: 'Without its figures.' } }),
      ).not.toBeNull()
    },
  )
})

const address = 'https://api.example.com'
const document = await buildOpenApi(restSchema, {
  version: '1.2.3',
  serverUrl: address,
  environment: 'production',
  form: 'full',
})
const ajv = new Ajv2020({ strict: false, validateSchema: false })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi.json')

/** Those of a server with roles; without one, those that were recorded with one. */
async function sqlExamples(): Promise<Readonly<Record<string, AnswerExample>>> {
  if (!availableDatabases().includes('postgres'))
    return Object.fromEntries(
      OF_SQL.flatMap((name) => (ANSWER_EXAMPLES[name] ? [[name, ANSWER_EXAMPLES[name]]] : [])),
    )
  const world = await openSqlWorld('creator of roles')
  try {
    return await sqlCredentialExamples(world.app, await world.app.newKey({ tier: 'pro' }))
  } finally {
    await world.close()
  }
}

type Responses = Readonly<Record<string, { readonly content?: object }>>

function hasJson(responses: unknown): boolean {
  const [success] = Object.values(responses as Responses) // the success comes first
  return success?.content !== undefined && 'application/json' in success.content
}

/** Where an answer is not as OpenAPI has it; null where it fits. */
function misfitOf(name: string, answer: unknown): string | null {
  const [place] = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, responses }]) =>
      operationId === name ? [{ path, method, status: Object.keys(responses as Responses)[0] ?? '' }] : [],
    ),
  )
  if (place === undefined) return `${name} is no operation`
  const pointer = [
    'paths',
    place.path,
    place.method,
    'responses',
    place.status,
    'content',
    'application/json',
    'schema',
  ]
  const parts = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
  const validate = ajv.compile({ $ref: `openapi.json#/${parts.join('/')}` })
  return validate(answer) ? null : `${name}: ${ajv.errorsText(validate.errors)}`
}

/** The request and its answer; null where that is none for a reader. */
async function exampleOf(
  app: TestApp,
  root: RootField,
  key: string,
  given: Readonly<Record<string, Arguments>>,
): Promise<AnswerExample | null> {
  const { rest } = root.endpoint
  if (rest === null || root.operation === 'mutation') return null
  const args = exampleArguments(root, given[root.name] ?? {})
  const { status, body: whole } = await callRest(app, root, rest, args, { key })
  if (status !== 200) return null
  const body = [2, 1].reduce(
    (answer, entries) => (JSON.stringify(answer).length > MAX_LENGTH ? withLists(answer, entries) : answer),
    whole,
  )
  const members = rest.method === 'POST' ? ` ${JSON.stringify(args)}` : ''
  return {
    request: `${rest.method} ${restPath(root, rest, args)}${members}`,
    answer: root.name === 'star_dim_dates' ? withTotal(body, DAYS) : body,
  }
}

/** The answer with no more than so many entries in each list, and with the beginnings of long texts. */
function withLists(value: unknown, entries: number): unknown {
  if (typeof value === 'string' && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT)}…`
  if (Array.isArray(value)) return value.slice(0, entries).map((entry) => withLists(entry, entries))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withLists(member, entries)]))
}

function withTotal(body: unknown, total: number): unknown {
  const answer = body as { readonly meta: object } // an envelope, as all answers of lists
  return { ...answer, meta: { ...answer.meta, total } }
}
