import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/core/errors.js'
import { parseFigi } from '../../../src/core/identifiers.js'
import { Problems } from '../../../src/core/problems.js'
import { discover, parseDiscover } from '../../../src/domains/instruments/discovery/discovery-service.js'
import {
  IdentifierServiceDown,
  MAX_LOOKUPS_IN_FLIGHT,
  type ResolvedInstrument,
} from '../../../src/domains/instruments/discovery/identifier-service-model.js'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../../src/domains/instruments/model.js'
import {
  getPrimaryListing,
  listingOfStock,
  parseListingQuery,
} from '../../../src/domains/instruments/service.js'
import type { Database } from '../../../src/platform/database/database.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { watched } from '../../support/database/watched-database.js'
import { PlayedService, requestOn } from './context.js'

const DAY_MS = 86_400_000
const later = (ms: number) => new Date(SEEDED_AT.getTime() + ms)

/** A ticker as `discover` takes it. */
const parsed = (ticker: string) => parseDiscover({ ticker }, { now: SEEDED_AT }).ticker

const figi = parseFigi('BBG000B9XRY4')
if (figi === null) throw new Error('a real FIGI is read')

const FOUND: ResolvedInstrument = {
  figi,
  name: 'FOUND INC',
  assetClass: 'stock',
  mic: null,
  currency: null,
}

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`no ApiError but ${String(error)}`)
  return error
}

describe('the requested ticker', () => {
  it('is converted to upper case', () => {
    expect(parsed('brk.b')).toBe('BRK.B')
  })

  it.each(['', ' ', '.X', 'A B', 'A/B', 'Ä', 'X'.repeat(21), "';--"])('is refused with 422 as %j', (text) => {
    expect(() => parsed(text)).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        details: [{ field: 'ticker', message: expect.stringContaining('must be a ticker: 1 to 20 letters') }],
      }),
    )
  })
})

describe('discover', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
  })
  beforeEach(() => database.rows('delete from mapping_question'))
  afterAll(() => database?.close())

  const ask = (service: PlayedService, ticker: string, now = SEEDED_AT) =>
    discover(parsed(ticker), requestOn(database, service, now))

  it('answers from the master without a request', async () => {
    const service = new PlayedService(async () => FOUND)
    expect(await ask(service, 'aapl')).toEqual({
      ticker: 'AAPL',
      figi: 'BBG000B9XRY4',
      name: 'Apple Inc.',
      assetClass: 'stock',
      isin: 'US0378331005',
      mic: 'XNAS',
      currency: 'USD',
      assetId: 1001,
      slug: 'apple',
      masterSource: 'seed',
      answer: null,
    })
    expect(service.asked).toEqual([])
  })

  it('prefers the crypto asset to a stock with the same ticker', async () => {
    const stock: InstrumentFacts = {
      assetId: 900_001,
      slug: 'bitcoin-depot',
      ticker: 'BTC',
      name: 'A stock named BTC',
      assetClass: 'stock',
      tier: null,
      mic: 'XNAS',
      isin: null,
      figi: null,
      currency: 'USD',
      sectorGics: null,
      cik: null,
      contract: null,
      lei: null,
      symbols: {},
    }
    await database.transaction((tx) => writeInstruments(tx, [stock], { knownAt: SEEDED_AT, source: 'test' }))
    const service = new PlayedService(async () => null)
    expect(await ask(service, 'BTC')).toMatchObject({ slug: 'bitcoin', assetClass: 'crypto' })
    await database.rows('update instrument set is_primary = false where instrument_id = 1')
    expect(await ask(service, 'BTC')).toMatchObject({ slug: 'bitcoin-depot', assetClass: 'stock' })
    await database.rows('update instrument set is_primary = true where instrument_id = 1')
  })

  it('requests a ticker that the master lacks, and stores the answer for 30 days', async () => {
    const service = new PlayedService(async () => FOUND)
    const first = await ask(service, 'zzzz')
    expect(first).toEqual({
      ...FOUND,
      ticker: 'ZZZZ',
      isin: null,
      assetId: null,
      slug: null,
      masterSource: null,
      answer: expect.objectContaining({ source: 'played', answeredAt: SEEDED_AT }),
    })
    expect(await ask(service, 'ZZZZ', later(30 * DAY_MS - 1))).toEqual(first)
    expect(service.asked).toEqual(['ZZZZ'])
    const expired = later(30 * DAY_MS)
    expect((await ask(service, 'ZZZZ', expired)).answer?.answeredAt).toEqual(expired)
    expect(service.asked).toEqual(['ZZZZ', 'ZZZZ'])
  })

  it('gives 404 for an unknown ticker, stored for a day', async () => {
    const service = new PlayedService(async () => null)
    const error = await failureOf(ask(service, 'ZZZZ'))
    expect(error.code).toBe('not_found')
    expect(error.message).toBe(
      'No instrument has the ticker ZZZZ. It is neither in the instrument master nor known to played.',
    )
    expect((await failureOf(ask(service, 'ZZZZ', later(DAY_MS - 1)))).code).toBe('not_found')
    expect(service.asked).toHaveLength(1)
    await failureOf(ask(service, 'ZZZZ', later(DAY_MS)))
    expect(service.asked).toHaveLength(2)
  })

  it('gives 503 with the time of the next try while the service is down, and stores nothing', async () => {
    let isDown = true
    const service = new PlayedService(async () => {
      if (isDown) throw new IdentifierServiceDown('throttled', { retryAfterMs: 17_000, wasAsked: true })
      return FOUND
    })
    const error = await failureOf(ask(service, 'ZZZZ'))
    expect(error.code).toBe('service_unavailable')
    expect(error.message).toBe(
      'ZZZZ is not in the instrument master, and played is not answering. Try again later.',
    )
    expect(error.retryAfter).toBe(SEEDED_AT.getTime() / 1000 + 17)
    expect(await database.rows('select 1 from mapping_question')).toEqual([])
    isDown = false
    expect(await ask(service, 'ZZZZ')).toMatchObject({ name: 'FOUND INC' })
  })

  it('advises to wait 30 s if the service says nothing', async () => {
    const service = new PlayedService(async () => {
      throw new IdentifierServiceDown('gone', { retryAfterMs: null, wasAsked: true })
    })
    expect((await failureOf(ask(service, 'ZZZZ'))).retryAfter).toBe(SEEDED_AT.getTime() / 1000 + 30)
  })

  it('does not report an error of the gateway as an outage', async () => {
    const service = new PlayedService(async () => {
      throw new TypeError('a mistake')
    })
    await expect(ask(service, 'ZZZZ')).rejects.toThrow(TypeError)
  })

  it('sends one request for all simultaneous callers of a ticker', async () => {
    const watch = watched(database)
    // All have found no answer by then, and want one: 20 reads of the requests, and one of the look-up itself.
    const allWant = watch.answered('findMany mappingQuestion', 21)
    const service = new PlayedService(async () => {
      await allWant
      return FOUND
    })
    const context = () => requestOn(watch.database, service, SEEDED_AT)
    const answers = await Promise.all(Array.from({ length: 20 }, () => discover(parsed('ZZZZ'), context())))
    expect(new Set(answers.map((answer) => answer.name))).toEqual(new Set(['FOUND INC']))
    expect(service.asked).toEqual(['ZZZZ'])
  })

  it('gives 503 beyond the limit of parallel requests', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const service = new PlayedService(async () => {
      await gate
      return null
    })
    const codes: string[] = []
    const asks = Array.from({ length: MAX_LOOKUPS_IN_FLIGHT + 3 }, async (_, index) => {
      const { code } = await failureOf(ask(service, `ZZ${index}`))
      codes.push(code)
    })
    await expect.poll(() => codes, { timeout: 10_000 }).toEqual(Array(3).fill('service_unavailable'))
    await expect.poll(() => service.asked.length, { timeout: 10_000 }).toBe(MAX_LOOKUPS_IN_FLIGHT)
    release()
    await Promise.all(asks)
    expect(codes.slice(3)).toEqual(Array(MAX_LOOKUPS_IN_FLIGHT).fill('not_found'))
    expect((await failureOf(ask(service, 'ZZ99'))).code).toBe('not_found')
  })

  it('keeps the later of two answers, even if the earlier one is written last', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = new PlayedService(async () => {
      await gate
      return null
    })
    const quick = new PlayedService(async () => FOUND)
    const early = failureOf(ask(slow, 'ZZZZ'))
    await expect.poll(() => slow.asked, { timeout: 10_000 }).toEqual(['ZZZZ'])
    await ask(quick, 'ZZZZ', later(1_000))
    release()
    expect((await early).code).toBe('not_found')
    expect(await ask(slow, 'ZZZZ', later(2_000))).toMatchObject({ name: 'FOUND INC' })
    expect(slow.asked).toHaveLength(1)
  })

  it('reads the listings of many tickers, and of many assets, in one statement each', async () => {
    const context = requestOn(database, new PlayedService(async () => null), SEEDED_AT)
    const before = database.statementCount()
    await Promise.all(['AAPL', 'MSFT', 'SPY', 'XAU'].map((text) => discover(parsed(text), context)))
    expect(database.statementCount() - before).toBe(1)
    const [apple, nobody, gold] = await Promise.all(
      [1001, 77_777, 3001].map((assetId) => getPrimaryListing(assetId, context)),
    )
    expect(database.statementCount() - before).toBe(2)
    expect(apple).toEqual({
      assetId: 1001,
      slug: 'apple',
      ticker: 'AAPL',
      name: 'Apple Inc.',
      assetClass: 'stock',
      isin: 'US0378331005',
      figi: 'BBG000B9XRY4',
      mic: 'XNAS',
      currency: 'USD',
      sectorGics: 'Information Technology',
      cik: '0000320193',
      isPrimary: true,
      source: 'seed',
      exchange: null,
      securityType: null,
      issuerSlug: null,
      inactiveSince: null,
      lastUpdated: SEEDED_AT,
    })
    expect(nobody).toBeNull()
    expect(gold).toMatchObject({ slug: 'gold', mic: null })
  })
})

describe('the listing of a stock', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
    // Nvidia's line in London has the ticker of Apple, and is no primary one; Microsoft's second line has that of Nvidia.
    await database.rows(
      `insert into instrument (instrument_id, asset_id, ticker, mic, currency, is_primary, source)
       select 800001, asset_id, 'AAPL', 'XLON', 'GBP', false, 'test' from asset where slug = 'nvidia'
       union all select 800002, asset_id, 'NVDA', 'XLON', 'GBP', true, 'test' from asset where slug = 'microsoft'`,
    )
  })
  afterAll(() => database?.close())

  const find = async (ticker: string, mic?: string) => {
    const problems = new Problems()
    const query = parseListingQuery(problems, { ticker, ...(mic === undefined ? {} : { mic }) })
    problems.refuse()
    if (query === null) throw new Error('what is wrong is a problem')
    const request = requestOn(database, new PlayedService(async () => null), SEEDED_AT)
    const { slug, mic: market } = await listingOfStock(query, request)
    return `${slug} ${market}`
  }

  it('is the only one, or the only primary one if several have the ticker', async () => {
    expect(await find('msft')).toBe('microsoft XNAS')
    expect(await find('AAPL')).toBe('apple XNAS')
  })

  it('is the one on the named market', async () => {
    expect(await find('AAPL', 'xlon')).toBe('nvidia XLON')
    expect(await find('NVDA', 'XNAS')).toBe('nvidia XNAS')
  })

  it('gives 422 with the list if several markets match and none is named', async () => {
    expect(await failureOf(find('NVDA'))).toMatchObject({
      code: 'validation_error',
      details: [
        { field: 'mic', message: expect.stringMatching(/^is required, because NVDA is listed on .*XNAS/) },
      ],
    })
  })

  it('gives 404 with the existing listings', async () => {
    expect(await failureOf(find('AAPL', 'XPAR'))).toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/^No stock has the ticker AAPL on XPAR\. It is listed on .*XLON/),
    })
    expect((await failureOf(find('ZZZZ'))).message).toBe(
      'No stock has the ticker ZZZZ. Use asset_search to search for it.',
    )
    expect((await failureOf(find('BTC'))).message).toContain('It belongs to Bitcoin (crypto)')
  })

  it('gives 422 for both malformed arguments', async () => {
    const { details } = await failureOf(find('A B', 'X'))
    expect(details.map(({ field }) => field)).toEqual(['ticker', 'mic'])
  })
})
