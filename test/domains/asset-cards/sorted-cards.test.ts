import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_SORTED } from '../../../src/domains/asset-cards/sorted-cards.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { availableDatabases } from '../../support/database/database.js'

interface Card {
  readonly asset_id: number
  readonly ticker: string
  readonly name: string
  readonly tier: number | null
  readonly price_consensus_usd: number | null
  readonly market_cap_derived_usd: number | null
  readonly last_updated: string
}
interface Page {
  readonly data: readonly Card[]
  readonly meta: { readonly total: number; readonly has_next: boolean }
}

const KEYS = {
  name: ({ name }: Card) => name.toLowerCase(),
  price: ({ price_consensus_usd }: Card) => price_consensus_usd,
  market_cap: ({ market_cap_derived_usd }: Card) => market_cap_derived_usd,
  tier: ({ tier }: Card) => tier,
  last_updated: ({ last_updated }: Card) => Date.parse(last_updated),
}

const FIELDS = 'asset_id ticker name tier price_consensus_usd market_cap_derived_usd last_updated'

describe.each(availableDatabases())('a sorted list of assets on %s', (kind) => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(kind)
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const page = async (search: string) => (await app.rest<Page>(`/v1/assets?${search}`, { key })).body
  /** All pages of a list, put together. */
  const all = async (search: string) => {
    const cards: Card[] = []
    for (let more = true; more; ) {
      const { data, meta } = await page(`${search}&limit=60&offset=${cards.length}`)
      cards.push(...data)
      more = meta.has_next
    }
    return cards
  }
  const expected = (
    cards: readonly Card[],
    keyOf: (card: Card) => string | number | null,
    isDescending: boolean,
  ) => {
    const sign = isDescending ? -1 : 1
    return cards.toSorted((a, b) => {
      const [left, right] = [keyOf(a), keyOf(b)]
      if (left === right) return a.asset_id - b.asset_id
      if (left === null || right === null) return left === null ? 1 : -1
      return left < right ? -sign : sign
    })
  }

  it.each(Object.entries(KEYS))(
    'is in the order of %s over all pages, with null last in both directions',
    async (sort, keyOf) => {
      const cards = await all('')
      expect(cards.length).toBeGreaterThan(100)
      const ids = (some: readonly Card[]) => some.map(({ asset_id }) => asset_id)
      for (const order of ['asc', 'desc'])
        expect(ids(await all(`sort=${sort}&order=${order}`))).toEqual(
          ids(expected(cards, keyOf, order === 'desc')),
        )
      expect(ids(await all(`sort=${sort}`))).toEqual(ids(expected(cards, keyOf, false)))
    },
  )

  it('is the same over GraphQL', async () => {
    const { data } = await page('sort=market_cap&order=desc&asset_class=crypto&limit=30&offset=5')
    const { body } = await app.graphql<{ assets: Page }>(
      `{ assets(sort: market_cap, order: desc, asset_class: crypto, limit: 30, offset: 5) { data { ${FIELDS} } } }`,
      { key },
    )
    expect(body.data?.assets.data.map(({ asset_id }) => asset_id)).toEqual(
      data.map(({ asset_id }) => asset_id),
    )
  })

  it('contains the assets with every word of q, and counts them', async () => {
    const { data, meta } = await page('q=COIN%20bit&sort=name')
    expect(data.map(({ ticker }) => ticker)).toContain('BTC')
    for (const { name } of data) expect(name.toLowerCase()).toContain('bit')
    expect(meta.total).toBe(data.length)
    expect((await page('q=no-such-asset')).meta.total).toBe(0)
  })

  it('is refused, not cut, if more assets match than can be sorted', async () => {
    await app.database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
       select 100000 + n, 'many-' || n, 'MANY' || n, 'Many ' || n, 'commodity', null, now(), 'seed'
       from generate_series(1, ${MAX_SORTED}) as n`,
    )
    const refused = await app.rest<{ details: { field: string; message: string }[] }>(
      '/v1/assets?asset_class=commodity&sort=name',
      { key },
    )
    expect([refused.status, refused.body.details]).toEqual([
      422,
      [
        {
          field: 'sort',
          message:
            'works for at most 20000 assets, and the filters match more; use asset_class, tier or mic to choose fewer',
        },
      ],
    ])
    expect((await page('asset_class=commodity&sort=name&mic=XNAS')).data).toEqual([])
    expect((await page('asset_class=commodity')).meta.total).toBeGreaterThan(MAX_SORTED)
    // In pieces: a statement that takes longer than some seconds is ended.
    for (let first = 100_000; first < 100_000 + MAX_SORTED; first += 2_000)
      await app.database.rows('delete from asset where asset_id between $1 and $2', [
        first + 1,
        first + 2_000,
      ])
  })

  it('refuses an order without sort, an empty q and an unknown sort', async () => {
    for (const [search, field] of [
      ['order=desc', 'order'],
      ['q=%20', 'q'],
      ['sort=volume', 'sort'],
    ]) {
      const { status, body } = await app.rest<{ details: { field: string }[] }>(`/v1/assets?${search}`, {
        key,
      })
      expect([status, body.details.map((problem) => problem.field)]).toEqual([422, [field]])
    }
  })
})
