import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { downloadBodyWith } from '../../src/ingest/ask-for-body.js'
import { BrokenBody, IngestError } from '../../src/ingest/feed.js'
import { findFeed } from '../../src/ingest/registry.js'
import { runFeed } from '../../src/ingest/run-feed.js'
import { runLegalNames } from '../../src/ingest/run-legal-names.js'
import { SEED_ENTITIES } from '../../src/ingest/seed/screening-entities.js'
import { readDatasetStates } from '../../src/platform/database/data-version.js'
import { createHttpClient } from '../../src/platform/http-client/http-client.js'
import { withProviderUrls } from '../../src/platform/http-client/provider-addresses.js'
import { createLogger } from '../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { availableDatabases } from '../support/database.js'

const LEI = '253400WSS48YWMBUA688'
const NULLS = Array(7).fill('-0- ').join()
const SDN = `1,"MADE-UP BANK",-0- ,RUSSIA-EO14024,${NULLS},"Listing Date (EO 14024): 24 Feb 2022; Legal Enti"`
const OTHERS = Array.from({ length: 30 }, (_, at) => `${at + 10},A ${at},-0- ,X,${NULLS},-0- `).join('\r\n')
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

describe.each(availableDatabases())('sanctions lists on %s', (kind) => {
  let app: TestApp
  let key: string
  let home: string
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
    const [path = '', ...more] = texts.map((_, at) => join(home, `${at}.txt`))
    for (const [at, text] of texts.entries()) await writeFile([path, ...more][at] ?? '', text)
    const counts = await runFeed(deps(), findFeed(feed), { kind: 'file', path, more })
    app.clock.advance(1_000) // versions are read again every half second
    return counts
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

  it('take the place of the synthetic ones, and keep their own versions, terms and dates', async () => {
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

  it('count together; the register of LEIs gives the name', async () => {
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
      lists_covered: ['opensanctions', 'us_ofac_sdn'],
      license: expect.stringMatching(/CC0 1\.0; CC BY-NC 4\.0.*; Public domain/),
      source: 'gleif, ofac, opensanctions',
    })
    const parts = (await readDatasetStates(app.database)).get('screening')?.parts ?? []
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
    const parts = (await readDatasetStates(app.database)).get('screening')?.parts ?? []
    const ofac = parts.find(({ part }) => part === 'us_ofac_sdn')
    expect(body._meta.last_updated_at).toBe(ofac?.observedAt.toISOString())
    expect(body._meta.sources).toEqual(['gleif', 'ofac', 'opensanctions'])
  })

  it('are left by a delta, and by a list that names the entity no longer', async () => {
    const listedAt = app.clock.now()
    await ingest(
      'opensanctions-delta',
      linesOf({ op: 'DEL', entity: { id: 'NK-1' } }, { op: 'DEL', entity: sanction }),
    )
    expect((await screen()).data).toMatchObject([{ is_sanctioned: true, sanctions_lists: ['us_ofac_sdn'] }])
    expect(
      await ingest('ofac', OTHERS, '9,"x"\r\n', '9,X,individual,X,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- '),
    ).toMatchObject({
      revised: 1,
    })
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

  it('leave nothing behind when a file is broken or most of a list is missing', async () => {
    const before = await app.database.rows("select version from dataset_state where dataset = 'screening'")
    await expect(ingest('ofac', SDN)).rejects.toThrow(BrokenBody)
    await expect(ingest('ofac', `${SDN}\r\n`, COMMENTS)).rejects.toThrow(/likely cut off/)
    await expect(ingest('eu-sanctions', '<html></html>')).rejects.toThrow(BrokenBody)
    await expect(runFeed(deps(), findFeed('eu-sanctions'), { kind: 'live' })).rejects.toThrow(
      new IngestError('eu-sanctions has no live source; give it a file'),
    )
    expect(await app.database.rows("select version from dataset_state where dataset = 'screening'")).toEqual(
      before,
    )
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

  it('get the names that are missing from the register of LEIs, a hundred at a time', async () => {
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
    const names = () => runLegalNames({ ...deps(), fetchBody, pauseMs: 0 })
    expect(await names()).toEqual({ asked: 150, added: 149, revised: 0, unchanged: 0, rejected: 0 })
    expect(await names()).toEqual({ asked: 1, added: 0, revised: 0, unchanged: 0, rejected: 0 })
    expect(asked).toEqual([100, 50, 1])
    const [first] = await app.database.rows<{ name: string }>(
      'select legal_name as name from legal_entity where lei = $1',
      [leis[0]],
    )
    expect(first?.name).toBe(`Name of ${leis[0]}`)
  })
})
