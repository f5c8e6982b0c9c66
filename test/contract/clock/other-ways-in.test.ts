import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDirectoryReleases } from '../../../src/domains/releases/storage/directory-releases.js'
import { COMPAT_INTERFACES } from '../../../src/policy/compat-interfaces.js'
import { exampleRelease, publishExample } from '../../domains/releases/example-release.js'
import type { Answer, CallOptions } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { LATER_MARK } from './later-facts.js'
import { type ClockedApp, INSTANTS, LEARNED_AT, startTwoWorlds, type TwoWorlds } from './two-worlds.js'

const CLOCK = { as_of: INSTANTS.seeded.toISOString() }
const OPERATIONS = ['forex', 'ohlcv', 'macro_series', 'bis_series', 'etf', 'dividends', 'asset']

let worlds: TwoWorlds
let releases: string
let kept: { readonly before: string; readonly after: string }
/** By the address of the gateway: keys for addresses with a clock. */
const addressKeys = new Map<string, { readonly key_id: string; readonly raw_key: string }>()
beforeAll(async () => {
  releases = await mkdtemp(join(tmpdir(), 'clocked-releases-'))
  kept = await publishReleases()
  worlds = await startTwoWorlds(quickestDatabase(), { RELEASES_LOCATION: releases })
  for (const world of [worlds.later, worlds.earlier])
    addressKeys.set(world.app.url, await newAddressKey(world))
})
afterAll(async () => {
  await worlds?.close()
  await rm(releases, { recursive: true, force: true })
})

/** A release that was stored before the instant of the keys, and one that was stored after it. */
async function publishReleases() {
  const store = createDirectoryReleases(releases)
  const publish = async (at: Date) => {
    const id = await publishExample(store, exampleRelease(at.toISOString()), { 2026: '0123456789' })
    const directory = join(releases, 'forex', id)
    for (const name of await readdir(directory)) await utimes(join(directory, name), at, at)
    return id
  }
  return { before: await publish(new Date('2026-11-19T00:00:00Z')), after: await publish(LEARNED_AT) }
}

async function newAddressKey({ app, key }: ClockedApp, use: object = {}) {
  const url_use = {
    operations: OPERATIONS,
    interfaces: [...COMPAT_INTERFACES],
    hourly_units: 1_000_000,
    ...use,
  }
  const body = { label: 'address', clock: CLOCK, url_use }
  const made = await app.rest<{ key_id: string; raw_key: string }>('/auth/keys', {
    method: 'POST',
    key,
    body,
  })
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  return made.body
}

const clockedKeyOf = ({ past }: ClockedApp) => past.seeded ?? ''

/** The same request to both gateways. */
async function askBoth(path: string, options: CallOptions = {}): Promise<readonly [Answer, Answer]> {
  const [later, earlier] = await Promise.all(
    [worlds.later, worlds.earlier].map((world) =>
      world.app.rest(path, { key: clockedKeyOf(world), ...options }),
    ),
  )
  if (later === undefined || earlier === undefined) throw new Error('there are two worlds')
  return [later, earlier]
}

/** The same address to both gateways, with the key in its query. */
async function readBoth(path: string): Promise<readonly [Answer, Answer]> {
  const [later, earlier] = await Promise.all(
    [worlds.later, worlds.earlier].map(({ app }) => {
      const token = addressKeys.get(app.url)?.raw_key ?? ''
      return app.rest(`${path}${path.includes('?') ? '&' : '?'}token=${token}`)
    }),
  )
  if (later === undefined || earlier === undefined) throw new Error('there are two worlds')
  return [later, earlier]
}

const OF_REQUEST: ReadonlySet<string> = new Set([
  'x-request-id',
  'date',
  'content-length',
  'ratelimit',
  'x-ratelimit-remaining',
])

/** What of an answer must be the same in both worlds: its status, headers and text without what names the request. */
function comparable({ status, headers, text }: Answer, { app }: ClockedApp) {
  const token = addressKeys.get(app.url)?.raw_key ?? 'none'
  const same = (shown: string) => shown.replaceAll(app.url, 'URL').replaceAll(token, 'TOKEN')
  return {
    status,
    headers: [...headers]
      .filter(([name]) => !OF_REQUEST.has(name))
      .map(([name, value]) => [name, same(value)]),
    text: same(text.replace(/("?request_id"?[:=] ?"?)[\w-]*/g, '$1').replace(/"remaining":\d+/g, '')),
  }
}

/** Expects that an answer tells nothing that was learned later, except what was asked. Returns its status. */
function expectNothingLater(what: string, [later, earlier]: readonly [Answer, Answer]): number {
  const [one, other] = [comparable(later, worlds.later), comparable(earlier, worlds.earlier)]
  expect([what, one]).toEqual([what, other])
  const said = `${one.text} ${JSON.stringify(one.headers)}`
  const marks = (said.match(LATER_MARK) ?? []).filter(
    (mark) => !decodeURIComponent(what).toLowerCase().includes(mark.toLowerCase()),
  )
  expect([what, marks]).toEqual([what, []])
  return later.status
}

describe('a key for addresses with a clock', () => {
  it.each([
    ['/v1/forex?quote=USD&from=2026-11-01', 200],
    ['/v1/forex.csv?quote=USD&from=2026-11-01', 200],
    ['/v1/forex?quote=USD&as_of=2026-11-22T00:00:00Z', 422],
    ['/v1/assets/bitcoin/ohlcv', 200],
    ['/v1/assets/bitcoin', 422],
    ['/v1/assets/bitcoin/onchain', 403],
    ['/compat/frankfurter/v1/latest', 200],
    ['/compat/frankfurter/v1/2026-11-22?symbols=USD', 200],
    ['/compat/frankfurter/v1/2026-11-01..?symbols=USD', 200],
    ['/compat/frankfurter/v1/2026-11-01..2026-11-25?symbols=USD', 200],
    ['/compat/frankfurter/v1/latest?symbols=ZZL', 404],
    ['/compat/frankfurter/v1/currencies', 200],
    ['/compat/frankfurter/v2/currencies', 200],
    ['/compat/frankfurter/v2/rates?base=USD&from=2026-11-15', 200],
    ['/compat/frankfurter/v2/rate/EUR/USD', 200],
    ['/compat/udf/config', 200],
    ['/compat/udf/symbols?symbol=ECB:EURUSD', 200],
    ['/compat/udf/symbols?symbol=ZZLC', 200],
    ['/compat/udf/search?query=zzlater', 200],
    ['/compat/udf/search?query=EURZZL', 200],
    ['/compat/udf/history?symbol=bitcoin&resolution=1D&from=1793000000&to=1795996800&countback=40', 200],
    ['/compat/udf/history?symbol=ECB:EURUSD&resolution=1D&from=1793000000&to=1795996800', 200],
    ['/compat/udf/history?symbol=STOCK:AAPL&resolution=1D&from=1793000000&to=1795996800', 200],
    ['/compat/udf/marks?symbol=bitcoin&resolution=1D&from=1700000000&to=1795996800', 200],
    ['/compat/udf/timescale_marks?symbol=STOCK:AAPL&resolution=1D&from=1700000000&to=1795996800', 200],
    ['/compat/fred/fred/series/observations?series_id=QUSPAM770A&file_type=json', 200],
    [
      '/compat/fred/fred/series/observations?series_id=QUSPAM770A&file_type=json&realtime_start=1776-07-04&realtime_end=9999-12-31',
      200,
    ],
    [
      '/compat/fred/fred/series/observations?series_id=QUSPAM770A&file_type=json&realtime_end=2026-11-22',
      400,
    ],
    [
      '/compat/fred/fred/series/observations?series_id=QUSPAM770A&file_type=json&realtime_end=2030-01-01',
      400,
    ],
    ['/compat/fred/fred/series?series_id=QUSPAM770A&file_type=json', 200],
    ['/compat/fred/fred/series/vintagedates?series_id=QUSPAM770A&file_type=json', 200],
    ['/compat/fred/fred/series/search?search_text=credit&file_type=json', 400],
    ['/compat/sdmx/data/WS_TC/Q.US.P.A.M.770.A', 200],
    ['/compat/sdmx/data/WS_TC/ZZLATER', 400],
    ['/compat/sdmx/data/EXR/D.USD.EUR.SP00.A?startPeriod=2026-11-01', 200],
    ['/compat/sdmx/data/EXR/D.USD.EUR.SP00.A?startPeriod=2026-11-21', 404],
    ['/compat/sdmx/data/EXR/D.ZZL.EUR.SP00.A', 404],
    ['/compat/cell/forex/data.last.rate?quote=USD', 200],
    ['/compat/cell/forex/data.last.date/age?quote=USD', 200],
    ['/compat/cell/forex/data.last.rate?quote=USD&as_of=2026-11-22T00:00:00Z', 422],
    ['/compat/cell/forex/data?quote=USD', 422],
    ['/compat/cell/asset/data.name?id=zzlater-coin', 422],
    ['/compat/openbb/widgets.json', 200],
    ['/compat/openbb/apps.json', 200],
    ['/compat/openbb/table/forex?quote=USD&from=2026-11-01', 200],
    ['/compat/openbb/chart/ohlcv?id=bitcoin', 200],
    ['/compat/openbb/metric/forex?quote=USD', 200],
    ['/compat/openbb/metric/asset?id=bitcoin', 422],
    ['/compat/openbb/table/asset_index', 422],
    ['/compat/openbb/udf/search?query=zzlater', 200],
  ])('reads as of its clock, or has the error of the interface: %s', async (path, status) => {
    expect([path, expectNothingLater(path, await readBoth(path))]).toEqual([path, status])
  })

  it('has the time of its clock in charts and in errors', async () => {
    const [{ text }] = await readBoth('/compat/udf/time')
    expect(Number(text)).toBe(INSTANTS.seeded.getTime() / 1_000)
    const future = '/compat/fred/fred/series?series_id=QUSPAM770A&file_type=json&realtime_end=2030-01-01'
    expect((await readBoth(future))[0].text).toContain("today's date (2026-11-20)")
  })

  it('keeps its clock when it is rotated, and is not made by a key with a clock', async () => {
    const { app, key, past } = worlds.later
    const old = await newAddressKey(worlds.later)
    const rotated = await app.rest<{ raw_key: string; clock: unknown; url_use: object }>(
      `/auth/keys/${old.key_id}/rotate`,
      { method: 'POST', key, body: {} },
    )
    expect(rotated.body).toMatchObject({ clock: CLOCK, url_use: { interfaces: [...COMPAT_INTERFACES] } })
    const path = `/compat/frankfurter/v1/latest?token=${rotated.body.raw_key}`
    expect((await app.rest(path)).text).not.toMatch(LATER_MARK)
    for (const clock of [null, CLOCK]) {
      const body = { label: 'address', clock, url_use: { interfaces: ['udf'], hourly_units: 1 } }
      const made = await app.rest('/auth/keys', { method: 'POST', key: past.seeded ?? '', body })
      expect([made.status, made.text]).toEqual([422, expect.stringContaining('as of an instant')])
    }
  })
})

describe('an Idempotency-Key', () => {
  it('replays neither a write of another key nor one of before an advance', async () => {
    const { app, key, past } = worlds.later
    const headers = { 'idempotency-key': 'a-key-with-a-clock' }
    const create = (by: string, as_of: string) =>
      app.rest<{ raw_key: string; key_id: string }>('/auth/keys', {
        method: 'POST',
        key: by,
        headers,
        body: { label: 'replayed', clock: { as_of } },
      })
    const made = await create(key, CLOCK.as_of)
    expect(made.status).toBe(201)
    // The key with a clock learns neither that the request was made nor what it made.
    const replayed = await create(past.seeded ?? '', CLOCK.as_of)
    expect([replayed.status, replayed.text.includes(made.body.key_id)]).toEqual([422, false])
    const body = { clock: { as_of: '2026-11-20T14:00:00Z' } }
    const path = `/auth/keys/${made.body.key_id}`
    expect((await app.rest(path, { method: 'PATCH', key, headers, body })).status).toBe(200)
    for (const as_of of [CLOCK.as_of, body.clock.as_of]) {
      const again = await create(key, as_of)
      expect([again.status, again.text.includes(made.body.raw_key)]).toEqual([409, false])
    }
    const moved = await app.rest<{ clock: unknown }>(path, { key })
    expect(moved.body.clock).toEqual({ as_of: '2026-11-20T14:00:00.000Z', basis: 'observed' })
  })

  it('changes no answer to a read', async () => {
    const headers = { 'idempotency-key': 'a-read' }
    const { app, key } = worlds.later
    await app.rest('/v1/forex?quote=USD', { key, headers })
    const answers = await askBoth('/v1/forex?quote=USD', { headers })
    expect(expectNothingLater('/v1/forex?quote=USD', answers)).toBe(200)
  })
})

describe('GraphQL', () => {
  const QUERY = '{ forex(quote: "USD", from: "2026-11-01") { data { date rate } } }'

  it('takes no batches', async () => {
    const later = '{ forex(quote: "USD", as_of: "2026-11-22T00:00:00Z") { data { rate } } }'
    const answers = await askBoth('/graphql', { method: 'POST', body: [{ query: QUERY }, { query: later }] })
    expect([expectNothingLater(later, answers), answers[0].text]).toEqual([
      400,
      expect.stringContaining('Batches are not supported'),
    ])
  })

  it.each([
    ['multipart', 'multipart/mixed', QUERY],
    ['incremental', 'multipart/mixed;deferSpec=20220824, application/json', QUERY],
    ['events', 'text/event-stream', QUERY],
    ['@defer', 'application/json', '{ ... @defer { forex(quote: "USD") { data { rate } } } }'],
    ['@stream', 'application/json', '{ forex(quote: "USD") { data @stream(initialCount: 0) { rate } } }'],
    ['@live', 'application/json', 'query @live { forex(quote: "USD") { data { rate } } }'],
  ])('answers as of the clock, or with its own error, for %s', async (_what, accept, query) => {
    const options = { method: 'POST', body: { query }, headers: { accept } }
    const status = expectNothingLater(query, await askBoth('/graphql', options))
    expect([200, 400, 406]).toContain(status)
  })

  it('takes no operation as a form or an upload', async () => {
    for (const type of [
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'text/plain',
    ]) {
      const options = {
        method: 'POST',
        body: `query=${encodeURIComponent(QUERY)}`,
        headers: { 'content-type': type },
      }
      expect(expectNothingLater(QUERY, await askBoth('/graphql', options))).toBe(415)
    }
  })
})

describe('a file of a release', () => {
  const CONDITIONS: readonly Readonly<Record<string, string>>[] = [
    {},
    { range: 'bytes=0-3' },
    { range: 'bytes=99-' },
    { 'if-none-match': '*' },
    { 'if-match': '*' },
    { 'if-modified-since': 'Sun, 01 Nov 2026 00:00:00 GMT' },
    { 'x-dry-run': 'cost' },
  ]

  it('that was stored after the clock does not exist, by any method, condition or range', async () => {
    const { app, key } = worlds.later
    const names = ['2026.parquet', 'manifest.json', 'seal.json']
    const unknown = kept.after.replace(/.{12}$/, '0123456789ab')
    for (const name of names)
      for (const method of ['GET', 'HEAD'])
        for (const headers of CONDITIONS) {
          const path = (id: string) => `/v1/releases/forex/${id}/files/${name}`
          const what = `${method} ${path(kept.after)} ${JSON.stringify(headers)}`
          // A key without a clock gets it.
          const open = await fetch(app.url + path(kept.after), {
            method,
            headers: { ...headers, 'x-api-key': key },
          })
          expect([200, 206, 304, 416]).toContain(open.status)
          const own = await app.rest(path(kept.after), { key: clockedKeyOf(worlds.later), method, headers })
          const none = await app.rest(path(unknown), { key: clockedKeyOf(worlds.later), method, headers })
          const bare = (answer: Answer) => {
            const { text, ...others } = comparable(answer, worlds.later)
            return { ...others, text: text.replaceAll(kept.after, unknown) }
          }
          expect([what, own.status]).toEqual([what, 404])
          expect([what, bare(own)]).toEqual([what, bare(none)])
        }
  })

  it('that was stored before the clock is served whole, in part and by its tag', async () => {
    const { app, past } = worlds.later
    const path = `/v1/releases/forex/${kept.before}/files/2026.parquet`
    const get = (headers: Readonly<Record<string, string>>, method = 'GET') =>
      app.rest(path, { key: past.seeded ?? '', headers, method })
    const whole = await get({})
    expect([whole.status, whole.text]).toEqual([200, '0123456789'])
    expect((await get({ range: 'bytes=2-4' })).text).toBe('234')
    expect((await get({ 'if-none-match': whole.headers.get('etag') ?? '' })).status).toBe(304)
    expect((await get({}, 'HEAD')).headers.get('content-length')).toBe('10')
    // Nor does the earlier one name the one that follows it.
    for (const of of ['', '/files/manifest.json', '/files/seal.json'])
      expect(
        (await app.rest(`/v1/releases/forex/${kept.before}${of}`, { key: past.seeded ?? '' })).text,
      ).not.toContain(kept.after)
    const list = await app.rest('/v1/releases?dataset=forex', { key: past.seeded ?? '' })
    expect([list.headers.get('x-total-count'), list.text.includes(kept.after)]).toEqual(['1', false])
    expect(list.headers.get('link') ?? '').not.toContain(kept.after)
  })
})

/** Addresses that are similar to the names of later facts, and the status of a key with a clock. */
const WRONG_NAMES: readonly (readonly [string, number])[] = [
  ['/v1/assets/zzlater-coim/ohlcv', 404],
  ['/v1/assets/zzlater/ohlcv', 404],
  ['/v1/assets/zzlatr-stock/onchain', 404],
  ['/v1/assets/zzlater-coi/ai-analysis/history', 404],
  ['/v1/candles?slugs=zzlater-con', 404],
  ['/v1/stocks/ZZLT/dividends', 404],
  ['/v1/stocks/ZZL100/corporate-actions', 404],
  ['/v1/stocks/ZZLS1/prices', 404],
  ['/v1/etf/ZZLG', 404],
  ['/v1/etf/ZZLFF/holdings', 404],
  ['/v1/etf/ZZLG/prices', 404],
  ['/v1/symbols/ZZLT', 422],
  ['/v1/forex?quote=ZZM', 422],
  ['/v1/forex/cross?base=USD&quote=ZZM', 422],
  ['/v1/forex/convert?from=EUR&to=ZZM', 422],
  ['/v1/macro/series/bis/{bis}.ZZLATE', 404],
  ['/v1/macro/series/boj/{boj}.ZZLATE', 404],
  ['/v1/macro/bis/{bis}/ZZLATE', 404],
  ['/v1/macro/bis/WS_TCC/ZZLATER', 404],
  ['/v1/macro/japan/BOJ_ZZLATE', 404],
  ['/v1/macro/kr/BOK_ZZLATE', 404],
  ['/v1/commodities/ZZL', 404],
  ['/v1/releases?dataset=forx', 422],
  ['/v1/releases/forex/20261122T000000.000Z-0123456789ab', 404],
  ['/v1/no/such/path/zzlater', 404],
]

/** The address with the datasets of the series that appear later. */
async function withDatasets(pattern: string): Promise<string> {
  const rows = await worlds.later.app.database.rows<{ provider: string; dataset: string }>(
    "select provider, dataset from macro_series where series_key = 'ZZLATER'",
  )
  return rows.reduce((path, { provider, dataset }) => path.replace(`{${provider}}`, dataset), pattern)
}

describe('errors and headers', () => {
  it.each(WRONG_NAMES)('suggest and count nothing of later: %s', async (pattern, status) => {
    const path = await withDatasets(pattern)
    expect([path, expectNothingLater(path, await askBoth(path))]).toEqual([path, status])
  })

  it('suggest later names to a key without a clock', async () => {
    const { app, key } = worlds.later
    let suggested = 0
    for (const [pattern] of WRONG_NAMES) {
      const path = await withDatasets(pattern)
      const { text } = await app.rest(path, { key })
      if (/did you mean [^?]*ZZL/.test(text)) suggested += 1
    }
    expect(suggested).toBe(17)
  })

  it('have no instant, age, link or version of later, whatever was served before', async () => {
    const { app, key } = worlds.later
    const paths = [
      '/v1/forex?quote=USD&from=2026-11-01',
      '/v1/forex.csv?quote=USD&from=2026-11-01',
      '/v1/forex.ndjson?quote=USD&from=2026-11-01',
      '/v1/stocks/AAPL/dividends?limit=1',
      '/v1/commodities/XAU/prices?limit=1',
      '/v1/macro/bis/WS_TC/Q.US.P.A.M.770.A?limit=1',
      '/v1/assets/bitcoin/ohlcv?limit=1',
      '/v1/etf/SPY/holdings?limit=1',
    ]
    for (const path of paths)
      for (const headers of [{}, { prefer: 'return=minimal' }, { 'x-dry-run': 'cost' }])
        for (const method of ['GET', 'HEAD']) {
          await app.rest(path, { key, headers, method })
          const answers = await askBoth(path, { headers, method })
          const what = `${method} ${path} ${JSON.stringify(headers)}`
          expect([what, expectNothingLater(what, answers)]).toEqual([what, 200])
          const names = [...answers[0].headers.keys()]
          for (const name of ['x-data-version', 'age', 'last-modified', 'x-cache'])
            expect([what, names]).not.toContain(name)
        }
  })

  it('are limited as for a key without a clock: Retry-After is the end of the hour or minute', async () => {
    const { app, key } = worlds.later
    const { raw_key } = await newAddressKey(worlds.later, {
      operations: ['forex'],
      interfaces: [],
      hourly_units: 1,
    })
    const plain = await app.rest<{ raw_key: string }>('/auth/keys', {
      method: 'POST',
      key,
      body: { label: 'plain', url_use: { operations: ['forex'], hourly_units: 1 } },
    })
    const retry = async (token: string) => {
      await app.rest(`/v1/forex?quote=USD&token=${token}`)
      const refused = await app.rest(`/v1/forex?quote=USD&token=${token}`)
      return [refused.status, refused.headers.get('retry-after'), refused.headers.get('x-ratelimit-reset')]
    }
    const own = await retry(raw_key)
    expect(own).toEqual(await retry(plain.body.raw_key))
    expect(own[0]).toBe(429)
  })
})
