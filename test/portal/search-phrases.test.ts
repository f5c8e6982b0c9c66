import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../support/app/app.js'
import { quickestDatabase } from '../support/database/database.js'

interface Found {
  readonly groups: readonly {
    readonly name: string
    readonly results: readonly { readonly path: string; readonly title: string }[]
  }[]
  readonly isNearest: boolean
  readonly note: string | null
}

/** The portal's modules are of browsers, so they are loaded when what they read from the page is there. */
const MODULE = '../../src/portal/search/use-search.js'
const ASSET_MODULE = '../../src/portal/assets/find-charted-asset.js'

let app: TestApp
let search: (text: string) => Promise<Found>
let findSlug: (text: string) => Promise<string | null>
beforeAll(async () => {
  app = await startTestApp(quickestDatabase(), { developmentTier: 'pro' })
  const page = await app.rest('/', { headers: { accept: 'text/html' } })
  const textContent = /<script type="application\/json" id="config">(.*?)<\/script>/s.exec(page.text)?.[1]
  const { fetch } = globalThis
  vi.stubGlobal('document', { getElementById: () => ({ textContent }) })
  vi.stubGlobal('dispatchEvent', () => true)
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(app.url + path, init))
  search = ((await import(MODULE)) as { search: typeof search }).search
  findSlug = ((await import(ASSET_MODULE)) as { findSlug: typeof findSlug }).findSlug
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await app?.close()
})

/** The group, the title and the page of the first result. */
async function firstOf(text: string): Promise<string> {
  const { groups } = await search(text)
  const [group] = groups
  const [first] = group?.results ?? []
  return `${group?.name}: ${first?.title} (${first?.path})`
}

const PHRASES: readonly (readonly [text: string, first: string])[] = [
  ['inflation', 'Macro series: US consumer prices (CPI)'],
  ['inflation us', 'Macro series: US consumer prices (CPI)'],
  ['us inflation', 'Macro series: US consumer prices (CPI)'],
  ['euro inflation', 'Macro series: Euro area inflation (HICP, year on year)'],
  ['euro house prices', 'Macro series: nothing for the euro area; nearest: Germany house prices (real)'],
  ['unemployment', 'Macro series: US unemployment rate (seasonally adjusted)'],
  ['us unemployment', 'Macro series: US unemployment rate (seasonally adjusted)'],
  ['10 year yield', 'Macro series: US 10 year Treasury yield'],
  ['us 10 year yield', 'Macro series: US 10 year Treasury yield'],
  ['euro 10 year yield', 'Macro series: Euro area 10 year yield (AAA)'],
  ['euro policy rate', 'Macro series: Euro area policy rate (ECB deposit facility)'],
  ['gdp eurozone', 'Macro series: €STR banks'],
  ['policy rate', 'Macro series: US policy rate'],
  ['policy rate japan', 'Macro series: Japan policy rate'],
  ['korea policy rate', 'Macro series: South Korea policy rate'],
  ['3 year yield', 'Macro series: US 3 year Treasury yield'],
  ['EUR/JPY', 'Conversion: 1 EUR = 168.36 JPY (/currencies?from=EUR&to=JPY&amount=1)'],
  ['EURUSD', 'Conversion: 1 EUR = 1.163 USD'],
  ['250 EUR in USD', 'Conversion: 250 EUR = 290.75 USD (/currencies?from=EUR&to=USD&amount=250)'],
  ['100 usd to eur', 'Conversion: 100 USD = 85.98452 EUR'],
  ['bitcoin price', 'Assets: Bitcoin (/assets/bitcoin)'],
  ['btc', 'Assets: Bitcoin (/assets/bitcoin)'],
  ['AAPL', 'Assets: Apple Inc. (/assets/apple)'],
  ['apple', 'Assets: Apple Inc. (/assets/apple)'],
  ['who holds apple', 'Held by: ETFs that hold Apple Inc. (/assets/apple?section=holders)'],
  ['dividend', 'Operations of the API: Dividends of a stock (/graphql?operation=dividends)'],
  ['apple dividend', 'Assets: Apple Inc. (/assets/apple)'],
  ['stock split', 'Operations of the API: Corporate actions of a stock'],
  ['rate limit', 'Pages and guides: Limits (/docs/guides/limits)'],
  ['tiers', 'Pages and guides: Tiers (/docs/guides/tiers)'],
  ['pricing', 'Pages and guides: Tiers (/docs/guides/tiers)'],
  ['api key', 'Pages and guides: Account (/account)'],
  ['as of', 'Pages and guides: Point in time (/docs/guides/as-of)'],
  ['webhook', 'Pages and guides: Webhooks (/docs/guides/webhooks)'],
  ['sanctions', 'Pages and guides: Screening (/screening)'],
  ['HWUPKR0MPOU8FGXBT394', 'Companies: Screen Apple Inc. (/screening?lei=HWUPKR0MPOU8FGXBT394)'],
  ['US0378331005', 'Assets: Apple Inc. (/assets/apple)'],
  ['gold price', 'Assets: Gold (/assets/gold)'],
  ['etf holdings', 'Operations of the API: Holdings of an ETF'],
  ['nvidia revenue', 'Assets: NVIDIA Corporation (/assets/nvidia)'],
  ['fear and greed', 'Operations of the API: AI statement on an asset'],
  ['export csv', 'Pages and guides: Files (/docs/guides/files)'],
  // More of what people type.
  ['gdp korea', 'Macro series: South Korea GDP (real, seasonally adjusted)'],
  ['house prices germany', 'Macro series: Germany house prices (real)'],
  ['money supply', 'Macro series: Japan money supply growth (M2, year on year)'],
  ['inflatoin', 'Macro series: US consumer prices (CPI)'],
  ['japan total credit', 'Macro series: Japan private debt (total credit)'],
  ['yen', 'Currencies: Yen (/currencies?to=JPY)'],
  ['usd eur', 'Conversion: 1 USD = 0.8598452 EUR'],
  ['1,000.50 gbp to chf', 'Conversion: 1000.50 GBP = 1,108.941 CHF'],
  ['who holds microsoft', 'Held by: ETFs that hold Microsoft Corporation'],
  ['holders of tesla', 'Held by: ETFs that hold Tesla, Inc.'],
  ['which etfs hold NVDA?', 'Held by: ETFs that hold NVIDIA Corporation'],
  ['market cap of ethereum', 'Assets: Ethereum (/assets/ethereum)'],
  ['oil price', 'Assets: WTI Crude Oil (/assets/wti)'],
  ['silver', 'Assets: Silver (/assets/silver)'],
  ['XAU', 'Assets: Gold (/assets/gold)'],
  ['IVV', 'Assets: iShares Core S&P 500 ETF'],
  ['sql', 'Pages and guides: SQL access (/docs/guides/sql)'],
  ['python', 'Pages and guides: Python (/docs/guides/python)'],
  ['parquet', 'Pages and guides: Files (/docs/guides/files)'],
  ['websocket', 'Pages and guides: Subscriptions (/docs/guides/subscriptions)'],
  ['mcp', 'Pages and guides: Agents (/docs/guides/agents)'],
  ['getting started', 'Pages and guides: First requests (/docs/guides/first-requests)'],
  ['verify an analysis', 'Operations of the API: One AI analysis by its UUID'],
]

describe('the search of the portal', () => {
  it.each(PHRASES)('finds for %j first: %s', async (text, first) => {
    expect((await firstOf(text)).slice(0, first.length)).toBe(first)
  })

  it('offers what is nearest if nothing has all words, and what there is if nothing has any', async () => {
    const nearest = await search('quantum dividend zebra')
    expect([nearest.isNearest, nearest.groups.map(({ name }) => name)]).toEqual([
      true,
      expect.arrayContaining(['Operations of the API']),
    ])
    const nothing = await search('zzzzqqq')
    expect([nothing.isNearest, nothing.groups.map(({ name }) => name)]).toEqual([true, ['What there is']])
    expect(nothing.groups[0]?.results.length).toBeGreaterThan(3)
    expect((await search('apple')).isNearest).toBe(false)
    const yields = await search('50 year yield')
    expect([yields.isNearest, yields.groups[0]?.results[0]?.title]).toEqual([
      true,
      'US 10 year Treasury yield',
    ])
    expect((await search('gdp eurozone')).isNearest).toBe(true)
  })

  it('has words for existing pages and guides only', async () => {
    const { default: words } = await import('../../src/portal/search/words.json', { with: { type: 'json' } })
    const page = await app.rest('/', { headers: { accept: 'text/html' } })
    for (const path of Object.keys(words.pages)) expect(page.text).toContain(`"path":"${path}"`)
    for (const name of Object.keys(words.guides)) expect(page.text).toContain(`"/docs/guides/${name}"`)
  })
})

it.each([
  ['aapl', 'apple'],
  ['btc', 'bitcoin'],
  ['us0378331005', 'apple'],
  ['7203', 'toyota'],
  ['3001', 'gold'],
  ['bitcoinn', null],
  ['us0000000000', null],
  ['appl', null],
])('the address of an asset page with %s leads to %s', async (text, slug) => {
  expect(await findSlug(text)).toBe(slug)
})
