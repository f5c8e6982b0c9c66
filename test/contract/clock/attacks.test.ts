import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import type { Answer, CallOptions } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { RawSocket } from '../../support/peers/socket-client.js'
import { LATER_MARK } from './later-facts.js'
import { type ClockedApp, INSTANTS, LEARNED_AT, startTwoWorlds, type TwoWorlds } from './two-worlds.js'

let worlds: TwoWorlds
beforeAll(async () => {
  worlds = await startTwoWorlds(quickestDatabase())
})
afterAll(() => worlds?.close())

const RATES = '/v1/forex?quote=USD&from=2026-11-01'
const THEN = INSTANTS.seeded.toISOString()

const keyOf = ({ past }: ClockedApp) => past.seeded ?? ''
const ask = (path: string, options: CallOptions = {}) =>
  worlds.later.app.rest<Json>(path, { key: keyOf(worlds.later), ...options })

/** The same request in both worlds. */
const askBoth = (path: string, options: CallOptions = {}) =>
  Promise.all(
    [worlds.later, worlds.earlier].map((world) =>
      world.app.rest<Json>(path, { key: keyOf(world), ...options }),
    ),
  )

type Json = Readonly<Record<string, unknown>>

const graphql = (query: string, options: CallOptions = {}): CallOptions & { readonly body: unknown } => ({
  method: 'POST',
  body: { query },
  ...options,
})

/** What an agent without a clock sees of the same: it has the later facts. */
const marksOf = ({ text, headers }: Answer) => (text + JSON.stringify([...headers])).match(LATER_MARK) ?? []

function headersOf({ headers }: Answer): readonly string[] {
  return [...headers].map(([name]) => name).sort()
}

describe('an agent that has only a key with a clock', () => {
  it('would see the later facts without a clock', async () => {
    expect(marksOf(await ask(RATES, { key: worlds.later.key }))).not.toEqual([])
    expect(marksOf(await ask(RATES))).toEqual([])
  })

  it.each([
    ['a later as_of', `${RATES}&as_of=2026-11-22T00:00:00Z`, 422],
    ['the present as as_of', `${RATES}&as_of=2026-11-23T12:00:00Z`, 422],
    ['an instant of another zone', `${RATES}&as_of=2026-11-20T23:00:00%2B09:00`, 422],
    ['a later known_at of a fund', '/v1/etf/SPY?known_at=2026-11-22T00:00:00Z', 422],
    ['a release of later', `${RATES}&release=forex/20261122T000000.000Z-0123456789ab`, 404],
    ['the list of changes', '/v1/ai-analysis/changes', 422],
    ['the newest analysis', '/v1/assets/bitcoin/ai-analysis/latest', 422],
    ['the search', '/v1/assets/search?q=zzlater', 422],
    ['the whole catalogue', '/v1/assets/index', 422],
    ['the list of assets', '/v1/assets', 422],
    ['the star schema', '/v1/star/fact/vwap-consensus?limit=1', 422],
    ['the datasets, which are open to all', '/v1/datasets', 422],
    ['the status, which is open to all', '/status', 422],
    ['the incidents', '/v1/incidents', 422],
    ['its own usage', '/v1/usage', 422],
    ['the list of keys', '/auth/keys', 422],
    ['the list of SQL logins', '/v1/billing/sql-credentials', 422],
    ['the webhooks', '/v1/webhooks', 422],
    ['the newsletter', '/v1/newsletter/preview', 422],
    ['an asset of later', '/v1/assets/zzlater-coin/ohlcv', 404],
    ['a ticker of later', '/v1/stocks/ZZLS/dividends', 404],
    ['a currency of later', '/v1/forex?quote=ZZL', 422],
    ['a macro series of later', '/v1/macro/series/bis/WS_TC.ZZLATER', 404],
    ['a later file', '/v1/candles.parquet?slugs=zzlater-coin', 404],
  ])('is refused or answered as of then: %s', async (_what, path, status) => {
    const [later, earlier] = await askBoth(path)
    expect([path, later?.status]).toEqual([path, status])
    expect(later?.text.replace(/request_id":"[^"]*/, '')).toBe(
      earlier?.text.replace(/request_id":"[^"]*/, ''),
    )
  })

  it.each([
    ['key without a clock', 'POST', '/auth/keys', { label: 'free' }],
    [
      'key with a later clock',
      'POST',
      '/auth/keys',
      { label: 'free', clock: { as_of: LEARNED_AT.toISOString() } },
    ],
    ['SQL login', 'POST', '/v1/billing/sql-credentials', {}],
    ['webhook', 'POST', '/v1/webhooks', { url: 'https://hooks.example/x', events: ['RESTATEMENT'] }],
  ])('makes no %s', async (_what, method, path, body) => {
    expect((await ask(path, { method, body })).status).toBe(422)
  })

  it('does not advance, rotate or end its own key', async () => {
    const { body } = await worlds.later.app.rest<{ keys: readonly { key_id: string; label: string }[] }>(
      '/auth/keys',
      {
        key: worlds.later.key,
      },
    )
    const id = body.keys.find(({ label }) => label === 'seeded')?.key_id
    const clock = { as_of: LEARNED_AT.toISOString() }
    expect((await ask(`/auth/keys/${id}`, { method: 'PATCH', body: { clock } })).status).toBe(422)
    expect((await ask(`/auth/keys/${id}/rotate`, { method: 'POST', body: {} })).status).toBe(422)
    expect((await ask(`/auth/keys/${id}`, { method: 'DELETE' })).status).toBe(422)
    const mutation = `mutation { advance_api_key(key_id: "${id}", clock: { as_of: "${clock.as_of}" }) { key_id } }`
    expect((await ask('/graphql', graphql(mutation))).status).toBe(422)
  })

  it('gets nothing by aliases, fragments, variables, nested fields or global ids', async () => {
    const queries = [
      `{ a: forex(quote: "USD") { data { date rate } } b: forex(quote: "USD", as_of: "2026-11-22T00:00:00Z") { data { rate } } }`,
      `query Q($at: DateTime = "2026-11-22T00:00:00Z") { forex(quote: "USD", as_of: $at) { data { rate } } }`,
      `{ forex(quote: "USD", as_of: null) { data { date rate } } }`,
      `{ ohlcv(id: "bitcoin") { data { ticker asset { name price_consensus_usd } } } }`,
      `{ etf_holdings(ticker: "SPY") { data { name instrument { name ticker } } } }`,
      `{ macro_series(provider: boj, key: "MD01.MABS1AN11") { data { value revisions { value known_from } } } }`,
      `{ asset(id: "zzlater-coin") { data { name } } }`,
      `{ asset_index { data { slug } } }`,
      `{ datasets { data { dataset version last_updated_at } } }`,
      `{ node(id: "QXNzZXRDYXJkOjE=") { id } }`,
      `{ _entities(representations: [{ __typename: "AssetCard", asset_id: 1 }]) { __typename } }`,
      `{ ohlcv(by: { asset_id: 900001 }) { data { ticker } } }`,
    ]
    for (const query of queries) {
      const [later, earlier] = await askBoth('/graphql', graphql(query))
      expect([query, later === undefined ? [] : marksOf(later)]).toEqual([query, []])
      const bare = (answer: Answer | undefined) =>
        answer?.text.replace(/"request_id":"[^"]*"|"remaining":\d+/g, '')
      expect(bare(later)).toBe(bare(earlier))
    }
  })

  it('gets its own answer by a persisted operation that another key has used', async () => {
    const query = '{ forex(quote: "USD", from: "2026-11-01") { data { date rate } } }'
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256Hex(query) } }
    const now = await ask('/graphql', { method: 'POST', body: { query, extensions }, key: worlds.later.key })
    expect(marksOf(now)).not.toEqual([])
    expect(marksOf(await ask('/graphql', { method: 'POST', body: { extensions } }))).toEqual([])
  })

  it('gets neither the cached answer of another key nor its entity tag, and no version of data', async () => {
    const other = await ask(RATES, { key: worlds.later.key })
    await ask(RATES, { key: worlds.later.key })
    const tag = other.headers.get('etag') ?? ''
    for (const tags of [tag, tag.replace('W/', '')]) {
      const { status } = await ask(RATES, { headers: { 'if-none-match': tags } })
      expect([tags, status]).toEqual([tags, 200])
    }
    const [own, earlier] = await askBoth(RATES)
    expect(own?.headers.get('etag')).toBe(earlier?.headers.get('etag'))
    expect(own?.headers.get('x-data-version')).toBeNull()
    expect((await ask(RATES, { headers: { 'if-none-match': own?.headers.get('etag') ?? '' } })).status).toBe(
      304,
    )
    // Nor does another key get the answer of then.
    expect(marksOf(await ask(RATES, { key: worlds.later.key }))).not.toEqual([])
    const hits = worlds.later.app.logLines.filter((line) => line.includes('"cache_hit":true'))
    expect(hits.filter((line) => line.includes(tag))).toEqual([])
  })

  it('gets the same headers by HEAD, and no method or dry run tells more', async () => {
    const options = { method: 'HEAD' }
    const [later, earlier] = await askBoth(RATES, options)
    expect(later && headersOf(later)).toEqual(earlier && headersOf(earlier))
    expect((await ask(RATES, { method: 'OPTIONS' })).text).toBe('')
    const dry = await ask(RATES, { headers: { 'x-dry-run': 'cost' } })
    expect(marksOf(dry)).toEqual([])
  })

  it('verifies no receipt, which would run a later request again', async () => {
    const body = { receipt: 'eyJhbGciOiJFZERTQSJ9.e30.AA', answer: '{}' }
    expect((await ask('/v1/receipts/verify', { method: 'POST', body })).status).toBe(422)
  })

  it('goes on with no cursor of a later page', async () => {
    const path = '/v1/candles?slugs=bitcoin&limit=1'
    const { body } = await ask(path, { key: worlds.later.key })
    const [later, earlier] = await askBoth(`${path}&cursor=${String(body.next_cursor)}`)
    expect(later?.text).toBe(earlier?.text)
  })

  it('is a 400 beside a second credential, in headers, query or WebSocket', async () => {
    const { key } = worlds.later
    const bearer = { authorization: `Bearer ${key}` }
    expect((await ask(RATES, { headers: bearer })).status).toBe(400)
    expect([400, 401]).toContain((await ask(`${RATES}&token=${key}`)).status)
    const socket = await new RawSocket(worlds.later.app.url).opened()
    socket.send({
      type: 'connection_init',
      payload: { 'X-API-Key': keyOf(worlds.later), Authorization: `Bearer ${key}` },
    })
    expect((await socket.closed).code).toBeGreaterThanOrEqual(4400)
  })

  it('gets no subscription, over WebSocket or as server-sent events', async () => {
    const query = 'subscription { forex(quote: "USD") { date rate } }'
    const events = await ask('/graphql', graphql(query, { headers: { accept: 'text/event-stream' } }))
    expect([events.status, events.text]).toEqual([422, expect.stringContaining('as of an instant')])
    const socket = await new RawSocket(worlds.later.app.url).initialised(keyOf(worlds.later))
    socket.send({ id: '1', type: 'subscribe', payload: { query } })
    const texts: string[] = []
    for (let type = ''; type !== 'error' && type !== 'complete'; ) {
      const message = await socket.next()
      type = message.type
      texts.push(JSON.stringify(message))
    }
    expect(texts.join()).toContain('as of an instant')
    socket.socket.close()
  })

  it('gets as much history as its scopes allow today, not as of then', async () => {
    const { app } = worlds.later
    const account = await app.newKey({ tier: 'free' })
    const clock = { as_of: '2024-11-30T00:00:00Z' }
    const made = await app.rest<{ raw_key: string }>('/auth/keys', {
      method: 'POST',
      key: account,
      body: { label: 'old', clock },
    })
    const { status } = await app.rest('/v1/assets/bitcoin/ohlcv', { key: made.body.raw_key })
    expect([403, 404]).toContain(status)
  })

  it.each(['search', 'describe', 'run', 'price', 'convert', 'screen'])(
    'learns nothing by the tool %s',
    async (name) => {
      const given: Readonly<Record<string, object>> = {
        search: { query: 'zzlater coin' },
        describe: { operation: 'datasets' },
        run: { operation: 'datasets' },
        price: { asset: 'zzlater-coin' },
        convert: { text: '1 EUR in ZZL' },
        screen: { imos: ['9187629'] },
      }
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: given[name] },
      }
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
      const [later, earlier] = await askBoth('/mcp', { method: 'POST', body: message, headers })
      const bare = (answer: Answer | undefined) => answer?.text.replace(/request_id\\":\\"[^"]*"/g, '')
      expect(later?.status).toBe(200)
      expect(bare(later)).toBe(bare(earlier))
    },
  )

  it('sees its own instant as the age of everything', async () => {
    const { body } = await ask('/v1/assets/bitcoin/ohlcv?limit=1')
    expect(body._meta).toMatchObject({
      last_updated_at: THEN,
      data_freshness_seconds: 0,
      freshness_status: 'fresh',
    })
  })
})
