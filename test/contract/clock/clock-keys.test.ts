import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.js'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { reviseRates } from '../../support/database/forex-revisions.js'

const THEN = SEEDED_AT.toISOString()
const LATER = new Date(SEEDED_AT.getTime() + 2 * DAY_MS).toISOString()

interface Key {
  readonly key_id: string
  readonly raw_key: string
  readonly clock: { readonly as_of: string; readonly basis: string } | null
}

let app: TestApp
let key: string
let past: Key
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = (await createAccountWithKey(app.access, { tier: 'enterprise', label: 'maker' })).raw_key
  app.clock.advance(3 * DAY_MS)
  await reviseRates(app.database, 7, new Date(SEEDED_AT.getTime() + DAY_MS))
  past = (await create({ as_of: THEN })).body
})
afterAll(() => app?.close())

const create = (clock: object | null, by = key) =>
  app.rest<Key>('/auth/keys', { method: 'POST', key: by, body: { label: 'past', clock } })
const advance = (keyId: string, clock: object, by = key) =>
  app.rest<Key>(`/auth/keys/${keyId}`, { method: 'PATCH', key: by, body: { clock } })
const messageOf = ({ text }: { readonly text: string }) => text

describe('a key with a clock', () => {
  it('shows its clock when it is created and listed', async () => {
    expect(past.clock).toEqual({ as_of: THEN, basis: 'observed' })
    const { body } = await app.rest<Key>(`/auth/keys/${past.key_id}`, { key })
    expect(body.clock).toEqual(past.clock)
    const list = await app.graphql<{ api_keys: { keys: readonly Key[] } }>(
      '{ api_keys { keys { key_id clock { as_of basis } } } }',
      { key },
    )
    expect(list.body.data?.api_keys.keys.map(({ clock }) => clock)).toEqual([past.clock, null])
  })

  it('is refused for an instant in the future', async () => {
    const future = await create({ as_of: '2030-01-01T00:00:00Z' })
    expect([future.status, messageOf(future)]).toEqual([422, expect.stringContaining('clock.as_of')])
  })

  it('answers by publication where it is made so, also for instants before this gateway knew anything', async () => {
    const at = '2025-06-02T12:00:00.000Z'
    const published = (await create({ as_of: at, basis: 'published' })).body.raw_key
    const questions = ['/v1/forex?quote=USD&from=2025-05-01&to=2025-07-01', '/v1/forex/currencies']
    for (const path of questions) {
      const answer = await app.rest<{ data: readonly object[] }>(path, { key: published })
      const asked = `${path}${path.includes('?') ? '&' : '?'}as_of=${at}&basis=published`
      expect(answer.body.data.length).toBeGreaterThan(0)
      expect(answer.body.data).toEqual((await app.rest<{ data: object }>(asked, { key })).body.data)
    }
    const candles = await app.rest<{ data: readonly { ts: string }[] }>(
      '/v1/assets/bitcoin/ohlcv?timeframe=1d',
      { key: published },
    )
    expect(candles.text).not.toContain('2026-')
    const other = await app.rest('/v1/forex?quote=USD&basis=observed', { key: published })
    expect([other.status, messageOf(other)]).toEqual([
      422,
      expect.stringContaining('basis: must be published'),
    ])
    // Nothing says when analyses were published.
    const none = await app.rest('/v1/assets/bitcoin/ai-analysis/latest', { key: published })
    expect(none.status).toBe(422)
  })

  it('is answered as of then, also by default, in both interfaces', async () => {
    const asked = await app.rest<{ data: readonly object[] }>(
      `/v1/forex?quote=USD&as_of=${THEN}&from=2026-10-21&to=2026-11-20`,
      { key },
    )
    const answer = await app.rest<{ data: readonly object[] }>('/v1/forex?quote=USD', { key: past.raw_key })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual(asked.body.data)
    const query = '{ forex(quote: "USD") { data { date rate } } }'
    const graph = await app.graphql<{ forex: { data: readonly object[] } }>(query, { key: past.raw_key })
    expect(graph.body.data?.forex.data).toEqual(asked.body.data)
    expect(answer.headers.get('x-data-version')).toBeNull()
  })

  it('names an earlier instant only', async () => {
    const before = '2026-11-20T11:00:00.000Z'
    expect((await app.rest(`/v1/forex?quote=USD&as_of=${before}`, { key: past.raw_key })).status).toBe(200)
    const after = await app.rest(`/v1/forex?quote=USD&as_of=${LATER}`, { key: past.raw_key })
    expect([after.status, messageOf(after)]).toEqual([422, expect.stringContaining(THEN)])
  })

  it('changes nothing and makes no key', async () => {
    const { status } = await create(null, past.raw_key)
    expect(status).toBe(422)
    expect((await create({ as_of: THEN }, past.raw_key)).status).toBe(422)
    expect((await advance(past.key_id, { as_of: LATER }, past.raw_key)).status).toBe(422)
    for (const path of ['/v1/billing/sql-credentials', '/v1/webhooks', `/auth/keys/${past.key_id}/rotate`]) {
      const refused = await app.rest(path, { method: 'POST', key: past.raw_key, body: {} })
      expect([path, refused.status]).toEqual([path, 422])
    }
  })

  it('keeps its clock when it is rotated', async () => {
    const old = (await create({ as_of: THEN })).body
    const rotated = await app.rest<Key>(`/auth/keys/${old.key_id}/rotate`, { method: 'POST', key, body: {} })
    expect(rotated.body.clock).toEqual(old.clock)
  })

  it('is advanced by its maker, never back, and sees what became known at once', async () => {
    const own = (await create({ as_of: THEN })).body
    const before = await app.rest('/v1/forex?quote=USD&from=2026-11-01&to=2026-11-20', { key: own.raw_key })
    const moved = await advance(own.key_id, { as_of: LATER })
    expect([moved.status, moved.body.clock]).toEqual([200, { as_of: LATER, basis: 'observed' }])
    const after = await app.rest('/v1/forex?quote=USD&from=2026-11-01&to=2026-11-20', { key: own.raw_key })
    expect(after.text).not.toBe(before.text)
    for (const as_of of [THEN, '2030-01-01T00:00:00Z'])
      expect((await advance(own.key_id, { as_of })).status).toBe(422)
    expect((await advance(own.key_id, { as_of: LATER, basis: 'published' })).status).toBe(422)
    const [plain] = (await app.rest<{ keys: readonly Key[] }>('/auth/keys', { key })).body.keys.filter(
      ({ clock }) => clock === null,
    )
    expect((await advance(plain?.key_id ?? '', { as_of: LATER })).status).toBe(409)
  })
})
