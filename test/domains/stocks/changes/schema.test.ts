import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACTION_CHANGES } from '../../../../src/domains/stocks/changes/change-store.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../../support/database/database.js'
import { action, landActions } from './action-world.js'

interface Item {
  readonly change_id: string
  readonly asset_id: string
  readonly ticker: string
  readonly action_type: string
  readonly change_kind: string
  readonly is_withdrawn: boolean
  readonly before: object | null
  readonly after: object | null
  readonly changed_fields: readonly string[]
  readonly recorded_at: string
  readonly source: string
}
interface Page {
  readonly items: readonly Item[]
  readonly has_more: boolean
  readonly next_cursor: string | null
  readonly total_count: number | null
  readonly meta: { readonly is_dev_dataset: boolean; readonly source: string }
  readonly _meta: { readonly sources: readonly string[] }
}
interface Refusal {
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const PATH = '/v1/corporate-actions/changes'

describe('changes of corporate actions', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), { database })
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const rest = <Body = Page>(search = '', headers: Record<string, string> = {}) =>
    app.rest<Body>(`${PATH}${search}`, { key, headers })

  it('are paged by a cursor: each item once, with the total on the first page only', async () => {
    const first = await rest('?limit=50')
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ has_more: true, meta: { is_dev_dataset: true, source: 'seed' } })
    const items = [...first.body.items]
    for (let cursor = first.body.next_cursor; cursor !== null; ) {
      const { body } = await rest(`?limit=50&cursor=${cursor}`)
      expect(body.total_count).toBeNull()
      items.push(...body.items)
      cursor = body.next_cursor
    }
    expect(items).toHaveLength(first.body.total_count ?? 0)
    expect(new Set(items.map(({ change_id }) => change_id)).size).toBe(items.length)
    const [stored] = await app.database.rows<{ actions: number; dividends: number; tickers: number }>(
      `select (select count(*) from corporate_action)::int as actions, (select count(*) from dividend)::int as dividends,
         (select count(*) from instrument_identifier where scheme = 'ticker' and valid_to is not null)::int as tickers`,
    )
    const of = (types: readonly string[]) =>
      items.filter(({ action_type }) => types.includes(action_type)).length
    expect(of(['split', 'reverse_split', 'spin_off', 'merger'])).toBe(stored?.actions)
    expect(of(['dividend'])).toBe(stored?.dividends)
    expect(of(['ticker_change'])).toBe(stored?.tickers)
    expect(new Set(items.map(({ change_kind }) => change_kind))).toEqual(new Set(['created']))
  })

  it('are the same in GraphQL, with the terms and the asset', async () => {
    const { body } = await rest('?limit=3&action_type=dividend')
    const fields =
      'change_id asset_id ticker action_type change_kind is_withdrawn changed_fields known_from recorded_at source'
    const terms = 'ex_date ratio value_ratio description former_ticker pay_date amount currency frequency'
    const answer = await app.graphql<{ corporate_action_changes: Page }>(
      `{ corporate_action_changes(limit: 3, action_type: dividend) {
        items { ${fields} before { ${terms} } after { ${terms} } asset { slug } } has_more next_cursor total_count } }`,
      { key },
    )
    expect(answer.body.errors).toBeUndefined()
    const { items, ...page } = answer.body.data?.corporate_action_changes ?? { items: [] }
    expect(items).toMatchObject(body.items)
    expect(items.map((item) => (item as { asset?: { slug: string } }).asset?.slug)).toEqual(
      body.items.map(({ asset_id }) => asset_id),
    )
    expect(body).toMatchObject(page)
  })

  it('are narrowed by ticker, kind and time', async () => {
    const ofTicker = await rest('?ticker=meta&limit=100')
    expect(new Set(ofTicker.body.items.map(({ asset_id }) => asset_id)).size).toBe(1)
    expect(ofTicker.body.items.map(({ action_type }) => action_type)).toContain('ticker_change')
    expect(ofTicker.body.total_count).toBe(ofTicker.body.items.length)
    const none = await rest(`?since=${new Date(SEEDED_AT.getTime() + 86_400_000).toISOString()}`)
    expect(none.body).toMatchObject({ items: [], total_count: 0, has_more: false, next_cursor: null })
    expect((await rest('?change_kind=revised')).body.total_count).toBe(0)
    expect((await rest('?ticker=META&mic=XNAS&limit=100')).body.items).toEqual(ofTicker.body.items)
  })

  it('refuse wrong arguments with 422, an unknown or former ticker with 404, a caller without the scope with 403', async () => {
    for (const [search, field] of [
      ['?cursor=nonsense', 'cursor'],
      ['?limit=101', 'limit'],
      ['?mic=XNAS', 'mic'],
      ['?ticker=%20', 'ticker'],
      ['?action_type=bonus', 'action_type'],
    ]) {
      const { status, body } = await rest<Refusal>(search)
      expect([search, status, body.details?.[0]?.field]).toEqual([search, 422, field])
    }
    const former = await rest<Refusal>('?ticker=FB')
    expect([former.status, former.body.message]).toEqual([404, expect.stringContaining('META')])
    expect((await rest('?ticker=ZZZZ')).status).toBe(404)
    expect((await rest('?ticker=META&mic=XETR')).status).toBe(404)
    const other = await app.newKey({ tier: 'growth', scopes: ['ai:read'] })
    expect((await app.rest(PATH, { key: other })).status).toBe(403)
    expect((await app.rest(PATH, { key: await app.newKey({ tier: 'free' }) })).status).toBe(403)
  })

  it('are revalidated by an entity tag, which a new change replaces', async () => {
    const first = await rest('?limit=1')
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const tag = first.headers.get('etag') ?? ''
    expect((await rest('?limit=1', { 'if-none-match': tag })).status).toBe(304)
    const [stock] = await app.database.rows<{ id: number }>(
      "select asset_id as id from asset where ticker = 'META'",
    )
    await app.database.rows("delete from dataset_state where dataset = 'corporate_actions'")
    await landActions(app.database, [action({ assetId: stock?.id ?? 0 })])
    await landActions(app.database, [action({ assetId: stock?.id ?? 0, description: 'Confirmed.' })])
    const second = await rest('?limit=2', { 'if-none-match': tag })
    expect(second.status).toBe(200)
    expect(second.body.items).toMatchObject([
      {
        ...{ ticker: 'META', change_kind: 'revised', changed_fields: ['description'], source: 'operator' },
        ...{ before: { ratio: 4, description: null }, after: { ratio: 4, description: 'Confirmed.' } },
      },
      { ticker: 'META', change_kind: 'created', before: null, changed_fields: [], is_withdrawn: false },
    ])
  })

  it('are the data of events of webhooks, byte for byte', async () => {
    const { body } = await rest('?limit=50')
    const rows = await app.database.rows<{ id: number }>(
      'select diff_id as id from corporate_action_change order by computed_at desc, diff_id desc limit 50',
    )
    const messages = await ACTION_CHANGES.loadMessages(
      app.database,
      rows.map(({ id }) => id),
    )
    const byId = new Map(messages.map((message) => [message.diffId, message.item]))
    expect(body.items).toHaveLength(50)
    expect(JSON.stringify(rows.map(({ id }) => byId.get(id)))).toBe(JSON.stringify(body.items))
  })
})
