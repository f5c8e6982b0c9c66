import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { identifierKey } from '../../../../src/domains/screening/identifiers-model.js'
import type { ScreeningRow } from '../../../../src/domains/screening/model.js'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { ukSanctions } from '../../../../src/ingest/providers/uk-sanctions/list-csv.js'
import { samplePath } from '../../../support/samples.js'
import { lines, readStream } from '../read-stream.js'

const COLUMNS = [
  'Unique ID',
  'Name 6',
  'Name 1',
  'Name 2',
  'Name 3',
  'Name 4',
  'Name 5',
  'Name type',
  'Regime Name',
  'Designation Type',
  'Date Designated',
  'National Identifier number',
  'Passport number',
  'Business registration number (s)',
  'IMO number',
  'Hull identification number (HIN)',
] as const
type Cells = Partial<Record<(typeof COLUMNS)[number], string>>

const DAY = 'Report Date: 08-Oct-2026'
const HEADER = COLUMNS.join()
const row = (cells: Cells) => {
  const known: Cells = {
    'Regime Name': 'Russia',
    'Designation Type': 'Entity',
    'Date Designated': '31/07/2024',
  }
  return COLUMNS.map((name) => `"${{ 'Name type': 'Alias', ...known, ...cells }[name] ?? ''}"`).join()
}

const shortOf = (item: ScreeningRow) =>
  item.kind === 'subject'
    ? [item.subjectId, item.name, item.programs, item.listedOn, ...item.identifiers.map(identifierKey)].join(
        '|',
      )
    : item.kind
const read = async (...rows: string[]) => {
  const { rows: items, rejections } = await readStream(ukSanctions, lines(DAY, HEADER, ...rows))
  const { isComplete, isProven } = items[0]?.body ?? {}
  return { rows: items.map(shortOf), rejections, isComplete, isProven }
}

describe('the list of the United Kingdom', () => {
  it('joins the rows of an entry by its Unique ID, with the primary name and all numbers', async () => {
    expect(
      await read(
        row({ 'Unique ID': 'RUS1', 'Name 6': 'OTHER' }),
        row({
          'Unique ID': 'RUS2',
          'Name 6': 'SHIP',
          'IMO number': 'IMO9826902',
          'Designation Type': 'Ship',
        }),
        row({
          'Unique ID': 'RUS1',
          'Name 6': 'BANK',
          'Name type': 'Primary Name',
          'Business registration number (s)': 'INN: 7707083893 OGRN: 1027700132195; 123/4 (Cyprus)',
        }),
        row({
          'Unique ID': 'RUS1',
          'Name 6': 'OTHER',
          'Business registration number (s)': 'INN: 7707083893',
        }),
        row({
          'Unique ID': 'DPR3',
          'Name 1': 'A',
          'Name 6': 'B',
          'Designation Type': 'Individual',
          'Passport number': 'A 123',
          'National Identifier number': 'none',
        }),
      ),
    ).toEqual({
      rows: [
        'RUS1|BANK|Russia|2024-07-31|registration:CY:1234|registration:RU:1027700132195|tax_id:RU:7707083893',
        'RUS2|SHIP|Russia|2024-07-31|imo::9826902',
        'DPR3|A B|Russia|2024-07-31|passport::A123',
      ],
      rejections: ['line 7: the National Identifier number "none" has no digit'],
      isComplete: true,
      isProven: undefined,
    })
  })

  it('says which number it keeps without its country, because the country is not known', async () => {
    const number = { 'Business registration number (s)': '123 (Atlantis)' }
    expect(await read(row({ 'Unique ID': 'RUS1', 'Name 6': 'BANK', ...number }))).toMatchObject({
      rows: ['RUS1|BANK|Russia|2024-07-31|registration::123'],
      rejections: [
        'line 3: the Business registration number (s) "123" is stored without its country, because "Atlantis" is not a known one',
      ],
    })
  })

  it('loses wrong rows and entries that contradict themselves, and then is not complete', async () => {
    const { rows, rejections, isComplete } = await read(
      row({ 'Unique ID': 'RUS1' }),
      row({ 'Unique ID': 'RUS1', 'Date Designated': '01/08/2024' }),
      row({ 'Unique ID': '' }),
      row({ 'Unique ID': 'RUS2', 'Designation Type': 'Wallet' }),
      '"RUS3","cut',
      row({ 'Unique ID': 'RUS4', 'Name 6': 'KEPT', 'Date Designated': '31/02/2024' }),
    )
    expect(rows).toEqual(['RUS4|KEPT|Russia|'])
    expect(rejections).toEqual([
      'line 4: line 3 states RUS1 with another regime, type or day; neither is used',
      'line 5: "" is not a Unique ID',
      'line 6: the Designation Type "Wallet" is not known',
      expect.stringContaining('line 7: has '),
      'line 8: "31/02/2024" is not a day up to now; the entry is kept without its date',
      'line 3: a later line contradicts RUS1; neither is used',
    ])
    expect(isComplete).toBe(false)
  })

  it.each([
    ['an HTML page', '<html><body>Service Unavailable</body></html>', BrokenCsv],
    ['nothing', '', BrokenCsv],
    ['without the day of the report', lines(HEADER, row({ 'Unique ID': 'RUS1' })), BrokenBody],
    ['of a later day', lines('Report Date: 08-Oct-2126', HEADER, row({ 'Unique ID': 'RUS1' })), BrokenBody],
    [
      'without a column',
      lines(DAY, HEADER.replace('Passport number', 'Passport'), row({ 'Unique ID': 'RUS1' })),
      BrokenBody,
    ],
    ['without entries', lines(DAY, HEADER), BrokenBody],
    [
      'Latin-1',
      Buffer.from(lines(DAY, HEADER, row({ 'Unique ID': 'RUS1', 'Name 6': 'SOCIÉTÉ' })), 'latin1'),
      BrokenCsv,
    ],
  ])('is refused completely if it is %s', async (_what, body, error) => {
    await expect(readStream(ukSanctions, body)).rejects.toThrow(error)
  })
})

const SAMPLE = samplePath('sanctions/uk/UK-Sanctions-List_2026-10-08_one_ship.csv')
const RETIRED = samplePath('sanctions/uk/ConList_retired_2rows_cut.csv')

describe.skipIf(SAMPLE === null || RETIRED === null)(
  'recorded rows of the UK (skipped without their samples)',
  () => {
    it('give the ship with its IMO number', async () => {
      const { rows, rejections } = await readStream(ukSanctions, readFileSync(SAMPLE ?? ''))
      expect(rows.map(shortOf)).toEqual([
        'RUS2176|KOROLEV PROSPECT|The Russia (Sanctions) (EU Exit) Regulations 2019|2024-07-31|imo::9826902',
      ])
      expect(rejections).toEqual([])
    })

    it('are refused from the list that was retired in 2026', async () => {
      await expect(readStream(ukSanctions, readFileSync(RETIRED ?? ''))).rejects.toThrow(
        'not the day of the report',
      )
    })
  },
)
