import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { identifierKey, type ListIdentifier } from '../../../../src/domains/screening/identifiers-model.js'
import type { ScreeningRow } from '../../../../src/domains/screening/model.js'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { ofacSdn } from '../../../../src/ingest/providers/ofac/sdn-csv.js'
import { countKinds } from '../../../support/ingest/count-kinds.js'
import { leisOf } from '../../../support/ingest/leis-of.js'
import { casePath, samplePath } from '../../../support/samples.js'
import { lines, readStream } from '../read-stream.js'

const NULLS = Array(7).fill('-0- ').join()
const row = (id: number, name: string, programs: string, remarks: string, type = '-0- ') =>
  `${id},${name},${type},${programs},${NULLS},"${remarks}"`
const COMMENT = '77,"nothing"'
const PERSON = row(77, 'DOE', 'SDGT', '-0- ', 'individual')

const LEI = '485100GBI2SE0KIX8T70'
const OTHER = '253400WSS48YWMBUA688'

const shortOf = (item: ScreeningRow) =>
  item.kind === 'subject'
    ? [item.subjectId, item.name, item.programs.join(' '), leisOf(item).join(' '), item.listedOn].join('|')
    : item.kind
const textOf = (identifier: ListIdentifier) => `${identifierKey(identifier)} ${identifier.label}`
const read = async (...texts: string[]) => {
  const { rows, rejections } = await readStream(ofacSdn, lines(...texts))
  return { rows: rows.map(shortOf), rejections, isComplete: rows[0]?.body.isComplete }
}
const isProven = async (...texts: string[]) =>
  (await readStream(ofacSdn, lines(...texts))).rows[0]?.body.isProven

describe('the files of OFAC', () => {
  it('give entities with their programmes and the LEIs among their numbers', async () => {
    const remarks = `Tax ID No. 7; Legal Entity Number ${LEI}; Listing Date (EO 14024 Directive 3): 24 Feb 2022; Listing Date (EO 14024 Directive 1): 2 Mar 2021.`
    expect(await read(row(1, 'A BANK', 'IRAN] [SDGT', remarks), PERSON, COMMENT)).toEqual({
      rows: [`1|A BANK|IRAN SDGT|${LEI}|2022-02-24`, '77|DOE|SDGT||'],
      rejections: [],
      isComplete: true,
    })
  })

  it('give LEIs under any label and in any column, and name those of persons', async () => {
    const { rows, rejections } = await read(
      row(1, 'A', 'X', `Registration Number ${LEI} (Russia)`),
      row(2, `B ${OTHER}`, 'X', 'Tax ID No. 40702810500000000001'),
      row(77, 'DOE', 'SDGT', `Director of ${LEI}`, 'individual'),
      COMMENT,
    )
    expect(rows).toEqual([`1|A|X|${LEI}|`, `2|B ${OTHER}|X|${OTHER}|`, '77|DOE|SDGT||'])
    expect(rejections).toEqual([
      `line 3: the LEI ${LEI} is not stored, because it stands in a text on a person, a vessel or an aircraft`,
    ])
  })

  it('give every identifier of persons and ships by its kind, with its country or its currency', async () => {
    const address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
    const { rows, rejections } = await readStream(
      ofacSdn,
      lines(
        row(
          1,
          'DOE',
          'CYBER2',
          `DOB 1 Jan 1970; Passport A-123 456 (Iran) issued 25 May 2015 expires 24 May 2025; Digital Currency Address - XBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h; alt. Digital Currency Address - USDT ${address}; Tax ID No. 77 (Atlantis); Digital Currency Address - ETH; Dog Licence 12345.`,
          'individual',
        ),
        `2,SHIP,vessel,IRAN,-0- ,EPAB7,-0- ,-0- ,-0- ,-0- ,-0- ,"Vessel Registration Identification IMO 9187629; MMSI 572469210"`,
        row(
          3,
          'BANK',
          'X',
          'Vessel Registration Identification IMO 9187628; SWIFT/BIC CKLBCNBJXXX; ISIN US1694261033; alt. ISIN US1694261034',
          '-0- ',
        ),
        COMMENT,
      ),
    )
    expect(rows.map((item) => (item.kind === 'subject' ? item.identifiers.map(textOf) : item.kind))).toEqual([
      [
        'passport:IR:A123456 Passport',
        'tax_id::77 Tax ID No.',
        `wallet::${address.toLowerCase()} USDT`,
        'wallet::12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h XBT',
      ].sort(),
      [
        'call_sign::EPAB7 Call sign',
        'imo::9187629 Vessel Registration Identification',
        'mmsi::572469210 MMSI',
      ],
      ['bic::CKLBCNBJ SWIFT/BIC', 'isin::US1694261033 ISIN'],
    ])
    expect(rejections).toEqual([
      'line 4: sdn.csv has no entry 77',
      'line 1: the Tax ID No. "77" is stored without its country, because "Atlantis" is not a known one',
      'line 1: the wallet "ETH" is not a code of a currency and an address',
      'line 3: the Vessel Registration Identification "IMO 9187628" is not an IMO number: the check digit does not match that of a ship or a company',
      'line 3: the ISIN "US1694261034" is not an ISIN: the check digit does not match (ISO 6166)',
      'line 1: no rule reads what follows "Dog Licence" in the remarks of 1 entries; the first is here',
    ])
  })

  it('lose no other line to one whose quotes are wrong', async () => {
    const good = (id: number, lei: string) => row(id, 'A', 'X', `Legal Entity Number ${lei}`)
    const { rows, rejections, isComplete } = await read(
      good(1, LEI),
      `2,"A "B", C",-0- ,"X",${NULLS},-0- `,
      `3,"open,-0- ,-0- ,${NULLS},-0- `,
      good(4, OTHER),
      `5,A "B" C,-0- ,"X",${NULLS},"a.k.a. "nick"; Legal Entity Number ${OTHER}"`,
      COMMENT,
      '4,"; a.k.a. "nick"; Linked To: X."',
    )
    expect(rows).toEqual([`1|A|X|${LEI}|`, `4|A|X|${OTHER}|`, `5|A "B" C|X|${OTHER}|`])
    expect(rejections).toEqual([
      'line 2: has 13 cells where a row of sdn.csv has 12 and one of sdn_comments.csv 2',
      'line 3: has a quote that is never closed',
      'line 6: sdn.csv has no entry 77',
    ])
    expect(isComplete).toBe(false)
  })

  const [quoted, comments] = ['sdn.csv', 'sdn_comments.csv'].map((name) =>
    casePath(`ofac-inner-quotes/${name}`),
  )
  it.skipIf(!quoted || !comments)(
    'are read with quotes in the remark of a person (skips without the files)',
    async () => {
      const text = [quoted, comments].map((path) => readFileSync(path ?? '', 'utf8')).join('\n')
      const { rows, rejections } = await readStream(ofacSdn, text)
      expect(rejections).toEqual([])
      expect(rows.flatMap((item) => (item.kind === 'subject' ? leisOf(item) : []))).toEqual([
        '253400EXAMPLE0000198',
        '253400EXAMPLE0000295',
      ])
    },
  )

  it('continue remarks in the comments, split anywhere, in either order of the files', async () => {
    const cuts = [
      ['Legal Entity Number 253400WSS4', `8YWMBUA688; and more`],
      ['x; Legal Enti', `ty Number ${OTHER} (Russia)`],
      ['Legal Entity Number ', OTHER],
      ['Legal ', `Entity Number ${OTHER}`],
    ] as const
    for (const [begin, rest] of cuts) {
      const [first, second] = [row(1, 'A', 'X', begin), `1,"${rest}"`]
      const expected = { rows: [`1|A|X|${OTHER}|`], rejections: [], isComplete: true }
      expect(await read(first, second, '\u001a')).toEqual(expected)
      expect(await read(second, '\u001a', first, '\u001a')).toEqual(expected)
    }
  })

  it('keep an entity whose number under the label belongs to a trade register', async () => {
    expect(
      await read(row(1, 'A B.V.', 'GLOMAG', 'Legal Entity Number 851683897 (Netherlands)'), COMMENT, PERSON),
    ).toEqual({
      rows: ['1|A B.V.|GLOMAG||', '77|DOE|SDGT||'],
      rejections: [],
      isComplete: true,
    })
  })

  it('lose the wrong rows, each with its reason, and then are not complete', async () => {
    const { rows, rejections, isComplete } = await read(
      row(1, 'A', 'X', `Legal Entity Number ${LEI}`),
      row(1, 'A', 'X', `Legal Entity Number ${LEI}`),
      row(1, 'B', 'X', 'another'),
      '2,cut in mid-ro',
      'x,"no number"',
      '3,CUT,-0- ,X,-0- ,-0- ',
      'NaN,NaN,-0- ,NaN,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,NaN',
      '77,"one"',
      '77,"two"',
      PERSON,
      `9,"Legal Entity Number ${OTHER}"`,
    )
    // Neither the two that contradict each other, nor one that a comment alone is about.
    expect(rows).toEqual(['77|DOE|SDGT||'])
    expect(rejections).toEqual([
      'line 3: line 1 has another entry 1; neither is used',
      'line 5: "x" is not an entity number',
      'line 6: has 6 cells where a row of sdn.csv has 12 and one of sdn_comments.csv 2',
      'line 7: "NaN" is not an entity number',
      'line 9: line 8 has another comment on 77; neither is used',
      'line 1: a later line has another entry 1; neither is used',
      'line 8: a later line has another comment on 77; neither is used',
      'line 4: sdn.csv has no entry 2',
      'line 11: sdn.csv has no entry 9',
    ])
    expect(isComplete).toBe(false)
  })

  it('are proven whole only by the end marks of both files', async () => {
    const [sdn, end] = [row(1, 'A', 'X', 'y'), '\u001a']
    expect(await isProven(sdn, PERSON, end, COMMENT, end)).toBe(true)
    expect(await isProven(COMMENT, end, sdn, PERSON, end)).toBe(true)
    expect(await isProven(sdn, PERSON, COMMENT, end)).toBe(false)
    expect(await isProven(sdn, PERSON, end, COMMENT)).toBe(false)
    expect(await isProven(sdn, end, COMMENT, end, PERSON)).toBe(false)
    expect(await isProven(COMMENT, sdn, end)).toBe(false)
  })

  it.each([
    ['an HTML page', '<html><body>Service Unavailable</body></html>', BrokenCsv],
    ['nothing', '', BrokenCsv],
    ['an error in JSON', '{"error": "moved"}', BrokenCsv],
    ['Latin-1', Buffer.from(row(1, 'SOCIÉTÉ', 'X', 'y'), 'latin1'), BrokenCsv],
    ['UTF-16', Buffer.from(row(1, 'A', 'X', 'y'), 'utf16le'), BrokenCsv],
    ['cut within a quote', `${row(1, 'A', 'X', 'y')}\n2,B,-0- ,X,${NULLS},"Legal Ent`, BrokenCsv],
    ['sdn.csv alone', lines(row(1, 'A', 'X', 'y')), BrokenBody],
    ['sdn_comments.csv alone', lines(COMMENT), BrokenBody],
  ])('are refused completely if they are %s', async (_what, body, error) => {
    await expect(readStream(ofacSdn, body)).rejects.toThrow(error)
  })
})

const SDN = samplePath('opensanctions/ofac/sdn_subset.csv')
const COMMENTS = samplePath('opensanctions/ofac/sdn_comments.csv')

describe.skipIf(SDN === null || COMMENTS === null)(
  'recorded files of OFAC (skipped without their samples)',
  () => {
    it('give the identifiers of every row by kind, and name what no rule reads', async () => {
      const body = Buffer.concat([SDN, COMMENTS].map((path) => readFileSync(path ?? '')))
      const { rows, rejections } = await readStream(ofacSdn, body)
      const withLei = rows.map(shortOf).filter((text) => !/\|\|[^|]*$/.test(text))
      expect(withLei).toEqual([`32064|INTRUST PLC EAD|GLOMAG|${LEI}|`])
      expect(rows).toHaveLength(125)
      expect(countKinds(rows)).toEqual({
        bic: 71,
        lei: 1,
        national_id: 1,
        other: 6,
        registration: 58,
        tax_id: 14,
      })
      expect(rejections.filter((text) => !text.includes('sdn.csv has no entry'))).toEqual([])
    })
  },
)
