import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { identifierKey } from '../../../../src/domains/screening/identifiers-model.js'
import type { ScreeningRow } from '../../../../src/domains/screening/model.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { euFinancial } from '../../../../src/ingest/providers/eu-sanctions/financial-list-xml.js'
import { countKinds } from '../../../support/ingest/count-kinds.js'
import { samplePath } from '../../../support/samples.js'
import { readStream } from '../read-stream.js'

const identification = (code: string, number: string, country = '00', more = '') =>
  `<identification knownFalse="false" number="${number}" countryIso2Code="${country}" identificationTypeCode="${code}" identificationTypeDescription="${code}" ${more}><remark>(${code})</remark></identification>`
const entry = (id: string, inner = '', day = '2012-12-31') =>
  `<sanctionEntity designationDate="${day}" euReferenceNumber="${id}" logicalId="1"><regulation programme="ZWE"><publicationUrl>http://eur-lex.europa.eu</publicationUrl></regulation><nameAlias wholeName="A B"><regulationSummary/></nameAlias><nameAlias wholeName="C"/>${inner}</sanctionEntity>`
const list = (...entries: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-02-27T00:00:09.554+01:00">${entries.join('')}</export>`

const shortOf = (row: ScreeningRow) =>
  row.kind === 'subject'
    ? [row.subjectId, row.name, row.programs, row.listedOn, ...row.identifiers.map(identifierKey)].join('|')
    : row.kind
const read = async (text: string) => {
  const { rows, rejections } = await readStream(euFinancial, text)
  const { isComplete, isProven } = rows[0]?.body ?? {}
  return { rows: rows.map(shortOf), rejections, isComplete, isProven }
}

describe('the consolidated list of the European Union', () => {
  it('gives the identifications of each entry by kind and country, and none that the list calls false', async () => {
    const identifications = [
      identification('passport', 'AD 001095'),
      identification('imo', '9187629'),
      identification('regnumber', '1027700132195', 'RU'),
      identification('swiftbic', 'no code'),
      identification('electionid', 'E1', 'ZZ'),
      identification('id', 'X1', 'ZW').replace('knownFalse="false"', 'knownFalse="true"'),
    ]
    expect(
      await read(list(entry('EU.36.64', identifications.join('')), entry('EU.3523.13', '', ''))),
    ).toEqual({
      rows: [
        'EU.36.64|A B|ZWE|2012-12-31|imo::9187629|other::E1|passport::AD001095|registration:RU:1027700132195',
        'EU.3523.13|A B|ZWE|',
      ],
      rejections: [
        expect.stringContaining('entry 1, EU.36.64: the identification "swiftbic" "no code" '),
        'entry 1, EU.36.64: the identification "electionid" "E1" is stored without its country, because "ZZ" is not a known one',
      ],
      isComplete: true,
      isProven: true,
    })
  })

  it('is neither complete nor proven when it is cut off, and keeps what came before', async () => {
    const whole = list(entry('EU.1.1'), entry('EU.2.2'))
    expect(await read(whole.slice(0, whole.indexOf('</export>')))).toEqual({
      rows: ['EU.1.1|A B|ZWE|2012-12-31', 'EU.2.2|A B|ZWE|2012-12-31'],
      rejections: ['end of the list: the body is cut off'],
      isComplete: false,
      isProven: false,
    })
  })

  it('loses an entry without its number and two that contradict each other, and then is not complete', async () => {
    const { rows, rejections, isComplete } = await read(
      list(
        entry('EU.1.1'),
        entry('1'),
        entry('EU.1.1'),
        entry('EU.3.3', '', '2012-13-31'),
        entry('EU.1.1', identification('passport', 'A1')),
      ),
    )
    expect(rows).toEqual(['EU.1.1|A B|ZWE|2012-12-31', 'EU.3.3|A B|ZWE|'])
    expect(rejections).toEqual([
      'entry 2, 1: "1" is not an euReferenceNumber',
      'entry 4, EU.3.3: "2012-13-31" is not a day; the entry is kept without its date',
      'entry 5, EU.1.1: the entry EU.1.1 is repeated with different content',
    ])
    expect(isComplete).toBe(false)
  })

  it.each([
    ['an HTML page', '<html><body>Service Unavailable</body></html>'],
    ['another XML document', '<CONSOLIDATED_LIST><sanctionEntity/></CONSOLIDATED_LIST>'],
    ['a list without entries', list()],
    ['text', 'moved'],
  ])('is refused completely if it is %s', async (_what, body) => {
    await expect(readStream(euFinancial, body)).rejects.toThrow(BrokenBody)
  })
})

const SAMPLE = samplePath('sanctions/eu/xmlFullSanctionsList_1_1_2018-12-21_2entities.xml')

it.skipIf(SAMPLE === null)(
  'two recorded entries of the list are stored (skips without its sample)',
  async () => {
    const { rows, rejections } = await readStream(euFinancial, readFileSync(SAMPLE ?? ''))
    expect(rows.map(shortOf)).toEqual([
      'EU.36.64|Robert Gabriel Mugabe|ZWE||passport::AD001095',
      'EU.3523.13|İslami Büyük Doğu Akıncılar Cephesi|TERR|',
    ])
    expect(countKinds(rows)).toEqual({ passport: 1 })
    expect(rejections).toEqual([])
  },
)
