import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { daysBetween, type IsoDate, parseIsoDate } from '../../../src/core/time.js'
import { ANSWER_EXAMPLES } from '../../../src/gateway/rest/openapi/answer-examples.js'
import { buildOpenApi } from '../../../src/gateway/rest/openapi/openapi.js'
import { restSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import {
  callRest,
  exampleArguments,
  type RootField,
  restPath,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

/** A longer one helps nobody who reads the document. */
const MAX_LENGTH = 2_700
/** Shown although longer: the only one that sets `fallback_used`. */
const ALWAYS_SHOWN = 'stock_fundamentals'

/** Asked for what the seed knows, where the hints of the arguments alone do not lead to an answer. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  asset_index: { asset_class: 'commodity' },
  forex: { from: '2026-11-16', to: '2026-11-20' },
  forex_cross: { from: '2026-11-16', to: '2026-11-20' },
}

/** Days of the calendar, to a year from the day of the test's clock: the database counts them to a year from its own. */
const DAYS = daysBetween(parseIsoDate('2009-01-03') as IsoDate, parseIsoDate('2027-11-20') as IsoDate) + 1

const FILE = '../../../src/gateway/rest/openapi/answer-examples.ts'

const HEADER = `// biome-ignore-all format: one answer a line.
// Real answers over the synthetic world at a fixed time. Written by \`npx vitest run test/contract/documents/openapi-examples.test.ts -u\`.

/** Example requests and responses by operation. */
export const ANSWER_EXAMPLES: Readonly<Record<string, { readonly request: string; readonly answer: unknown }>> = {
`

/** What is asked for and about datasets: what is about the caller differs from caller to caller. */
const asked = rootFields().filter(
  ({ operation, endpoint }) => operation === 'query' && endpoint.rest !== null && endpoint.reads !== null,
)

describe('examples of answers in the OpenAPI document', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    const quota = { quotaMonth: 1_000_000, quotaHour: 1_000_000 }
    key = await app.newKey({ tier: 'enterprise', ...quota })
  })
  afterAll(() => app?.close())

  it('equal the gateway’s answers to their requests', async () => {
    const lines: string[] = []
    for (const root of asked) {
      const example = await exampleOf(app, root, key)
      if (example !== null) lines.push(`  ${root.name}: ${JSON.stringify(example)},\n`)
    }
    await expect(`${HEADER}${lines.join('')}}\n`).toMatchFileSnapshot(FILE)
  })

  it('contain marked synthetic data, except catalogues, and cover most operations', () => {
    const examples = Object.values(ANSWER_EXAMPLES)
    const made = examples.filter(({ request }) => !request.includes('/star/dim/'))
    expect(examples.length).toBeGreaterThan(asked.length * 0.7)
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
  sampleUrl: address,
  environment: 'production',
  form: 'full',
})
const ajv = new Ajv2020({ strict: false, validateSchema: false })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi.json')

/** Where an answer is not as OpenAPI has it; null where it fits. */
function misfitOf(name: string, answer: unknown): string | null {
  const [place] = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId }]) =>
      operationId === name ? [{ path, method }] : [],
    ),
  )
  if (place === undefined) return `${name} is no operation`
  const pointer = [
    'paths',
    place.path,
    place.method,
    'responses',
    '200',
    'content',
    'application/json',
    'schema',
  ]
  const parts = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
  const validate = ajv.compile({ $ref: `openapi.json#/${parts.join('/')}` })
  return validate(answer) ? null : `${name}: ${ajv.errorsText(validate.errors)}`
}

/** The request and its answer; null where that is none for a reader. */
async function exampleOf(app: TestApp, root: RootField, key: string) {
  const { rest } = root.endpoint
  if (rest === null) return null
  const args = exampleArguments(root, GIVEN[root.name] ?? {})
  const { status, body, text } = await callRest(app, root, rest, args, { key })
  if (status !== 200 || (text.length > MAX_LENGTH && root.name !== ALWAYS_SHOWN)) return null
  const members = rest.method === 'POST' ? ` ${JSON.stringify(args)}` : ''
  return {
    request: `${rest.method} ${restPath(root, rest, args)}${members}`,
    answer: root.name === 'star_dim_dates' ? withTotal(body, DAYS) : body,
  }
}

function withTotal(body: unknown, total: number): unknown {
  const answer = body as { readonly meta: object } // an envelope, as all answers of lists
  return { ...answer, meta: { ...answer.meta, total } }
}
