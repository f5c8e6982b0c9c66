import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileRoutes, restEndpoints } from '../../../src/gateway/rest/routes/rest-route.js'
import { restSchema } from '../../../src/schema.js'
import { hintsOf } from '../../../src/schema-kit/endpoint.js'
import { SERIES_CASES } from '../../contract/operations/series-cases.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { exampleArguments } from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

type Row = Readonly<Record<string, unknown>>

/** The bytes that the agent accepts: some rows of each operation and what is beside them. */
const MAX_BYTES = 8_000

/** Operations of agents with rows. */
const TABLES = restEndpoints(restSchema).flatMap((endpoint) => {
  const { field, rest } = endpoint
  const table = compileRoutes(endpoint)[0]?.table
  if (table == null || !rest.path.startsWith('/v1/') || endpoint.rootType !== 'Query') return []
  const limit = field.args.find(({ name }) => name === 'limit')
  return [
    { name: field.name, endpoint, table, most: limit === undefined ? null : (hintsOf(limit).maximum ?? 0) },
  ]
})

/** Nothing that it could be asked for is there. */
const WITHOUT_ROWS = ['webhook_events', 'releases', 'incidents']

const LIMITED = TABLES.filter(({ name, most }) => most !== null && !WITHOUT_ROWS.includes(name))

describe('a result that is larger than an agent accepts', { timeout: 120_000 }, () => {
  let app: TestApp
  let key: string
  let agent: Client
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'pro' })
    agent = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const requestInit = { headers: { 'x-api-key': key } }
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }))
  })
  afterAll(async () => {
    await agent?.close()
    await app?.close()
  })

  const run = async (operation: string, args: Row, maxBytes = MAX_BYTES) => {
    const { content, structuredContent, isError } = await agent.callTool({
      name: 'run',
      arguments: { operation, arguments: args, max_bytes: maxBytes },
    })
    const [first] = content as readonly { readonly text: string }[]
    return { text: first?.text ?? '', body: structuredContent, isError: isError ?? false }
  }
  const unitsLeft = async () =>
    Number((await app.rest('/v1/assets/bitcoin', { key })).headers.get('x-ratelimit-remaining'))
  const argumentsOf = ({ name, endpoint }: (typeof TABLES)[number]): Row =>
    SERIES_CASES[name]?.args ?? exampleArguments({ ...endpoint, name, operation: 'query' }, {})

  it.each(LIMITED)(
    'of $name is refused before anything is read, with the limit that fits',
    async (operation) => {
      const { name, table, most } = operation
      const args = argumentsOf(operation)
      let limit = most ?? 0
      const before = await unitsLeft()
      let answer = await run(name, { ...args, limit })
      const units = before - (await unitsLeft()) - 1
      expect([answer.isError, units, answer.text]).toEqual([
        true,
        0,
        expect.stringMatching(
          /would have \d+ rows and about \d+ bytes, and at most 8000 are accepted. Set limit to \d+,/,
        ),
      ])
      // Longer texts than usual show when they are read; the second limit counts their bytes.
      for (let step = 0; answer.isError && step < 2; step++) {
        const next = Number(/Set limit to (\d+), or a shorter range/.exec(answer.text)?.[1])
        expect([next > 0 && next < limit, answer.text]).toEqual([true, answer.text])
        limit = next
        answer = await run(name, { ...args, limit })
      }
      expect([answer.isError, answer.isError && answer.text]).toEqual([false, false])
      const rows = table.path.reduce((value, member) => (value as Row)[member], answer.body as unknown)
      expect((rows as readonly Row[]).length).toBeLessThanOrEqual(limit)
    },
  )

  it.each([
    ['forex', { quote: 'USD', from: '1999-01-04' }],
    ['forex_cross', { base: 'USD', quote: 'GBP', from: '1999-01-04' }],
    ['calendar', { code: 'XNYS', from: '2024-01-01', to: '2026-11-20' }],
    ['asset_index', {}],
  ])(
    'of %s, which has no limit, is refused before anything is read, with what else would fit',
    async (name, args) => {
      const before = await unitsLeft()
      const { isError, text } = await run(name, args, 4_000)
      expect([isError, before - (await unitsLeft()) - 1, text]).toEqual([
        true,
        0,
        expect.stringMatching(/would have \d+ rows .* Request less, by a shorter range or a filter/),
      ])
    },
  )

  it('is estimated by the size of a row within a factor of three', async () => {
    const small = LIMITED.filter(({ table, most }) => (most ?? 0) * table.rowBytes <= MAX_BYTES)
    expect([LIMITED.length > 30, small.map(({ name }) => name)]).toEqual([true, []])
    const ratios: (readonly [string, number])[] = []
    for (const operation of LIMITED) {
      const { body } = await run(operation.name, { ...argumentsOf(operation), limit: 20 }, 1_000_000)
      const { name, table } = operation
      const rows = table.path.reduce(
        (value, member) => (value as Row)[member],
        body as unknown,
      ) as readonly Row[]
      ratios.push([name, (table.rowBytes * rows.length) / JSON.stringify(rows).length])
    }
    expect(ratios.filter(([, ratio]) => !(ratio > 0.33 && ratio < 3))).toEqual([])
  })
})
