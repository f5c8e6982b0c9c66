import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { writeCurrencies } from '../../../../src/domains/instruments/identifiers/codes-store.js'
import { CURRENCIES, MARKETS_OF_REFERENCE } from '../../../../src/ingest/providers/reference/codes.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { samplePath } from '../../../support/samples.js'

const NOW = new Date('2026-11-22T10:00:00Z')

describe('the currencies of the reference', () => {
  it('have unique codes and numbers, in the order of their codes', () => {
    const codes = CURRENCIES.map(({ code }) => code)
    expect(codes).toEqual([...new Set(codes)].sort())
    expect(new Set(CURRENCIES.map(({ numericCode }) => numericCode)).size).toBe(CURRENCIES.length)
    expect(codes).toHaveLength(172)
  })

  it('have the minor units of ISO 4217', () => {
    const having = (units: number | null) =>
      CURRENCIES.filter(({ minorUnits }) => minorUnits === units).map(({ code }) => code)
    expect(having(0).join(' ')).toBe('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF')
    expect(having(3).join(' ')).toBe('BHD IQD JOD KWD LYD OMR TND')
    expect(having(4).join(' ')).toBe('CLF UYW')
    expect(having(null).join(' ')).toBe('XAG XAU XDR XPD XPT XSU XUA')
  })

  it('are those of 2026: Bulgaria and Croatia use the euro, and the Caribbean guilder is new', () => {
    const codes = new Set(CURRENCIES.map(({ code }) => code))
    for (const gone of ['ANG', 'BGN', 'HRK', 'ZWL', 'DEM']) expect(codes).not.toContain(gone)
    for (const here of ['EUR', 'XCG', 'ZWG', 'SLE', 'VES']) expect(codes).toContain(here)
    expect(CURRENCIES.find(({ code }) => code === 'CHF')).toEqual({
      code: 'CHF',
      numericCode: '756',
      name: 'Swiss Franc',
      minorUnits: 2,
    })
  })
})

describe('the markets of the reference', () => {
  it('have unique codes and known operators', () => {
    const mics = new Set(MARKETS_OF_REFERENCE.map(({ mic }) => mic))
    expect(mics.size).toBe(MARKETS_OF_REFERENCE.length)
    expect(MARKETS_OF_REFERENCE.filter(({ operatingMic }) => !mics.has(operatingMic))).toEqual([])
  })

  it('are in countries of ISO 3166', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    expect(MARKETS_OF_REFERENCE.filter(({ country }) => names.of(country) === undefined)).toEqual([])
  })
})

const codesPath = samplePath('openfigi/mapping_mic_figi-exchange-codes.csv')
it.skipIf(codesPath === null)(
  `the markets of the reference agree with the published table${codesPath === null ? ' (skipped: sample not at hand)' : ''}`,
  () => {
    const lines = readFileSync(codesPath ?? '', 'utf8')
      .split(/\r?\n/)
      .slice(1)
    const published = new Map(
      lines
        .map((line) => line.split('|'))
        .map(([mic = '', operating = '', , , , , , country = '']) => [mic, `${operating} ${country.trim()}`]),
    )
    const known = MARKETS_OF_REFERENCE.filter(({ mic }) => published.has(mic))
    expect(known.length).toBeGreaterThan(90)
    for (const { mic, operatingMic, country } of known)
      expect(`${mic} ${operatingMic} ${country}`).toBe(`${mic} ${published.get(mic)}`)
  },
)

describe.each(availableDatabases())('the feeds of codes on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
  })
  afterAll(() => database.close())

  const run = (id: string) => {
    const bound = findFeed(id)
    const deps = {
      database,
      clock: fixedClock(NOW),
      fetchBody: () => expect.fail('nothing is fetched'),
      log: createLogger('silent'),
    }
    return runFeed(deps, bound, usualSourceOf(bound.feed))
  }

  it('write every fact once, each part of the dataset with its version', async () => {
    expect(await run('reference-currencies')).toMatchObject({ added: 172, rejected: 0 })
    expect(await run('reference-markets')).toMatchObject({ added: MARKETS_OF_REFERENCE.length, rejected: 0 })
    expect(await run('reference-currencies')).toMatchObject({ added: 0, revised: 0, unchanged: 172 })
    const currencies = await database.rows(
      `select code, numeric_code as "numericCode", name, minor_units as "minorUnits" from iso_currency order by code`,
    )
    expect(currencies).toEqual(CURRENCIES)
    expect(
      await database.rows(`select operating_mic, name, country from iso_market where mic = 'ARCX'`),
    ).toEqual([{ operating_mic: 'XNYS', name: 'NYSE Arca', country: 'US' }])
    const [state] = await database.rows<{ is_dev_dataset: boolean; parts: object }>(
      `select is_dev_dataset, parts from dataset_state where dataset = 'codes'`,
    )
    expect(state?.is_dev_dataset).toBe(false)
    expect(Object.keys(state?.parts ?? {}).sort()).toEqual(['currencies', 'markets'])
  })

  it('revise and delete facts of an earlier version', async () => {
    const known = { source: 'reference', knownAt: NOW }
    const [first, second, ...rest] = CURRENCIES
    if (first === undefined || second === undefined) expect.fail('there are currencies')
    const counts = await database.transaction((tx) =>
      writeCurrencies(tx, [{ ...first, name: 'Dirham' }, ...rest], known),
    )
    expect(counts).toEqual({ added: 0, revised: 1, unchanged: 170, alsoChanged: 1 })
    expect(await database.rows(`select name from iso_currency where code in ('AED', 'AFN')`)).toEqual([
      { name: 'Dirham' },
    ])
    expect(await run('reference-currencies')).toMatchObject({ added: 1, revised: 1, unchanged: 170 })
  })
})
