import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ScreeningRow } from '../../../../src/domains/screening/model.js'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { euJournal } from '../../../../src/ingest/providers/eu-sanctions/journal-csv.js'
import { leisOf } from '../../../support/ingest/leis-of.js'
import { casePath, samplePath } from '../../../support/samples.js'
import { lines, readStream } from '../read-stream.js'

const HEADER = 'celex,recordId,programKey,annex,measure,startDate,reason,schema,name,leiCode'
const AMENDING = `amendedCelex,amendmentCelex,${HEADER.slice(6)}`
const row = (rest: string, id = 1, schema = 'Company') =>
  `32014R0269,${id},EU-UKR,I,Asset freeze,${rest.split('|')[0]},"why, so",${schema},${rest.split('|')[1]}`
const LEI = '6556009FCJ7O8QPFTC19'

const shortOf = (item: ScreeningRow) =>
  item.kind === 'subject'
    ? [item.section, item.subjectId, item.name, item.programs, leisOf(item), item.listedOn].join('|')
    : item.kind
const ID = 'EU-UKR / I / Asset freeze / Company'

describe('a table of the Official Journal', () => {
  it('gives entities with programme, day and LEI, for any format of the day', async () => {
    const { rows, rejections } = await readStream(
      euJournal,
      lines(
        HEADER,
        row(`23.4.2026|A,${LEI.toLowerCase()}`),
        row('2 December 2024|B,', 2),
        row('26 Feb. 2011|C,', 3),
        row('2011|D,', 4),
        row('|E,', 5),
        row('2025-02-28|"P, Q",', 6, 'Person'),
      ),
    )
    expect(rejections).toEqual([])
    expect(rows.map(shortOf)).toEqual([
      `32014R0269|${ID} / 1|A|EU-UKR|${LEI}|2026-04-23`,
      `32014R0269|${ID} / 2|B|EU-UKR||2024-12-02`,
      `32014R0269|${ID} / 3|C|EU-UKR||2011-02-26`,
      `32014R0269|${ID} / 4|D|EU-UKR||`,
      `32014R0269|${ID} / 5|E|EU-UKR||`,
    ])
    expect(rows[0]?.body).toEqual({ list: 'eu_journal_sanctions', isWhole: true, isComplete: true })
  })

  it('gives LEIs in every column, and names those that are not stored', async () => {
    const [tax, text, ofReason, ofVessel] = [
      '253400EXAMPLE0000198',
      '253400EXAMPLE0000295',
      '549300EXAMPLE0000364',
      '253400WSS48YWMBUA688',
    ]
    const header = HEADER.replace('reason', 'taxNumber,notes,reason')
    const entry = (id: number, schema: string, cells: string) =>
      row(`1.1.2020|A,${LEI}`, id, schema).replace('"why, so"', cells)
    const { rows, rejections } = await readStream(
      euJournal,
      lines(
        header,
        entry(1, 'Company', `${tax},"LEI: ${text}",owned by ${ofReason}`),
        entry(2, 'Company', '40702810500000000001,LEI: 253400EXAMPLE0000197,'),
        entry(3, 'Vessel', `${ofVessel},,`),
      ),
    )
    expect(rows.map((item) => item.kind === 'subject' && leisOf(item))).toEqual([
      [tax, text, LEI].sort(),
      [LEI],
    ])
    expect(rejections).toEqual([
      `line 2: the LEI ${ofReason} is not stored, because it stands in the reason, which may mean another entity`,
      'line 3: the LEI "253400EXAMPLE0000197" is not an LEI: the check digits do not match (ISO 17442)',
      `line 4: the LEI ${ofVessel}, ${LEI} is not stored, because it stands in an entry of the kind Vessel`,
    ])
  })

  const registration = casePath('eu-lei-registration/32014R0269.csv')
  it.skipIf(registration === null)(
    'gives the LEI of a registration number (skips without the file)',
    async () => {
      const { rows } = await readStream(euJournal, readFileSync(registration ?? ''))
      expect(rows.flatMap((item) => (item.kind === 'subject' ? leisOf(item) : []))).toEqual([
        '549300EXAMPLE0000364',
        '253400EXAMPLE0000198',
        '253400EXAMPLE0000295',
      ])
    },
  )

  it('may be followed by another; an amending act is not complete', async () => {
    const amendment = row('23.4.2026|B,').replace('32014R0269,', '32014R0269,32026R1941,')
    const { rows } = await readStream(euJournal, lines(HEADER, row('1.1.2020|A,'), AMENDING, amendment))
    expect(rows.map(({ body }) => [body.isWhole, body.isComplete])).toEqual([
      [true, true],
      [false, true],
    ])
    expect(rows.map(shortOf).at(1)).toBe(`32014R0269|${ID} / 1|B|EU-UKR||2026-04-23`)
  })

  it('loses the wrong rows, each with its reason, and then is not complete', async () => {
    const { rows, rejections } = await readStream(
      euJournal,
      lines(
        HEADER,
        row('1.1.2020|A,'),
        row('1.1.2020|A,'),
        row('1.1.2020|B,'),
        row('1.1.2020|,', 2),
        row('1.1.2020|C,', 3).replace('32014R0269', '32014R269'),
        row('NaN|D,', 4),
        row('31.12.2026|E,', 5),
        row(`1.1.2020|F,${LEI.slice(0, 19)}0; NaN; ${LEI}`, 6),
        '32014R0269,7,EU-UKR,I,Asset fre',
      ),
    )
    expect(rows.map(shortOf)).toEqual([
      `32014R0269|${ID} / 1|A|EU-UKR||2020-01-01`,
      `32014R0269|${ID} / 4|D|EU-UKR||`,
      `32014R0269|${ID} / 5|E|EU-UKR||`,
      `32014R0269|${ID} / 6|F|EU-UKR|${LEI}|2020-01-01`,
    ])
    expect(rejections).toEqual([
      'line 4: the entry is repeated with different content',
      'line 5: has no name',
      'line 6: "32014R269" is not a CELEX number of an act',
      'line 7: "NaN" is not a day up to now; the entry is kept without its date',
      'line 8: "31.12.2026" is not a day up to now; the entry is kept without its date',
      `line 9: the LEI "${LEI.slice(0, 19)}0" is not an LEI: the check digits do not match (ISO 17442)`,
      'line 9: the LEI "NaN" must be an LEI: 18 letters or digits and 2 check digits',
      'line 10: has 5 cells, but the header has 10',
    ])
    expect(rows[0]?.body.isComplete).toBe(false)
  })

  it.each([
    ['an HTML page', '<!doctype html><html></html>', BrokenCsv],
    ['nothing', '', BrokenCsv],
    ['an error in JSON', '{"message": "Not Found"}', BrokenCsv],
    ['Latin-1', Buffer.from(lines(HEADER, row('1.1.2020|Société,')), 'latin1'), BrokenCsv],
    ['cut within a quote', `${HEADER}\n32014R0269,1,EU-UKR,I,Asset freeze,1.1.2020,"why`, BrokenCsv],
    ['another table', lines('Date,USD', '2026-01-01,1'), BrokenBody],
  ])('is refused completely if it is %s', async (_what, body, error) => {
    await expect(readStream(euJournal, body)).rejects.toThrow(error)
  })
})

const JOURNAL = samplePath('opensanctions/eu_journal/32014R0269_subset.csv')

describe.skipIf(JOURNAL === null)('a recorded annex (skipped without its sample)', () => {
  it('gives its 62 entities, two of them with an LEI', async () => {
    const { rows, rejections } = await readStream(euJournal, readFileSync(JOURNAL ?? ''))
    expect(rejections).toEqual([])
    expect(rows).toHaveLength(62)
    const found = rows.flatMap((item) =>
      item.kind === 'subject' && leisOf(item).length > 0
        ? [[item.name, leisOf(item).join(), item.listedOn]]
        : [],
    )
    expect(found).toEqual([
      ['Yangzhou Yangjie Electronic Technology Co., Ltd.', LEI, '2026-04-23'],
      ['Alghaf Marine DMCC', '984500SAI1E9CB88DC54', '2026-04-23'],
    ])
  })
})
