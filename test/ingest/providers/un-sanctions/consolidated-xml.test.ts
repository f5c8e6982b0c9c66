import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { identifierKey } from '../../../../src/domains/screening/identifiers-model.js'
import type { ScreeningRow } from '../../../../src/domains/screening/model.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { unConsolidated } from '../../../../src/ingest/providers/un-sanctions/consolidated-xml.js'
import { countKinds } from '../../../support/ingest/count-kinds.js'
import { samplePath } from '../../../support/samples.js'
import { readStream } from '../read-stream.js'

const document = (type: string, number: string, country: string, more = '') =>
  `<INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>${type}</TYPE_OF_DOCUMENT>${more}<NUMBER>${number}</NUMBER><ISSUING_COUNTRY>${country}</ISSUING_COUNTRY></INDIVIDUAL_DOCUMENT>`
const entry = (id: string, documents = '<INDIVIDUAL_DOCUMENT/>', listedOn = '2012-12-31') =>
  `<INDIVIDUAL><FIRST_NAME>A</FIRST_NAME><SECOND_NAME>B</SECOND_NAME><UN_LIST_TYPE>DRC</UN_LIST_TYPE><REFERENCE_NUMBER>${id}</REFERENCE_NUMBER><LISTED_ON>${listedOn}</LISTED_ON>${documents}</INDIVIDUAL>`
const list = (...entries: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><CONSOLIDATED_LIST dateGenerated="2026-02-27T00:00:09.554Z"><INDIVIDUALS>${entries.join('')}</INDIVIDUALS><ENTITIES/></CONSOLIDATED_LIST>`

const shortOf = (row: ScreeningRow) =>
  row.kind === 'subject'
    ? [row.subjectId, row.name, row.programs, row.listedOn, ...row.identifiers.map(identifierKey)].join('|')
    : row.kind
const read = async (text: string) => {
  const { rows, rejections } = await readStream(unConsolidated, text)
  const { isComplete, isProven } = rows[0]?.body ?? {}
  return { rows: rows.map(shortOf), rejections, isComplete, isProven }
}

describe('the list of the Security Council', () => {
  it('gives the documents of each entry by kind and country, in each of its languages', async () => {
    const documents = [
      document('Passport', 'D 000952 ', 'Germany'),
      document('Numéro de passeport ', 'X1234', 'Atlantis'),
      document(
        'Passport',
        '27263401275',
        'Germany',
        '<TYPE_OF_DOCUMENT2>federal identity card number</TYPE_OF_DOCUMENT2>',
      ),
      document('Passport', 'Libyan Passport No. 96/184442', "Democratic People's Republic of Korea"),
      document('Seal', '77 88', 'Qatar'),
      '<INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT></INDIVIDUAL_DOCUMENT>',
    ]
    expect(await read(list(entry('CDi.001', documents.join('')), entry('QDe.002')))).toEqual({
      rows: [
        'CDi.001|A B|DRC|2012-12-31|national_id:DE:27263401275|other:QA:7788|passport::X1234|passport:DE:D000952|passport:KP:96184442',
        'QDe.002|A B|DRC|2012-12-31',
      ],
      rejections: [
        'entry 1, CDi.001: the document "Numéro de passeport" "X1234" is stored without its country, because "Atlantis" is not a known one',
        'entry 1, CDi.001: the document "Passport" has no number',
      ],
      isComplete: true,
      isProven: true,
    })
  })

  it('is neither complete nor proven when it is cut off, and keeps what came before', async () => {
    const whole = list(entry('CDi.001'), entry('CDi.002'))
    expect(await read(whole.slice(0, whole.indexOf('</INDIVIDUALS>')))).toEqual({
      rows: ['CDi.001|A B|DRC|2012-12-31', 'CDi.002|A B|DRC|2012-12-31'],
      rejections: ['end of the list: the body is cut off'],
      isComplete: false,
      isProven: false,
    })
  })

  it('loses an entry without its number and two that contradict each other, and then is not complete', async () => {
    const { rows, rejections, isComplete } = await read(
      list(
        entry('CDi.001'),
        entry(''),
        entry('CDi.001'),
        entry('CDi.003', '', '2012-13-31'),
        entry('CDi.004'),
        entry('CDi.004', document('Passport', 'A1', 'Qatar')),
      ),
    )
    expect(rows).toEqual(['CDi.001|A B|DRC|2012-12-31', 'CDi.003|A B|DRC|', 'CDi.004|A B|DRC|2012-12-31'])
    expect(rejections).toEqual([
      'entry 2: "" is not a REFERENCE_NUMBER',
      'entry 4, CDi.003: "2012-13-31" is not a day; the entry is kept without its date',
      'entry 6, CDi.004: the entry CDi.004 is repeated with different content',
    ])
    expect(isComplete).toBe(false)
  })

  it.each([
    ['an HTML page', '<html><body>Service Unavailable</body></html>'],
    ['another XML document', '<export><INDIVIDUAL/></export>'],
    ['a list without entries', list()],
    ['text', 'moved'],
    [
      'in another encoding',
      Buffer.from(list(entry('CDi.001')).replace('UTF-8', 'ISO-8859-1').replace('>A<', '>É<'), 'latin1'),
    ],
  ])('is refused completely if it is %s', async (_what, body) => {
    await expect(readStream(unConsolidated, body)).rejects.toThrow(BrokenBody)
  })
})

const SAMPLE = samplePath('sanctions/un/consolidated_2026-02-27_cut.xml')

it.skipIf(SAMPLE === null)(
  'a recorded part of the list gives every entry and document (skips without its sample)',
  async () => {
    const { rows, rejections } = await readStream(unConsolidated, readFileSync(SAMPLE ?? ''))
    expect(rows).toHaveLength(79)
    expect(countKinds(rows)).toEqual({ national_id: 6, passport: 15 })
    expect(rejections).toEqual([])
    expect(rows[0]?.body).toMatchObject({ isComplete: true, isProven: true })
  },
)
