import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { gleifRecords } from '../../../../src/ingest/providers/gleif/lei-records.js'
import { samplePath } from '../../../support/samples.js'
import { lines, readStream } from '../read-stream.js'

const APPLE = 'HWUPKR0MPOU8FGXBT394'
const GLEIF = '5493001KJTIIGC8Y1R12'
const PUBLISHED = '2026-10-05T00:00:00Z'

const record = (lei: string, name: unknown) => ({
  type: 'lei-records',
  attributes: { lei, entity: { legalName: { name, language: 'en' } } },
})
const answer = (data: unknown) => JSON.stringify({ meta: { goldenCopy: { publishDate: PUBLISHED } }, data })

describe('records of GLEIF', () => {
  it('give legal names, one record or many, with the day of the golden copy', async () => {
    const observedAt = new Date(PUBLISHED)
    const one = { lei: APPLE, legalName: 'Apple Inc.', observedAt }
    expect((await readStream(gleifRecords, answer(record(APPLE, 'Apple Inc.')))).rows).toEqual([one])
    const many = answer([record(APPLE.toLowerCase(), ' Apple Inc. '), record(GLEIF, 'Bloomberg LP')])
    expect((await readStream(gleifRecords, many)).rows).toEqual([
      one,
      { lei: GLEIF, legalName: 'Bloomberg LP', observedAt },
    ])
  })

  it('can come as the golden copy, by column name', async () => {
    const table = lines('LEI,Entity.LegalName,Entity.LegalName.xmllang', `${APPLE},"Apple, Inc.",en`)
    expect((await readStream(gleifRecords, table)).rows).toEqual([
      { lei: APPLE, legalName: 'Apple, Inc.', observedAt: null },
    ])
  })

  it('of duplicates and erroneous registrations give a name only if no other record has the LEI', async () => {
    const table = lines(
      '\ufeff"LEI","Entity.LegalName","Registration.RegistrationStatus"',
      `"${APPLE}","Double, Inc.","DUPLICATE"`,
      `"${APPLE}","EXAMPLE ""OLD"" BANK, A.Ş.","MERGED"`,
      `"${GLEIF}","Alone AG","ANNULLED"`,
    )
    const { rows, rejections } = await readStream(gleifRecords, table)
    expect(rows.map(({ lei, legalName }) => [lei, legalName])).toEqual([
      [APPLE, 'EXAMPLE "OLD" BANK, A.Ş.'],
      [GLEIF, 'Alone AG'],
    ])
    expect(rejections).toEqual([`line 2: the record is DUPLICATE, but another record has the LEI ${APPLE}`])
  })

  it('that are wrong are rejected, each with its reason', async () => {
    const body = answer([
      record(APPLE, 'Apple Inc.'),
      record(APPLE, 'Apple Inc.'),
      record(APPLE, 'Another Inc.'),
      record('HWUPKR0MPOU8FGXBT395', 'x'),
      record(GLEIF, null),
      null,
    ])
    const { rows, rejections } = await readStream(gleifRecords, body)
    expect(rows.map(({ legalName }) => legalName)).toEqual(['Apple Inc.'])
    expect(rejections).toEqual([
      `record 3: the LEI ${APPLE} is repeated with another name; neither record is used`,
      'record 4: the LEI "HWUPKR0MPOU8FGXBT395" is not an LEI: the check digits do not match (ISO 17442)',
      `record 5: ${GLEIF} has no legal name`,
      'record 6: the LEI "" must be an LEI: 18 letters or digits and 2 check digits',
    ])
    const table = lines('LEI,Entity.LegalName', `${APPLE},`, 'NaN,NaN', APPLE)
    expect((await readStream(gleifRecords, table)).rejections).toEqual([
      `line 2: ${APPLE} has no legal name`,
      'line 3: the LEI "NaN" must be an LEI: 18 letters or digits and 2 check digits',
      'line 4: has 1 cells, but the header has 2',
    ])
  })

  it.each([
    ['an HTML page', '<html></html>', BrokenCsv],
    ['nothing', '', BrokenCsv],
    ['an answer that is an error', '{"errors":[{"status":"404"}]}', BrokenBody],
    ['cut off', answer(record(APPLE, 'Apple Inc.')).slice(0, 60), BrokenBody],
    ['Latin-1', Buffer.from(answer(record(APPLE, 'é')), 'latin1'), BrokenBody],
    ['another table', lines('Date,USD', '2026-01-01,1'), BrokenBody],
  ])('are refused completely if the body is %s', async (_what, body, error) => {
    await expect(readStream(gleifRecords, body)).rejects.toThrow(error)
  })
})

const SAMPLE = samplePath('gleif/lei-record_HWUPKR0MPOU8FGXBT394.json')

describe.skipIf(SAMPLE === null)('a recorded answer of GLEIF (skipped without its sample)', () => {
  it('gives the legal name', async () => {
    expect(await readStream(gleifRecords, readFileSync(SAMPLE ?? ''))).toEqual({
      rows: [{ lei: APPLE, legalName: 'Apple Inc.', observedAt: new Date(PUBLISHED) }],
      rejections: [],
    })
  })
})
