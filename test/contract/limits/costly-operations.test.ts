import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { LARGE_OPERATION } from '../../support/app/large-operation.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'
import { eventually } from '../../support/eventually.js'
import { socketClient } from '../../support/peers/socket-client.js'

/** Half a year of days of all crypto assets: more than 20,000 values. Each number makes another request of it. */
const RANGE = (number: number) => `from=2026-06-01&limit=${10_000 - number}`
const QUERY = (number: number) =>
  `{ candles(from: "2026-06-01", limit: ${10_000 - number}) { data { slug ts vwap_usd volume_usd } } }`
const TOO_MANY = /at most 2 operations of more than 20000 values at once/

let app: TestApp
let database: Database
let key: string
let number = 0
/** Statements that read candles wait for it. */
let gate: Promise<void> | undefined
let held = 0
beforeAll(async () => {
  database = await openTestDatabase(quickestDatabase(), 'seeded')
  // The first hour of the history of one asset, so that hours since then are more rows than an agent accepts.
  await database.rows(
    `insert into candle (asset_id, timeframe, ts, exchanges_count, methodology_version, sources, source, known_from)
     select min(asset_id), '1h', '2024-06-01', 0, 'm', '\\x01', 'test', '2024-06-02' from candle`,
  )
  const gated = interposed(database, (sql) => {
    if (!sql.includes('array_agg(c.vwap_usd') || gate === undefined) return
    held += 1
    return gate
  })
  app = await startTestApp(quickestDatabase(), { database: gated })
})
afterEach(() => {
  gate = undefined
  held = 0
})
afterAll(async () => {
  await app?.close()
  await database?.close()
})

/** Sends a costly operation and returns the text of the answer. */
type Send = (key: string, number: number) => Promise<string>

const rest =
  (path: string): Send =>
  async (sender, own) =>
    (await fetch(`${app.url}${path}?${RANGE(own)}`, { headers: { 'x-api-key': sender } })).text()

const SENDERS: readonly (readonly [string, Send])[] = [
  ['REST', rest('/v1/candles')],
  ['a CSV file', rest('/v1/candles.csv')],
  ['an NDJSON file', rest('/v1/candles.ndjson')],
  ['a Parquet file', rest('/v1/candles.parquet')],
  ['an Arrow file', rest('/v1/candles.arrow')],
  ['GraphQL', async (sender, own) => (await app.graphql(QUERY(own), { key: sender })).text],
  ['WebSocket', sendBySocket],
  ['MCP', sendByMcp],
]

async function sendBySocket(sender: string, own: number): Promise<string> {
  const client = socketClient(app.url, { 'X-API-Key': sender })
  try {
    return await new Promise<string>((resolve) => {
      client.subscribe(
        { query: QUERY(own) },
        {
          next: (result) => resolve(JSON.stringify(result)),
          error: (errors) => resolve(JSON.stringify(errors)),
          complete: () => {},
        },
      )
    })
  } finally {
    await client.dispose()
  }
}

/** As many rows as a result of a tool may have; more than that for a negative number. */
async function sendByMcp(sender: string, own: number): Promise<string> {
  const days = { from: '2026-06-01', limit: 3_000 - own }
  const given = own < 0 ? { from: '2024-06-01', timeframe: '1h', limit: 50_000 } : days
  const response = await fetch(`${app.url}/mcp?toolset=full`, {
    method: 'POST',
    headers: {
      'x-api-key': sender,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'candles', arguments: given },
    }),
  })
  return response.text()
}

async function usedOf(sender: string): Promise<number | undefined> {
  const { body } = await app.rest<{ policies: readonly { used: number }[] }>('/v1/usage', { key: sender })
  return body.policies[0]?.used
}

describe('costly operations of one account', () => {
  it.each(SENDERS)('are refused while two run that were sent by %s', async (_name, send) => {
    key = await app.newKey({ tier: 'enterprise' })
    let letGo = () => {}
    gate = new Promise((resolve) => {
      letGo = resolve
    })
    const running = [send(key, number++), send(key, number++)]
    await eventually(() => expect(held).toBe(2))
    const used = await usedOf(key)
    for (const [name, other] of SENDERS) {
      const answer = await other(key, number++)
      expect([name, answer]).toEqual([name, expect.stringMatching(TOO_MANY)])
    }
    expect(await usedOf(key)).toBe(used)
    const other = await app.newKey({ tier: 'enterprise' })
    const others = SENDERS.slice(0, 2).map(([, ask]) => ask(other, number++))
    letGo()
    gate = undefined
    for (const answer of await Promise.all(others)) expect(answer).not.toMatch(TOO_MANY)
    for (const answer of await Promise.all(running)) expect(answer).not.toMatch(TOO_MANY)
    // The permits are free once the answers have been read.
    for (const [name, other] of SENDERS) {
      const answer = await other(key, number++)
      expect([name, answer]).toEqual([name, expect.not.stringMatching(TOO_MANY)])
    }
  })

  it('hold their permits until the answers are read or the connections end', async () => {
    key = await app.newKey({ tier: 'enterprise' })
    const unread = await Promise.all(
      [1, 2].map(async (more) => {
        const query = LARGE_OPERATION.replace('limit: 20', `limit: ${20 + more}`)
        const path = `/graphql?query=${encodeURIComponent(query)}`
        const asked = get(app.url + path, { headers: { 'x-api-key': key }, agent: false })
        const [response] = (await once(asked, 'response')) as [IncomingMessage]
        response.on('error', () => {})
        return response.pause()
      }),
    )
    expect(unread.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(await rest('/v1/candles')(key, number++)).toMatch(TOO_MANY)
    unread[0]?.destroy()
    await eventually(async () => expect(await rest('/v1/candles')(key, number++)).not.toMatch(TOO_MANY))
  })

  it('are refused to an agent before their rows are read if it cannot accept so many', async () => {
    key = await app.newKey({ tier: 'enterprise' })
    gate = new Promise(() => {})
    const used = await usedOf(key)
    expect(await sendByMcp(key, -1)).toMatch(/Set limit to \d+, or a shorter range/)
    expect([held, await usedOf(key)]).toEqual([0, used])
  })

  it('give the same JSON in slices as a small operation at once', async () => {
    key = await app.newKey({ tier: 'enterprise' })
    const headers = { 'x-api-key': key }
    const answer = await fetch(`${app.url}/v1/candles?${RANGE(number++)}`, { headers })
    expect(answer.status).toBe(200)
    const large = await answer.text()
    const small = await (await fetch(`${app.url}/v1/candles?from=2026-06-01&limit=100`, { headers })).text()
    const rows = small.slice(0, small.indexOf('],"next_cursor"'))
    expect(rows.length).toBeGreaterThan(10_000)
    expect(large.slice(0, rows.length)).toBe(rows)
    expect(Object.keys(JSON.parse(large))).toEqual(Object.keys(JSON.parse(small)))
  })
})
