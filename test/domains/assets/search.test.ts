import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { createInstrument } from '../../support/instrument.js'

interface Match {
  readonly slug: string
  readonly asset_id: number
  readonly ticker: string
  readonly name: string
  readonly asset_class: string
  readonly lei: string | null
}

interface Found {
  readonly data: readonly Match[]
  readonly meta: { readonly total: number; readonly has_next: boolean; readonly data_quality: string }
}

interface Refusal {
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

const token = (assetId: number, slug: string, ticker: string, name: string) =>
  createInstrument({ assetId, slug, ticker, name, assetClass: 'crypto', tier: 3, mic: null, currency: 'USD' })

/** Each has one rank of a search for "qx", the best last. */
const RANKED = [
  token(9001, 'token-of-qx-words', 'WORDS', 'Last qx Token'),
  token(9002, 'the-aqxb', 'INSIDE', 'Inside'),
  token(9003, 'wrapped-qxcoin', 'WORD', 'Wrapped'),
  token(9004, 'begins', 'QXB', 'Begins'),
  token(9005, 'is-it', 'QX', 'Is'),
  token(9006, 'percent', 'PCT', '100%_pure\\token'),
  token(9007, 'the-xcoyn', 'OYN', 'The Xcoyn'),
]

describe('GET /v1/assets/search and asset_search', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'pro' })
    await app.database.transaction((tx) =>
      writeInstruments(tx, RANKED, { knownAt: SEEDED_AT, source: 'seed' }),
    )
  })
  afterAll(() => app?.close())

  const search = async (query: Readonly<Record<string, string>>) =>
    (await app.rest<Found>(`/v1/assets/search?${new URLSearchParams(query)}`, { key })).body
  const slugs = async (query: Readonly<Record<string, string>>) =>
    (await search(query)).data.map(({ slug }) => slug)

  it.each([
    ['its ISIN', 'US0378331005'],
    ['its ISIN in lower case', 'us0378331005'],
    ['its FIGI', 'BBG000B9XRY4'],
  ])('finds a stock by %s, and nothing else', async (_, q) => {
    expect(await slugs({ q })).toEqual(['apple'])
  })

  it('finds no stock by a part of its ISIN', async () => {
    expect(await slugs({ q: 'US037833' })).toEqual([])
  })

  it.each([
    ['its slug', 'bitcoin'],
    ['its ticker', 'BTC'],
    ['its ticker in lower case', 'btc'],
    ['its name with space around it', '  BitCoin '],
    ['its integer key', '1'],
  ])('return an asset by %s first, with all its edges', async (_, q) => {
    expect((await search({ q })).data[0]).toEqual({
      slug: 'bitcoin',
      asset_id: 1,
      ticker: 'BTC',
      name: 'Bitcoin',
      asset_class: 'crypto',
      lei: null,
    })
  })

  it('finds a stock by the LEI of its issuer, and names the LEI', async () => {
    const lei = 'HWUPKR0MPOU8FGXBT394'
    const { data } = await search({ q: lei })
    expect(data.map(({ slug, lei }) => [slug, lei])).toEqual([['apple', lei]])
    expect((await search({ q: lei.toLowerCase() })).data).toEqual(data)
    expect(await slugs({ q: 'HWUPKR0MPOU8FGXBT395' })).toEqual([])
  })

  it.each([
    // Typing errors: one from 4 letters, two from 8; swapped letters are one.
    ['bitcon', 'bitcoin'],
    ['bticoin', 'bitcoin'],
    ['bitcoinn', 'bitcoin'],
    ['etherium', 'ethereum'],
    ['ethereem', 'ethereum'],
    ['etheruem clasic', 'ethereum-classic'],
    ['bitcion cash', 'bitcoin-cash'],
    ['bitcoincsh', 'bitcoin-cash'],
    ['aple', 'apple'],
    ['appel', 'apple'],
    ['APLE inc', 'apple'],
    ['mircosoft', 'microsoft'],
    ['microsft corporation', 'microsoft'],
    ['nvdia', 'nvidia'],
    ['amazn', 'amazon'],
    ['chainlnk', 'chainlink'],
    ['dogcoin', 'dogecoin'],
    ['avalanhce', 'avalanche'],
    ['unisawp', 'uniswap'],
    ['bank of amerca', 'bank-of-america'],
    ['wall disney', 'walt-disney'],
    ['moet hennessy', 'lvmh'],
    ['Nestlè', 'nestle'],
    // As typed, the better match comes first.
    ['gold', 'gold'],
    ['link', 'chainlink'],
    ['sol', 'solana'],
    ['ether', 'ethereum'],
    ['motor', 'toyota'],
  ])('finds what %j means first', async (q, slug) => {
    expect((await slugs({ q }))[0]).toBe(slug)
  })

  it.each(['btx', 'xyzzy', '12345678', 'zzzzzzzz', 'one two three four five'])(
    'corrects no short, distant or long text: %j',
    async (q) => {
      expect(await slugs({ q })).toEqual([])
    },
  )

  it('corrects only a text that begins no word, within the class, before texts that contain it', async () => {
    expect(await slugs({ q: 'begin' })).toEqual(['begins'])
    expect(await slugs({ q: 'bitcon', asset_class: 'stock' })).toEqual([])
    const { data, meta } = await search({ q: 'begims', limit: '1' })
    expect([data.map(({ slug }) => slug), meta.total]).toEqual([['begins'], 1])
    expect(await slugs({ q: 'xcoin' })).toEqual(['the-xcoyn', 'enjin-coin', 'wrapped-qxcoin'])
  })

  it('corrects the same in GraphQL', async () => {
    const query = '{ asset_search(q: "etherium") { data { slug } meta { total } } }'
    const { body } = await app.graphql<{ asset_search: Found }>(query, { key })
    const rest = await search({ q: 'etherium' })
    expect(body.data?.asset_search.data.map(({ slug }) => slug)).toEqual(rest.data.map(({ slug }) => slug))
    expect(body.data?.asset_search.meta.total).toBe(rest.meta.total)
  })

  it('rank equal texts before beginnings, beginnings of words and contained texts', async () => {
    expect(await slugs({ q: 'qx' })).toEqual([
      'is-it',
      'begins',
      'token-of-qx-words',
      'wrapped-qxcoin',
      'the-aqxb',
    ])
    expect(await slugs({ q: 'words qx' })).toEqual(['token-of-qx-words'])
  })

  it('rank the higher tier first among equals, then the lower key', async () => {
    expect(await slugs({ q: 'bitcoin' })).toEqual(['bitcoin', 'bitcoin-cash'])
    expect((await slugs({ q: 'ethereum' })).slice(0, 2)).toEqual(['ethereum', 'ethereum-classic'])
  })

  it('treat every character of the text literally', async () => {
    expect(await slugs({ q: '100%_pure\\token' })).toEqual(['percent'])
    expect(await slugs({ q: '%' })).toEqual(['percent'])
    expect(await slugs({ q: "' or true --" })).toEqual([])
  })

  it('return one class if one is named', async () => {
    const stocks = (await search({ q: 'a', asset_class: 'stock', limit: '100' })).data
    expect(stocks.map(({ ticker }) => ticker)).toContain('AAPL')
    expect(new Set(stocks.map(({ asset_class }) => asset_class))).toEqual(new Set(['stock']))
  })

  it('count all matches and say that more exist than the limit', async () => {
    const all = await search({ q: 'coin', limit: '100' })
    expect(all.meta).toMatchObject({ total: all.data.length, has_next: false })
    const two = await search({ q: 'coin', limit: '2' })
    expect(two.data).toEqual(all.data.slice(0, 2))
    expect(two.meta).toMatchObject({ total: all.data.length, has_next: true })
  })

  it('answer with an empty list where nothing matches', async () => {
    const { data, meta } = await search({ q: 'no such thing' })
    expect(data).toEqual([])
    expect(meta).toMatchObject({ total: 0, has_next: false, data_quality: 'empty' })
  })

  it.each([
    ['   ', 'must have 1 to 200 characters; got 0'],
    ['x'.repeat(201), 'must have 1 to 200 characters; got 201'],
    ['a\u0001b', 'must have visible characters only'],
    ['a\u0000b', 'must not contain the character U+0000'],
  ])('refuse %j with the reason', async (q, message) => {
    const { status, body } = await app.rest<Refusal>(`/v1/assets/search?${new URLSearchParams({ q })}`, {
      key,
    })
    expect(status).toBe(422)
    expect(body.details).toEqual([{ field: 'q', message }])
    const variables = { q }
    const asked = 'query ($q: String!) { asset_search(q: $q) { data { slug } } }'
    const graphql = await app.graphql(asked, { key, variables })
    expect(graphql.body.errors?.[0]?.extensions.details).toEqual([{ field: 'q', message }])
  })

  it('lead to the cards of all matches in one statement', async () => {
    const query = '{ asset_search(q: "coin", limit: 5) { data { slug asset { asset_id price_source } } } }'
    const { body } = await app.graphql<{ asset_search: { data: { asset: { asset_id: number } }[] } }>(query, {
      key,
    })
    const cards = body.data?.asset_search.data.map(({ asset }) => asset.asset_id)
    expect(cards).toEqual((await search({ q: 'coin', limit: '5' })).data.map(({ asset_id }) => asset_id))
  })

  it('leave the path of an asset to assets: none has the slug search', async () => {
    const { status, body } = await app.graphql('{ asset(id: "search") { data { ticker } } }', { key })
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([404, 'NOT_FOUND'])
  })
})
