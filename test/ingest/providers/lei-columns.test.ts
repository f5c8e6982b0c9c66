import { describe, expect, it } from 'vitest'
import type { ScreeningRow } from '../../../src/domains/screening/model.js'
import type { StreamFeed } from '../../../src/ingest/feed.js'
import { euJournal } from '../../../src/ingest/providers/eu-sanctions/journal-csv.js'
import { ofacSdn } from '../../../src/ingest/providers/ofac/sdn-csv.js'
import {
  openSanctionsDelta,
  openSanctionsEntities,
} from '../../../src/ingest/providers/opensanctions/entities-json.js'
import { openSanctionsSecurities } from '../../../src/ingest/providers/opensanctions/securities-csv.js'
import { leisOf } from '../../support/ingest/leis-of.js'
import { lines, readStream } from './read-stream.js'

const OWN = '253400WSS48YWMBUA688'
const SECOND = '485100GBI2SE0KIX8T70'
const UNSTORED = 'HWUPKR0MPOU8FGXBT394'
const WRONG = '253400WSS48YWMBUA689'

/** The cells of one entry of a list. */
interface Entry {
  /** A column that is not made for LEIs and is about the entity itself. */
  readonly unusual: string
  /** A column that may mean another entity. Null if the list has none. */
  readonly foreign?: string
}

interface List {
  readonly feed: StreamFeed<ScreeningRow>
  readonly body: (entry: Entry) => string
}

const csvCell = (text: string) => `"${text.replaceAll('"', '""')}"`
const company = ({ unusual, foreign = '' }: Entry, property: string) => ({
  ...{ id: 'NK-1', caption: 'A', schema: 'Company', datasets: ['eu_fsf'] },
  properties: { [property]: [unusual], topics: ['sanction'], keywords: [foreign] },
})

const LISTS: Readonly<Record<string, List>> = {
  'the registration number of the EU': {
    feed: euJournal,
    body: ({ unusual, foreign = '' }) =>
      lines(
        'celex,recordId,programKey,annex,measure,startDate,reason,registrationNumber,schema,name,leiCode',
        `32014R0269,1,EU-UKR,I,Asset freeze,,${csvCell(foreign)},${csvCell(unusual)},Company,A,`,
      ),
  },
  'the call sign of OFAC': {
    feed: ofacSdn,
    body: ({ unusual, foreign = '' }) =>
      lines(
        `1,A,-0- ,X,-0- ,${csvCell(unusual)},-0- ,-0- ,-0- ,-0- ,-0- ,-0- `,
        `2,DOE,individual,X,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,${csvCell(foreign)}`,
        '2,"nothing"',
      ),
  },
  'the identifier of a market of OpenSanctions securities': {
    feed: openSanctionsSecurities,
    body: ({ unusual }) =>
      lines('caption,lei,ric,sanctioned,id,risk_datasets,referents', `A,,${csvCell(unusual)},t,NK-1,eu_fsf,`),
  },
  ...Object.fromEntries(
    ['registrationNumber', 'innCode', 'uniqueEntityId', 'alias', 'previousName'].flatMap((property) => [
      [
        `${property} of an entity of OpenSanctions`,
        {
          feed: openSanctionsEntities,
          body: (entry: Entry) => lines(JSON.stringify(company(entry, property))),
        },
      ],
      [
        `${property} of a changed entity of OpenSanctions`,
        {
          feed: openSanctionsDelta,
          body: (entry: Entry) => lines(JSON.stringify({ op: 'MOD', entity: company(entry, property) })),
        },
      ],
    ]),
  ),
}

const read = async ({ feed, body }: List, entry: Entry) => {
  const { rows, rejections } = await readStream(feed, body(entry))
  return {
    leis: rows.flatMap((row) => (row.kind === 'subject' && leisOf(row).length > 0 ? [leisOf(row)] : [])),
    rejections,
  }
}

describe.each(Object.entries(LISTS))('an LEI in %s', (_column, list) => {
  it.each([
    ['alone', OWN],
    ['in quotes', `"${OWN}"`],
    ['in brackets after another number', `1027700132195 (${OWN})`],
    ['twice', `${OWN}; ${OWN}`],
  ])('is read as the LEI of the entity when it is written %s', async (_how, unusual) => {
    expect(await read(list, { unusual })).toEqual({ leis: [[OWN]], rejections: [] })
  })

  it('counts beside another one in the same cell', async () => {
    expect((await read(list, { unusual: `"${SECOND}", ${OWN}` })).leis).toEqual([[OWN, SECOND]])
  })

  it('is refused with the reason where its check digits are wrong and its label says what it is', async () => {
    const { leis, rejections } = await read(list, { unusual: `${OWN} or LEI: ${WRONG}` })
    expect(leis).toEqual([[OWN]])
    expect(rejections).toEqual([expect.stringContaining(`the LEI "${WRONG}"`)])
  })
})

const WITH_FOREIGN = Object.entries(LISTS).filter(([, { feed }]) => feed !== openSanctionsSecurities)

describe.each(WITH_FOREIGN)('an LEI beside %s that may be of another entity', (_column, list) => {
  it('is counted and not stored', async () => {
    const { leis, rejections } = await read(list, { unusual: OWN, foreign: `a part of ${UNSTORED}` })
    expect(leis).toEqual([[OWN]])
    expect(rejections).toEqual([expect.stringContaining(`the LEI ${UNSTORED} is not stored`)])
  })
})

describe('an id or an address made of an LEI', () => {
  it('is neither stored nor counted', async () => {
    const entity = company({ unusual: OWN, foreign: `lei-${UNSTORED}` }, 'registrationNumber')
    const properties = { ...entity.properties, sourceUrl: [`https://search.gleif.org/#/record/${UNSTORED}`] }
    const { rows, rejections } = await readStream(
      openSanctionsEntities,
      lines(JSON.stringify({ ...entity, properties })),
    )
    expect([rows.map((row) => row.kind === 'subject' && leisOf(row)), rejections]).toEqual([[[OWN]], []])
  })
})
