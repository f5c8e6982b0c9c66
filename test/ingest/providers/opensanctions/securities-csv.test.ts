import { describe, expect, it } from 'vitest'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { openSanctionsSecurities } from '../../../../src/ingest/providers/opensanctions/securities-csv.js'
import { lines, readStream } from '../read-stream.js'

const leiOf = (value: string) => ({ kind: 'lei', value, country: null, label: 'LEI' })

const HEADER =
  'caption,lei,perm_id,isins,ric,countries,sanctioned,eo_14071,public,id,url,datasets,risk_datasets,aliases,referents'
const LEI = '253400WSS48YWMBUA688'
const row = (lei: string, sanctioned: string, id: string, risk = 'us_ofac_sdn;eu_fsf') =>
  `"Made-up, Bank",${lei},,RU0000000000,,ru,${sanctioned},f,t,${id},https://x,ext_gleif,${risk},A;B,Q1;ofac-1`

describe('securities.csv of OpenSanctions', () => {
  it('gives issuers by LEI, sanctioned or not, by column name', async () => {
    const { rows, rejections } = await readStream(
      openSanctionsSecurities,
      lines(
        HEADER,
        row(LEI, 't', 'NK-1'),
        row(`${LEI};HWUPKR0MPOU8FGXBT394`, 'f', 'NK-2', ''),
        row('', 'f', 'NK-3'),
      ),
    )
    expect(rejections).toEqual([])
    expect(rows).toMatchObject([
      {
        subjectId: 'NK-1',
        identifiers: [LEI].map(leiOf),
        name: 'Made-up, Bank',
        isListed: true,
        lists: ['eu_fsf', 'us_ofac_sdn'],
        referents: ['Q1', 'ofac-1'],
      },
      {
        subjectId: 'NK-2',
        identifiers: [LEI, 'HWUPKR0MPOU8FGXBT394'].map(leiOf),
        isListed: false,
        lists: [],
      },
    ])
    expect(rows[0]?.body).toEqual({ list: 'opensanctions_securities', isWhole: true, isComplete: true })
  })

  it('gives LEIs of other columns, and never those of ids and references', async () => {
    const other = 'HWUPKR0MPOU8FGXBT394'
    const inAliases = row('', 't', 'NK-1').replace('A;B', `A;LEI ${other}`)
    const inReferences = row('', 't', `lei-${other}`).replace('ofac-1', `lei-${other}`)
    const { rows, rejections } = await readStream(
      openSanctionsSecurities,
      lines(HEADER, inAliases, inReferences, row(LEI, 't', 'NK-"2" x'), row(LEI, 't', 'NK-3')),
    )
    expect(rejections).toEqual([])
    expect(rows).toMatchObject([
      { subjectId: 'NK-1', identifiers: [other].map(leiOf) },
      { subjectId: 'NK-"2" x', identifiers: [LEI].map(leiOf) },
      { subjectId: 'NK-3', identifiers: [LEI].map(leiOf) },
    ])
  })

  it('loses the wrong rows, each with its reason, and then is not complete', async () => {
    const { rows, rejections } = await readStream(
      openSanctionsSecurities,
      lines(
        HEADER,
        row(LEI, 't', 'NK-1'),
        row(LEI, 't', 'NK-1'),
        row(LEI, 'f', 'NK-1'),
        row(LEI, 'NaN', 'NK-2'),
        row(LEI, 't', ''),
        row('851683897', 't', 'NK-3'),
        `"Made-up, Bank",${LEI},,RU00`,
      ),
    )
    expect(rows).toHaveLength(1)
    expect(rejections).toEqual([
      'line 4: the issuer "NK-1" is repeated with different content',
      'line 5: sanctioned is "NaN", neither t nor f',
      'line 6: has no id',
      'line 7: the LEI "851683897" must be an LEI: 18 letters or digits and 2 check digits',
      'line 8: has 4 cells, but the header has 15',
    ])
    expect(rows[0]?.body.isComplete).toBe(false)
  })

  it.each([
    ['an HTML page', '<html></html>', BrokenCsv],
    ['nothing', '', BrokenCsv],
    ['an error in JSON', '{"detail":"Not found"}', BrokenCsv],
    ['Latin-1', Buffer.from(lines(HEADER, row(LEI, 't', 'é')), 'latin1'), BrokenCsv],
    ['a header alone', lines(HEADER), BrokenBody],
    ['another table', lines('LEI,Name', `${LEI},A`), BrokenBody],
  ])('is refused completely if it is %s', async (_what, body, error) => {
    await expect(readStream(openSanctionsSecurities, body)).rejects.toThrow(error)
  })
})
