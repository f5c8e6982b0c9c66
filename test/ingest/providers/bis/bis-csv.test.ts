import { readFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { samplePath } from '../../../support/samples.js'
import { lines, readBis, rejectionsOf, rowsOf } from './bis-bodies.js'

const V1 = 'FREQ,BORROWERS_CTY,DSR_BORROWERS,TIME_PERIOD,OBS_VALUE'
const V1_FULL = `DATAFLOW,${V1},OBS_STATUS,UNIT_MULT`
const CREDIT = 'FREQ,BORROWERS_CTY,TC_BORROWERS,TC_LENDERS,VALUATION,UNIT_TYPE,TC_ADJUST'
const V2_LABELLED =
  'STRUCTURE,STRUCTURE_ID,ACTION,FREQ:Frequency,REF_AREA:Area,VALUE:Value,UNIT_MEASURE:Unit,TIME_PERIOD:Period,OBS_VALUE:Value,UNIT_MULT:Multiplier,OBS_STATUS:Status'
const SPP = 'dataflow,BIS:WS_SPP(1.0): Property prices,I,Q: Quarterly,XM: Euro area,R: Real,628: Index'
const WIDE = 'FREQ,Frequency,BORROWERS_CTY,Country,DSR_BORROWERS,Borrowers,UNIT_MULT,Series,2024-Q1,2024-Q2'

describe('a body of the BIS', () => {
  it('of the API, v1 without attributes, is recognized by its dimensions', async () => {
    expect(await rowsOf(lines(V1, 'Q,US,P,2024-Q1,7.5', 'Q,5R,P,2024-Q1,'))).toEqual([
      'WS_DSR Q.US.P 2024-01-01 7.5 %',
      'WS_DSR Q.5R.P 2024-01-01  %',
    ])
  })

  it('of the API, v1 with all attributes, states its table and which values are missing', async () => {
    const row = (rest: string) => `BIS:WS_DSR(1.0),Q,US,P,${rest}`
    const body = lines(V1_FULL, row('2024-Q1,7,A,0'), row('2024-Q2,NaN,M,0'), row('2024-Q3,,H,'))
    expect(await rowsOf(body)).toEqual([
      'WS_DSR Q.US.P 2024-01-01 7 %',
      'WS_DSR Q.US.P 2024-04-01  %',
      'WS_DSR Q.US.P 2024-07-01  %',
    ])
  })

  it('of the API, v2 with labels, and a byte order mark, is read by code, and described by the labels', async () => {
    const body = `\uFEFF${lines(V2_LABELLED, `${SPP},2024-Q1,101.5,0: Units,A: Normal`)}`
    expect(await rowsOf(body)).toEqual(['WS_SPP Q.XM.R.628 2024-01-01 101.5 INDEX_2010=100'])
    const [item] = await readBis(body)
    expect(item).toMatchObject({
      row: { series: { country: 'XM', description: 'Euro area - Real - Index', isHeadline: true } },
    })
  })

  it('gives amounts in billions, whatever the published power of ten', async () => {
    const row = (rest: string) => `Q,US,P,A,M,${rest}`
    const body = lines(
      `${CREDIT},TIME_PERIOD,OBS_VALUE,UNIT_MULT,UNIT_MEASURE`,
      row('USD,A,2024-Q1,43143.826,9,USD'),
      row('USD,A,2024-Q2,43143826,6,USD'),
      row('XDC,A,2024-Q1,1500000000,0,CAD'),
      row('770,A,2024-Q1,140.3,0,367'),
    )
    expect(await rowsOf(body)).toEqual([
      'WS_TC Q.US.P.A.M.USD.A 2024-01-01 43143.826 USD_B',
      'WS_TC Q.US.P.A.M.USD.A 2024-04-01 43143.826 USD_B',
      'WS_TC Q.US.P.A.M.XDC.A 2024-01-01 1.5 CAD_B',
      'WS_TC Q.US.P.A.M.770.A 2024-01-01 140.3 %_GDP',
    ])
    const banking = `FREQ,L_MEASURE,L_POSITION,L_INSTR,L_DENOM,L_CURR_TYPE,L_PARENT_CTY,L_REP_BANK_TYPE,L_REP_CTY,L_CP_SECTOR,L_CP_COUNTRY,L_POS_TYPE,TIME_PERIOD,OBS_VALUE`
    expect(await rowsOf(lines(banking, 'Q,S,C,A,TO1,A,5J,A,CH,A,5J,N,2024-Q1,812345.6'))).toEqual([
      'WS_LBS_D_PUB Q.S.C.A.TO1.A.5J.A.CH.A.5J.N 2024-01-01 812.3456 USD_B',
    ])
  })

  it('applies a row without a period to the rows of its series', async () => {
    const row = (rest: string) => `Q,US,P,A,M,${rest}`
    const body = lines(
      `${CREDIT},TIME_PERIOD,OBS_VALUE,UNIT_MULT,UNIT_MEASURE`,
      row('XDC,A,,,6,USD'),
      row('XDC,A,2024-Q1,2500,,'),
      row('770,A,2024-Q1,140.3,,'),
    )
    expect(await rowsOf(body)).toEqual([
      'WS_TC Q.US.P.A.M.XDC.A 2024-01-01 2.5 USD_B',
      'WS_TC Q.US.P.A.M.770.A 2024-01-01 140.3 %_GDP',
    ])
  })

  it('of months becomes quarters once all months exist; other frequencies are left out', async () => {
    const eer = 'FREQ,EER_TYPE,EER_BASKET,REF_AREA,TIME_PERIOD,OBS_VALUE'
    const month = (rest: string) => `M,R,B,KR,${rest}`
    const mean = lines(
      eer,
      ...['2024-01,100', '2024-02,101', '2024-03,102.5', '2024-04,9', '2024-05,9'].map(month),
      ...['2023-01,1', '2023-02,', '2023-03,1'].map(month),
      'D,R,B,KR,2024-01-02,100',
    )
    expect(await rowsOf(mean)).toEqual([
      'WS_EER Q.R.B.KR 2024-01-01 101.166666667 INDEX_2020=100',
      'WS_EER Q.R.B.KR 2023-01-01  INDEX_2020=100',
    ])
    const last = lines(
      'FREQ,REF_AREA,TIME_PERIOD,OBS_VALUE',
      'M,CH,2024-03,1.5',
      'M,CH,2024-01,1.75',
      'M,CH,2024-02,1.75',
    )
    expect(await rowsOf(last)).toEqual(['WS_CBPOL Q.CH 2024-01-01 1.5 %'])
    const annual = lines('FREQ,REF_AREA,UNIT_MEASURE,TIME_PERIOD,OBS_VALUE', 'A,US,628,2024,143.9')
    expect(await rowsOf(annual)).toEqual(['WS_LONG_CPI A.US.628 2024-01-01 143.9 INDEX_2010=100'])
  })

  it('with a column per period lists all filled cells, zipped or not, and holds whole series', async () => {
    const body = lines(
      WIDE,
      'Q,Quarterly,US,United States,P,Private,0,Q:US:P,7.5,',
      'Q,Quarterly,4T,Emerging,P,Private,0,Q:4T:P,,1e1',
    )
    const read = ['WS_DSR Q.US.P 2024-01-01 7.5 %', 'WS_DSR Q.4T.P 2024-04-01 10 %']
    expect(await rowsOf(body)).toEqual(read)
    const archive = zipSync({
      'readme.txt': new Uint8Array(9),
      'WS_DSR_csv_col.csv': new TextEncoder().encode(body),
    })
    expect(await rowsOf(archive)).toEqual(read)
    await expect(readBis(archive.subarray(0, archive.length - 200))).rejects.toThrow(BrokenBody)
    const [item] = await readBis(body)
    expect(item).toMatchObject({ row: { isOfWholeSeries: true } })
  })
})

describe('a hostile body of the BIS', () => {
  it.each([
    ['an HTML page', '<html><body>503</body></html>', BrokenCsv],
    ['nothing', '', BrokenCsv],
    ['an error in JSON', '{"error": "no data"}', BrokenCsv],
    ['Latin-1', Buffer.from(lines(V1, 'Q,US,P,2024-Q1,7é'), 'latin1'), BrokenCsv],
    ['UTF-16', Buffer.from(lines(V1, 'Q,US,P,2024-Q1,7'), 'utf16le'), BrokenCsv],
    ['a header alone', lines(V1), BrokenBody],
    ['another table', lines('Date,USD', '2024-01-01,1'), BrokenBody],
    ['a table that is not served', lines(V1_FULL, 'BIS:WS_XRU(1.0),Q,US,P,2024-Q1,7,A,0'), BrokenBody],
    ['no archive', Buffer.from('PK not a zip at all'), BrokenBody],
  ])('is refused completely if it is %s', async (_what, body, error) => {
    await expect(readBis(body)).rejects.toThrow(error)
  })

  it('loses only the wrong rows, each with its reason', async () => {
    const row = (rest: string) => `BIS:WS_DSR(1.0),Q,US,P,${rest}`
    const body = lines(
      V1_FULL,
      row('2024-Q1,NaN,A,0'),
      row('2024-Q2,1e400,A,0'),
      row('2024-Q3,"1,5",A,0'),
      row('2024-Q5,1,A,0'),
      row('2024-05,1,A,0'),
      row('2027-Q1,1,A,0'),
      row('2023-Q1,1,A,1e9'),
      row('2023-Q2,1,A,0'),
      row('2023-Q2,1,A,0'),
      row('2023-Q2,2,A,0'),
      'BIS:WS_SPP(1.0),Q,US,P,2023-Q3,1,A,0',
      'BIS:WS_DSR(1.0),Q,,P,2023-Q3,1,A,0',
      'BIS:WS_DSR(1.0),Q,FR,P,2023-Q2,1,A,0',
      row('2023-Q2,3,A,0'),
      row('2023-Q3,4,A,0'),
      'BIS:WS_DSR(1.0),Q,US',
    )
    expect(await rejectionsOf(body)).toEqual([
      'line 2: NaN is not a value, and the status of the observation does not say that it is missing',
      'line 3: the value "1e400" is not a decimal in the supported range',
      'line 4: the value "1,5" is not a decimal in the supported range',
      'line 5: "2024-Q5" is not a period of the years 1900 to 2200',
      'line 6: 2024-05 is not a period of a series that is quarterly',
      'line 7: 2027-Q1 has not begun yet',
      'line 8: the unit multiplier "1e9" is not a power of ten',
      'line 11: the period is repeated with another value; the first was 1',
      'line 12: "BIS:WS_SPP(1.0)" is not the table WS_DSR',
      'line 13: has no BORROWERS_CTY',
      'line 15: the period is repeated, or the rows of the series are not in order',
      'line 17: has 3 cells, but the header has 8',
    ])
    expect((await readBis(body)).filter(({ kind }) => kind === 'row')).toHaveLength(3)
  })

  it('of whole series lists the periods whose values are lost', async () => {
    const daily = 'FREQ,REF_AREA,TIME_PERIOD,OBS_VALUE'
    const listed = async (body: string, isWhole: boolean) =>
      (await readBis(body, { isWhole })).flatMap((item) =>
        item.kind === 'rejected' ? [item.listed === undefined ? 'not listed' : item.listed.periodStart] : [],
      )
    const quarters = lines(V1, 'Q,US,P,2024-Q2,n.a.', 'Q,US,P,2024-Q5,1')
    expect(await listed(quarters, true)).toEqual(['2024-04-01', 'not listed'])
    expect(await listed(quarters, false)).toEqual(['not listed', 'not listed'])
    expect(await listed(lines(daily, 'M,US,2024-05,1e400', 'M,US,2024-06,1'), true)).toEqual(['2024-04-01'])
  })

  it('with a column per period loses a series that does not match its columns; NaN is missing there', async () => {
    const row = 'Q,Quarterly,US,United States,P,Private,0,Q:US:P,7.5,NaN'
    expect(
      await rejectionsOf(lines(WIDE, row, row, row.replace('Q:US:P', 'Q:FR:P'), 'Q,Quarterly,US')),
    ).toEqual([
      'line 4: the series "Q:FR:P" does not match the columns of its row',
      'line 5: has 3 cells, but the header has 10',
    ])
    expect(await rowsOf(lines(WIDE, row))).toEqual([
      'WS_DSR Q.US.P 2024-01-01 7.5 %',
      'WS_DSR Q.US.P 2024-04-01  %',
    ])
  })

  it('with a column per period rejects each value before 1900, and keeps the others', async () => {
    const header = WIDE.replace('2024-Q1,2024-Q2', '1661-Q1,1899-Q4,1900-Q1')
    const body = lines(header, 'Q,Quarterly,US,United States,P,Private,0,Q:US:P,1.3,,7.5')
    expect(await rejectionsOf(body)).toEqual(['line 2, 1661-Q1: "1661-Q1": years before 1900 are not kept'])
    const kept = (await readBis(body)).flatMap((item) => (item.kind === 'row' ? item.row.periodStart : []))
    expect(kept).toEqual(['1900-01-01'])
  })
})

const DSR = samplePath('bis/WS_DSR_v2_csv_labels_both_CN_rows.csv')
const EER = samplePath('bis/WS_EER_v1_csv_KR_rows.csv')

describe.skipIf(DSR === null || EER === null)('recorded bodies (skipped without their sample files)', () => {
  it('of the API are read, v2 with labels and v1', async () => {
    expect(await rowsOf(readFileSync(DSR ?? ''))).toEqual([
      'WS_DSR Q.CN.P 1999-01-01 10.1 %',
      'WS_DSR Q.CN.P 2025-10-01 18.8 %',
    ])
    // Two months are no quarter yet.
    expect(await rowsOf(readFileSync(EER ?? ''))).toEqual([])
  })
})
