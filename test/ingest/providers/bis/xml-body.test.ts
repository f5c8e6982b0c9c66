import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { samplePath } from '../../../support/samples.js'
import { readBis, rejectionsOf, rowsOf } from './bis-bodies.js'

const value = (id: string, text: string) => `<g:Value id="${id}" value="${text}"/>`
const keyOf = (codes: Readonly<Record<string, string>>) =>
  `<g:SeriesKey>${Object.entries(codes)
    .map(([id, text]) => value(id, text))
    .join('')}</g:SeriesKey>`
const observed = (period: string, text: string, status = 'A') =>
  `<g:Obs><g:ObsDimension value="${period}"/><g:ObsValue value="${text}"/><g:Attributes>${value('OBS_STATUS', status)}</g:Attributes></g:Obs>`

function message(series: string, { flow = 'WS_CBPOL', common = '' } = {}): string {
  const ref = `<m:Structure><c:StructureUsage><Ref agencyID="BIS" id="${flow}" version="1.0"/></c:StructureUsage></m:Structure>`
  return `<?xml version="1.0" encoding="UTF-8"?><m:GenericData xmlns:m="urn:m" xmlns:g="urn:g" xmlns:c="urn:c"><m:Header>${ref}</m:Header><m:DataSet><g:Attributes>${common}</g:Attributes>${series}</m:DataSet></m:GenericData>`
}

const rate = (...observations: readonly string[]) =>
  `<g:Series>${keyOf({ FREQ: 'M', REF_AREA: 'CH' })}<g:Attributes>${value('TITLE', ' Policy rate ')}</g:Attributes>${observations.join('')}</g:Series>`

const DEBT = { FREQ: 'Q', BORROWERS_CTY: 'US', DSR_BORROWERS: 'P' }

describe('a generic message of the BIS', () => {
  it('of months gives quarters by the rule of the table, described by its title', async () => {
    const body = message(
      rate(observed('2025-10', '0.5'), observed('2025-11', '0.25'), observed('2025-12', '0')),
    )
    expect(await rowsOf(body)).toEqual(['WS_CBPOL Q.CH 2025-10-01 0 %'])
    expect(await readBis(body)).toMatchObject([
      { row: { isOfWholeSeries: false, series: { description: 'Policy rate', country: 'CH' } } },
    ])
  })

  it('applies the multiplier of the whole message, or that of the series', async () => {
    const credit = {
      FREQ: 'Q',
      BORROWERS_CTY: 'US',
      TC_BORROWERS: 'P',
      TC_LENDERS: 'A',
      VALUATION: 'M',
      UNIT_TYPE: 'USD',
      TC_ADJUST: 'A',
    }
    const series = (more: string) =>
      `<g:Series>${keyOf(credit)}<g:Attributes>${more}</g:Attributes>${observed('2025-Q4', '43143826')}</g:Series>`
    const common = value('UNIT_MULT', '6')
    const row = (text: string) => [`WS_TC Q.US.P.A.M.USD.A 2025-10-01 ${text} USD_B`]
    expect(await rowsOf(message(series(''), { flow: 'WS_TC', common }))).toEqual(row('43143.826'))
    expect(await rowsOf(message(series(value('UNIT_MULT', '9')), { flow: 'WS_TC', common }))).toEqual(
      row('43143826'),
    )
  })

  it('that names only its structure is recognized by its dimensions', async () => {
    const series = `<g:Series>${keyOf(DEBT)}${observed('2025-Q4', '15.1')}${observed('2026-Q1', 'NaN', 'M')}</g:Series>`
    expect(await rowsOf(message(series, { flow: 'BIS_DSR' }))).toEqual([
      'WS_DSR Q.US.P 2025-10-01 15.1 %',
      'WS_DSR Q.US.P 2026-01-01  %',
    ])
  })

  it('loses the unreadable observations, each with its reason', async () => {
    const cells = [
      observed('2025-Q1', 'NaN'),
      observed('2025-Q2', '1e400'),
      observed('2025-Q3', '1'),
      observed('2025-Q3', '2'),
      observed('2025-13', '1'),
      observed('2027-Q1', '1'),
    ]
    const series = `<g:Series>${keyOf(DEBT)}${cells.join('')}</g:Series>`
    expect(await rejectionsOf(message(series, { flow: 'WS_DSR' }))).toEqual([
      'series Q.US.P, 2025-Q1: NaN is not a value, and the status of the observation does not say that it is missing',
      'series Q.US.P, 2025-Q2: the value "1e400" is not a decimal in the supported range',
      'series Q.US.P, 2025-Q3: the period is repeated with another value; the first was 1',
      'series Q.US.P, 2025-13: "2025-13" is not a period of the years 1900 to 2200',
      'series Q.US.P, 2027-Q1: 2027-Q1 has not begun yet',
    ])
  })

  it('that is cut off keeps the earlier rows, and says so', async () => {
    const series = `<g:Series>${keyOf(DEBT)}${observed('2025-Q1', '1')}${observed('2025-Q2', '2')}</g:Series>`
    const body = message(series, { flow: 'WS_DSR' })
    const read = await readBis(body.slice(0, body.indexOf('value="2"')))
    expect(read).toMatchObject([
      { kind: 'row', row: { value: '1' } },
      { kind: 'rejected', position: 'series Q.US.P, 2025-Q2', reason: 'the body is cut off' },
    ])
  })

  it.each([
    ['a page', '<!doctype html><html><br></html>', BrokenBody, /not XML from line 1/],
    ['another document', '<html><br></html>', BrokenCsv, /it begins with "html"/],
    ['no XML', '<GenericData><a></b>', BrokenBody, /not XML from line 1/],
    [
      'another table',
      message(`<g:Series>${keyOf({ FREQ: 'Q', X: 'Y' })}${observed('2025-Q1', '1')}</g:Series>`, {
        flow: 'WS_X',
      }),
      BrokenBody,
      /not in a served table/,
    ],
    ['no series', message(''), BrokenBody, /has no series/],
    ['a flat message', message('<g:Obs><g:ObsKey/></g:Obs>'), BrokenBody, /is flat/],
    ['another encoding', '<?xml version="1.0" encoding="EUC-KR"?><GenericData/>', BrokenBody, /not in UTF-8/],
    [
      'an entity',
      '<!DOCTYPE a [<!ENTITY b "c">]><GenericData>&b;</GenericData>',
      BrokenBody,
      /document type/,
    ],
    ['a tag without end', `<GenericData a="${'x'.repeat(2_000_000)}`, BrokenBody, /never closed/],
    ['too deep', `${'<GenericData>'.repeat(60)}`, BrokenBody, /nested too deeply/],
  ])('is refused completely if it is %s', async (_what, body, error, reason) => {
    const reading = readBis(body, { chunk: 100_000 })
    await expect(reading).rejects.toThrow(error)
    await expect(reading).rejects.toThrow(reason)
  })

  it.skipIf(samplePath('bis/WS_CBPOL_M.CH_v1_generic.xml') === null)(
    'as recorded is read in chunks of any size (skipped without its sample file)',
    async () => {
      const body = readFileSync(samplePath('bis/WS_CBPOL_M.CH_v1_generic.xml') ?? '', 'utf8')
      // The last month of 2025 and the first two of 2026 are no whole quarter.
      expect(await readBis(body, { chunk: 7 })).toEqual([])
      const whole = body.replaceAll('2025-12', '2026-03')
      expect(await rowsOf(whole)).toEqual(['WS_CBPOL Q.CH 2026-01-01 0 %'])
    },
  )
})
