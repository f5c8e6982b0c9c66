import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BIS_DATASETS, headlineKey } from '../../../../src/domains/macro/bis/datasets-model.js'
import { AREA_NAMES, areaName } from '../../../../src/domains/macro/names/area-names-model.js'
import { seriesName } from '../../../../src/domains/macro/names/series-names-model.js'
import { BLS_SERIES } from '../../../../src/ingest/providers/bls/series-list.js'
import { BOJ_SERIES } from '../../../../src/ingest/providers/boj/series-list.js'
import { BOK_SERIES } from '../../../../src/ingest/providers/bok/series-list.js'
import { ECB_SERIES } from '../../../../src/ingest/providers/ecb/series-list.js'
import { UST_SERIES } from '../../../../src/ingest/providers/ust/series-list.js'
import { SRC } from '../../../support/source-files.js'

const HEADLINES = BIS_DATASETS.flatMap((dataset) =>
  ['US', 'XM'].map((country) => ({
    provider: 'bis',
    dataset: dataset.code,
    seriesKey: headlineKey(dataset, country),
    country,
    description: null,
  })),
)

describe('names of macro series', () => {
  it('exist for each headline series and each series that a feed requests, and differ', () => {
    const series = [...HEADLINES, ...BOJ_SERIES, ...BOK_SERIES, ...BLS_SERIES, ...ECB_SERIES, ...UST_SERIES]
    const names = series.map((one) => seriesName({ ...one, description: 'no name' }))
    expect(names).not.toContain('no name')
    expect(names.join()).not.toMatch(/[{}]/)
    expect(new Set(names).size).toBe(series.length)
  })

  it.each([
    ['WS_LONG_CPI', 'Q.US.628', 'US', 'US consumer prices (CPI)'],
    ['WS_LONG_CPI', 'Q.US.771', 'US', 'US inflation (CPI, year on year)'],
    ['WS_CBPOL', 'Q.XM', 'XM', 'Euro area policy rate'],
    ['WS_SPP', 'Q.KR.R.628', 'KR', 'South Korea house prices (real)'],
    ['WS_LBS_D_PUB', 'Q.S.C.A.TO1.A.5J.A.GB.A.5J.N', 'GB', 'UK cross-border bank claims'],
  ])('of %s %s have the country as people say it', (dataset, seriesKey, country, name) => {
    expect(seriesName({ provider: 'bis', dataset, seriesKey, country, description: null })).toBe(name)
  })

  it('are the titles of the publisher, else the keys, for other series', () => {
    const other = { provider: 'bis', dataset: 'WS_TC', seriesKey: 'Q.US.H.A.M.770.A', country: 'US' }
    expect(seriesName({ ...other, description: 'Credit to households' })).toBe('Credit to households')
    expect(seriesName({ ...other, description: null })).toBe('WS_TC Q.US.H.A.M.770.A')
  })
})

describe('names of countries', () => {
  /** Where CLDR has more than people say, and codes of groups in its range of private codes. */
  const OTHERS = { HK: 'Hong Kong', XM: 'Euro area', XW: 'World' }

  it('are those of the Unicode CLDR', () => {
    const cldr = new Intl.DisplayNames('en', { type: 'region' })
    const countries = Object.entries(AREA_NAMES).filter(
      ([code]) => /^[A-Z]{2}$/.test(code) && !(code in OTHERS),
    )
    expect(countries.length).toBeGreaterThan(50)
    expect(countries.filter(([code, name]) => name !== cldr.of(code))).toEqual([])
    for (const [code, name] of Object.entries(OTHERS)) expect(areaName(code)).toBe(name)
    expect(areaName('Q9')).toBe('Q9')
  })

  it('are used everywhere: no text says only Korea', () => {
    const files = ['portal', 'domains'].flatMap((part) =>
      readdirSync(join(SRC, part), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(tsx?|json)$/.test(name))
        .map((name) => join(SRC, part, name)),
    )
    expect(files.length).toBeGreaterThan(200)
    const onlyKorea = /(?<!South |North |Bank of )\bKorea\b/
    expect(files.filter((file) => onlyKorea.test(readFileSync(file, 'utf8')))).toEqual([])
  })
})
