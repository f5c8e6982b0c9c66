import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { legalNamesGroup } from '../../../../src/ingest/datasets/screening/legal-names-group.js'
import { SEED_ENTITIES } from '../../../../src/ingest/datasets/screening/screening-entities.js'
import { BrokenBody, IngestError } from '../../../../src/ingest/feed.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { downloadBodyWith } from '../../../../src/ingest/run/ask-for-body.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import { loadDatasetStates } from '../../../../src/platform/database/versions/dataset-states-store.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../../../src/platform/http-client/provider-addresses.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { availableDatabases } from '../../../support/database/database.js'
import { runGroup } from '../../../support/ingest/run-group.js'

const LEI = '253400WSS48YWMBUA688'
const NULLS = Array(7).fill('-0- ').join()
const SDN = `1,"MADE-UP BANK",-0- ,RUSSIA-EO14024,${NULLS},"Listing Date (EO 14024): 24 Feb 2022; Legal Enti"`
const END = '\u001a'
const WITHOUT_END = Array.from({ length: 30 }, (_, at) => `${at + 10},A ${at},-0- ,X,${NULLS},-0- `).join(
  '\r\n',
)
const OTHERS = `${WITHOUT_END}\r\n${END}`
const COMMENTS = `1,"ty Number ${LEI}."\r\n\u001a`
const DAY_MS = 86_400_000

const company = {
  id: 'NK-1',
  caption: 'Made-up Bank',
  schema: 'Company',
  properties: { leiCode: [LEI], topics: ['sanction'] },
  referents: ['ofac-1'],
  datasets: ['eu_fsf'],
}
const sanction = {
  id: 's-1',
  schema: 'Sanction',
  properties: { entity: ['NK-1'], programId: ['EU-UKR'], startDate: ['2023-05-01'] },
  datasets: ['eu_fsf'],
}
const linesOf = (...values: readonly object[]) =>
  `${values.map((value) => JSON.stringify(value)).join('\n')}\n`

const times = (count: number, entry: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => entry(at + 1))

interface NewList {
  readonly feed: string
  readonly list: string
  /** The files of a whole list with this many entries. */
  readonly body: (count: number) => readonly string[]
  /** The body has no sign of its end, so only the operator can say that it is whole. */
  readonly hasNoEnd?: true
  /** The same files without their ends. */
  readonly cut: (texts: readonly string[]) => readonly string[]
}

/** A comment on an entry, without identifiers. */
const COMMENTS_OF_OTHERS = `1,"x"\r\n${END}`

const halved = ([text = '', ...others]: readonly string[]) => [text.slice(0, text.length / 2), ...others]

const NEW_LISTS: readonly NewList[] = [
  {
    feed: 'un-sanctions',
    list: 'un_sc_sanctions',
    body: (count) => {
      const entries = times(
        count,
        (at) =>
          `<INDIVIDUAL><FIRST_NAME>A</FIRST_NAME><UN_LIST_TYPE>DRC</UN_LIST_TYPE><REFERENCE_NUMBER>CDi.${String(at).padStart(3, '0')}</REFERENCE_NUMBER><LISTED_ON>2012-12-31</LISTED_ON></INDIVIDUAL>`,
      )
      return [
        `<CONSOLIDATED_LIST dateGenerated="2026-02-27T00:00:09.554Z"><INDIVIDUALS>${entries.join('')}</INDIVIDUALS><ENTITIES/></CONSOLIDATED_LIST>`,
      ]
    },
    cut: halved,
  },
  {
    feed: 'eu-financial-sanctions',
    list: 'eu_fsf',
    body: (count) => {
      const entries = times(
        count,
        (at) =>
          `<sanctionEntity designationDate="2012-12-31" euReferenceNumber="EU.${at}.1" logicalId="${at}"><regulation programme="ZWE"/><nameAlias wholeName="A"/></sanctionEntity>`,
      )
      return [
        `<?xml version="1.0" encoding="UTF-8"?><export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-02-27T00:00:09.554+01:00">${entries.join('')}</export>`,
      ]
    },
    cut: halved,
  },
  {
    feed: 'uk-sanctions',
    list: 'gb_fcdo_sanctions',
    body: (count) => {
      const columns =
        'Unique ID,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Regime Name,Designation Type,Date Designated,National Identifier number,Passport number,Business registration number (s),IMO number,Hull identification number (HIN)'
      const rows = times(count, (at) => `RUS${at},A,,,,,,Primary Name,Russia,Entity,31/07/2024,,,,,`)
      return [['Report Date: 08-Oct-2026', columns, ...rows, ''].join('\r\n')]
    },
    hasNoEnd: true,
    cut: halved,
  },
  {
    feed: 'ofac-consolidated',
    list: 'us_ofac_cons',
    body: (count) => [
      [...times(count, (at) => `${at},A ${at},-0- ,X,${NULLS},-0- `), END].join('\r\n'),
      COMMENTS_OF_OTHERS,
    ],
    cut: halved,
  },
]

describe.each(availableDatabases())('sanctions lists on %s', (kind) => {
  let app: TestApp
  let key: string
  let home: string
  let isSaidWhole = false
  beforeAll(async () => {
    app = await startTestApp(kind, { world: 'seeded' })
    key = await app.newKey({ tier: 'growth' })
    home = await mkdtemp(join(tmpdir(), 'lists-'))
  })
  afterAll(async () => {
    await app?.close()
    await rm(home, { recursive: true, force: true })
  })

  const deps = () => ({
    database: app.database,
    clock: app.clock,
    log: createLogger('silent'),
    fetchBody: () => expect.fail('nothing is fetched whole'),
  })
  /** A day later, from files with these texts. */
  const ingest = async (feed: string, ...texts: readonly string[]) => {
    app.clock.advance(DAY_MS)
    const counts = await ingestAtOnce(feed, ...texts)
    app.clock.advance(1_000) // versions are read again every half second
    return counts
  }
  const ingestAtOnce = async (feed: string, ...texts: readonly string[]) => {
    const [path = '', ...more] = texts.map((_, at) => join(home, `${at}.txt`))
    for (const [at, text] of texts.entries()) await writeFile([path, ...more][at] ?? '', text)
    return runFeed(deps(), findFeed(feed), { kind: 'file', path, more, isSaidWhole })
  }
  const screen = async (asOf: Date | null = null) => {
    const given = asOf === null ? '' : `, as_of: "${asOf.toISOString()}"`
    const { body } = await app.graphql<{ screen_leis: { data: readonly object[]; meta: object } }>(
      `{ screen_leis(leis: ["${LEI}"]${given}) {
        data { status is_sanctioned last_listed_date legal_name opensanctions_id sanction_programs sanctions_lists
          entries { list left_at } }
        meta { lists_covered license attribution source } } }`,
      { key },
    )
    expect(body.errors).toBeUndefined()
    return body.data?.screen_leis ?? expect.fail('no data')
  }

  it('replace the synthetic ones, and keep separate versions, terms and dates', async () => {
    expect(await ingest('ofac', `${SDN}\r\n${OTHERS}`, COMMENTS)).toMatchObject({
      added: 31,
      rejected: 0,
      removedSeed: expect.any(Number),
    })
    expect(await screen()).toEqual({
      data: [
        {
          status: 'screened',
          is_sanctioned: true,
          last_listed_date: '2022-02-24',
          legal_name: 'MADE-UP BANK',
          opensanctions_id: null,
          sanction_programs: ['US-RUSHAR'],
          sanctions_lists: ['us_ofac_sdn'],
          entries: [{ list: 'us_ofac_sdn', left_at: null }],
        },
      ],
      meta: {
        lists_covered: ['us_ofac_sdn'],
        license: 'Public domain (work of the US government)',
        attribution: 'Source: US Department of the Treasury, OFAC',
        source: 'ofac',
      },
    })
    const seeds = await app.database.rows("select 1 from sanctions_subject where source = 'seed'")
    expect(seeds).toEqual([])
  })

  it('change nothing when they are read again', async () => {
    const before = await app.database.rows(
      'select * from sanctions_subject order by list, subject_id, known_from',
    )
    expect(await ingest('ofac', COMMENTS, `${SDN}\r\n${OTHERS}`)).toMatchObject({
      added: 0,
      revised: 0,
      unchanged: 31,
    })
    expect(
      await app.database.rows('select * from sanctions_subject order by list, subject_id, known_from'),
    ).toEqual(before)
  })

  it('are combined; the register of LEIs gives the name', async () => {
    await ingest('opensanctions', linesOf(sanction, company))
    const record = { attributes: { lei: LEI, entity: { legalName: { name: 'Made-up Bank JSC' } } } }
    await ingest('gleif', JSON.stringify({ data: [record] }))
    const { data, meta } = await screen()
    expect(data).toMatchObject([
      {
        is_sanctioned: true,
        last_listed_date: '2023-05-01',
        legal_name: 'Made-up Bank JSC',
        opensanctions_id: 'NK-1',
        sanction_programs: ['EU-UKR', 'US-RUSHAR'],
        sanctions_lists: ['eu_fsf', 'us_ofac_sdn'],
      },
    ])
    expect(meta).toMatchObject({
      lists_covered: ['eu_fsf', 'opensanctions', 'us_ofac_sdn'],
      license: expect.stringMatching(/CC0 1\.0; CC BY-NC 4\.0.*; Public domain/),
      source: 'gleif, ofac, opensanctions',
    })
    const parts = (await loadDatasetStates(app.database)).get('screening')?.parts ?? []
    expect(parts.map(({ part, version }) => [part, version])).toEqual([
      ['gleif', 1],
      ['opensanctions', 1],
      // The synthetic list had the first version.
      ['us_ofac_sdn', 3],
    ])
    const ages = parts.map(({ observedAt }) => observedAt.getTime())
    expect(new Set(ages).size).toBe(3)
  })

  it('show the age of the oldest of them', async () => {
    const { body } = await app.rest<{ _meta: { last_updated_at: string; sources: string[] } }>(
      '/v1/sanctions/screen',
      { key, method: 'POST', body: { leis: [LEI] } },
    )
    const parts = (await loadDatasetStates(app.database)).get('screening')?.parts ?? []
    const ofac = parts.find(({ part }) => part === 'us_ofac_sdn')
    expect(body._meta.last_updated_at).toBe(ofac?.observedAt.toISOString())
    expect(body._meta.sources).toEqual(['gleif', 'ofac', 'opensanctions'])
  })

  it('lose an entity by a delta, and by a list that no longer names it', async () => {
    const listedAt = app.clock.now()
    await ingest(
      'opensanctions-delta',
      linesOf({ op: 'DEL', entity: { id: 'NK-1' } }, { op: 'DEL', entity: sanction }),
    )
    expect((await screen()).data).toMatchObject([{ is_sanctioned: true, sanctions_lists: ['us_ofac_sdn'] }])
    expect(
      await ingest('ofac', OTHERS, `9,"x"\r\n${END}`, `9,X,individual,X,${NULLS},-0- \r\n${END}`),
    ).toMatchObject({ revised: 0, alsoChanged: 1, rejected: 0 })
    expect((await screen()).data).toEqual([
      {
        status: 'screened',
        is_sanctioned: false,
        last_listed_date: '2023-05-01',
        legal_name: 'Made-up Bank JSC',
        opensanctions_id: 'NK-1',
        sanction_programs: [],
        sanctions_lists: [],
        entries: [
          { list: 'opensanctions', left_at: expect.any(String) },
          { list: 'us_ofac_sdn', left_at: expect.any(String) },
        ],
      },
    ])
    expect((await screen(listedAt)).data).toMatchObject([
      { is_sanctioned: true, sanction_programs: ['EU-UKR', 'US-RUSHAR'] },
    ])
  })

  it('change nothing if a file is broken or most of a list is missing', async () => {
    const before = await app.database.rows("select version from dataset_state where dataset = 'screening'")
    await expect(ingest('ofac', SDN)).rejects.toThrow(BrokenBody)
    await expect(ingest('ofac', `${SDN}\r\n${END}`, COMMENTS)).rejects.toThrow(/likely cut off/)
    await expect(ingest('eu-sanctions', '<html></html>')).rejects.toThrow(BrokenBody)
    await expect(runFeed(deps(), findFeed('eu-sanctions'), { kind: 'live' })).rejects.toThrow(
      new IngestError('eu-sanctions has no live source; give it a file'),
    )
    expect(await app.database.rows("select version from dataset_state where dataset = 'screening'")).toEqual(
      before,
    )
  })

  it('withdraw nothing by a file that was cut off at the end of a line, and report what they keep', async () => {
    await ingest('ofac', `${SDN}\r\n${OTHERS}`, COMMENTS)
    const cut = await ingest('ofac', `${WITHOUT_END}\r\n`, COMMENTS)
    expect(cut).toMatchObject({ revised: 0, unchanged: 30, rejected: 2 })
    expect(cut.rejections).toEqual([
      { position: '1.txt, line 1', reason: 'sdn.csv has no entry 1' },
      {
        position: 'end of the list',
        reason: expect.stringMatching(/^1 entries .* are kept: nothing proves/),
      },
    ])
    expect((await screen()).data).toMatchObject([{ is_sanctioned: true, sanctions_lists: ['us_ofac_sdn'] }])
    const [noted] = await app.database.rows<{ rejections: readonly object[] }>(
      'select rejections from ingest_run order by started_at desc limit 1',
    )
    expect(noted?.rejections).toEqual(cut.rejections)
    // The comment alone lists nobody: the list that is whole clears the entity.
    expect(await ingest('ofac', OTHERS, COMMENTS)).toMatchObject({ revised: 0, alsoChanged: 1, rejected: 1 })
    expect((await screen()).data).toMatchObject([{ is_sanctioned: false }])
  })

  it('of other providers withdraw nothing without proof, and at most 2 % if the operator declares the file whole', async () => {
    const header = 'celex,recordId,programKey,annex,measure,startDate,schema,name,leiCode'
    const entry = (at: number) =>
      `32014R0269,${at},UKR,I,Freeze,2022-02-28,Organization,E ${at},${at === 0 ? LEI : ''}`
    const act = (from: number, to: number) =>
      [header, ...Array.from({ length: to - from }, (_, at) => entry(from + at))].join('\n')
    await ingest('eu-sanctions', act(0, 60))
    expect(await ingest('eu-sanctions', act(1, 60))).toMatchObject({ revised: 0, rejected: 1 })
    expect((await screen()).data).toMatchObject([{ is_sanctioned: true }])
    isSaidWhole = true
    const half = await ingest('eu-sanctions', act(30, 60))
    expect(half).toMatchObject({ revised: 0, rejected: 1 })
    expect(half.rejections[0]?.reason).toMatch(/^30 entries .* at most 2 %/)
    expect((await screen()).data).toMatchObject([{ is_sanctioned: true }])
    expect(await ingest('eu-sanctions', act(1, 60))).toMatchObject({
      revised: 0,
      alsoChanged: 1,
      rejected: 0,
    })
    expect((await screen()).data).toMatchObject([{ is_sanctioned: false }])
    isSaidWhole = false
  })

  it.each(NEW_LISTS)(
    '$feed withdraws nothing when its body is cut or has shrunk',
    async ({ feed, list, body, cut, hasNoEnd = false }) => {
      const listed = async () => {
        const [row] = await app.database.rows<{ count: number }>(
          `select count(*)::int as count from sanctions_subject
         where list = $1 and known_to is null and is_listed and not is_withdrawn`,
          [list],
        )
        return row?.count
      }
      const given = (texts: readonly string[]) => ingest(feed, ...texts).catch((error: Error) => error)
      expect(await given(body(60))).toMatchObject({ rejected: 0 })
      expect(await listed()).toBe(60)
      await given(cut(body(60)))
      expect(await listed()).toBe(60)
      await given(body(25))
      expect(await listed()).toBe(60)
      // A whole list that lacks one entry withdraws it.
      isSaidWhole = hasNoEnd
      expect(await given(body(59))).toMatchObject({ rejected: 0 })
      expect(await listed()).toBe(59)
      isSaidWhole = false
    },
  )

  it.each([
    ['of the size that its index states', 0, false],
    ['shorter than its index states', 1, true],
  ])('of OpenSanctions that are %s', async (_what, missing, isSanctioned) => {
    const other = { ...company, id: 'NK-8', properties: { leiCode: [SEED_ENTITIES[1]?.lei] } }
    await ingest('opensanctions', linesOf(company, other))
    const body = linesOf(other)
    const index = { resources: [{ name: 'entities.ftm.json', size: body.length + missing }] }
    const live = {
      ...deps(),
      fetchBody: async () => Buffer.from(JSON.stringify(index)),
      downloadBody: (_request: object, path: string) => writeFile(path, body),
    }
    app.clock.advance(DAY_MS)
    await runFeed(live, findFeed('opensanctions'), { kind: 'live' })
    app.clock.advance(1_000)
    expect((await screen()).data).toMatchObject([{ is_sanctioned: isSanctioned }])
    await ingest('opensanctions-delta', linesOf({ op: 'DEL', entity: { id: 'NK-1' } }))
  })

  it('keep an entity that a body describes in two ways', async () => {
    await ingest('opensanctions', linesOf(company))
    const cleared = { ...company, properties: { leiCode: [LEI], topics: [] } }
    const run = await ingest('opensanctions', linesOf(cleared, { ...company, id: 'NK-9' }, company, cleared))
    expect(run).toMatchObject({ rows: 1, added: 1, revised: 0, rejected: 4 })
    expect((await screen()).data).toMatchObject([{ is_sanctioned: true, opensanctions_id: 'NK-1' }])
    const left = linesOf({ op: 'DEL', entity: { id: 'NK-1' } }, { op: 'DEL', entity: { id: 'NK-9' } })
    await ingest('opensanctions-delta', left)
  })

  it('are visible to the next caller, although versions are cached for half a second', async () => {
    const ask = async () => {
      const call = { key, method: 'POST', body: { leis: [LEI] } } as const
      const { body } = await app.rest<{ data: readonly { is_sanctioned: boolean }[] }>(
        '/v1/sanctions/screen',
        call,
      )
      return body.data[0]?.is_sanctioned
    }
    await ingest('ofac', `${SDN}\r\n${OTHERS}`, COMMENTS)
    // The second answer comes from the cache, and so would the third.
    expect([await ask(), await ask()]).toEqual([true, true])
    await ingestAtOnce('ofac', OTHERS, COMMENTS)
    expect(await ask()).toBe(false)
  })

  it('come from the address of the provider, both files', async () => {
    const asked: string[] = []
    const server: Server = createServer(({ url = '' }, response) => {
      asked.push(url)
      response.end(url.endsWith('sdn.csv') ? `${SDN}\r\n${OTHERS}` : COMMENTS)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on TCP
    const client = createHttpClient({ log: createLogger('silent'), userAgent: 'test' })
    const http = withProviderUrls(client, { ofac: `http://127.0.0.1:${port}` })
    app.clock.advance(DAY_MS)
    const live = { ...deps(), downloadBody: downloadBodyWith(http) }
    expect(await runFeed(live, findFeed('ofac'), { kind: 'live' })).toMatchObject({
      rejected: 0,
      unchanged: 30,
    })
    server.close()
    expect(asked).toEqual(['/ofac/downloads/sdn.csv', '/ofac/downloads/sdn_comments.csv'])
    app.clock.advance(1_000)
    expect((await screen()).data).toMatchObject([{ is_sanctioned: true, sanctions_lists: ['us_ofac_sdn'] }])
  })

  it('get missing names from the register of LEIs, a hundred at a time', async () => {
    const leis = SEED_ENTITIES.slice(0, 150).map(({ lei }) => lei)
    const entities = leis.map((lei, at) => ({ ...company, id: `NK-a${at}`, properties: { leiCode: [lei] } }))
    await ingest('opensanctions-delta', linesOf(...entities.map((entity) => ({ op: 'ADD', entity }))))
    const asked: number[] = []
    const fetchBody = async ({ url }: { readonly url: string }) => {
      const given = new URL(url).searchParams.get('filter[lei]')?.split(',') ?? []
      asked.push(given.length)
      const data = given
        .filter((lei) => lei !== leis[7])
        .map((lei) => ({ attributes: { lei, entity: { legalName: { name: `Name of ${lei}` } } } }))
      return Buffer.from(JSON.stringify({ data }))
    }
    const names = () => runGroup(legalNamesGroup, { ...deps(), fetchBody })
    const nothing = { read: 0, added: 0, revised: 0, unchanged: 0, rejected: 0, absent: 0 }
    expect(await names()).toEqual({ ...nothing, requested: 150, read: 149, added: 149, unnamed: 1 })
    expect(await names()).toEqual({ ...nothing, requested: 1, unnamed: 1 })
    expect(asked).toEqual([100, 50, 1])
    const [first] = await app.database.rows<{ name: string }>(
      'select legal_name as name from legal_entity where lei = $1',
      [leis[0]],
    )
    expect(first?.name).toBe(`Name of ${leis[0]}`)
  })
})
