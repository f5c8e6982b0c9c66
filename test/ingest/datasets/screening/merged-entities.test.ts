import { afterAll, beforeAll, expect, it } from 'vitest'
import { findFeed } from '../../../../src/ingest/registry.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'

const [A, B, C] = ['253400WSS48YWMBUA688', 'HWUPKR0MPOU8FGXBT394', '5493001KJTIIGC8Y1R12']

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp('pglite', { world: 'seeded' })
  key = await app.newKey({ tier: 'growth' })
})
afterAll(() => app?.close())

async function ingest(feed: string, text: string) {
  app.clock.advance(86_400_000)
  const deps = { database: app.database, clock: app.clock, log: createLogger('silent') }
  const fetchBody = () => expect.fail('nothing is asked')
  const bytes = new TextEncoder().encode(text)
  return runFeed({ ...deps, fetchBody }, findFeed(feed), { kind: 'bytes', bytes, origin: 'a test' })
}

async function screen() {
  interface Screened {
    readonly data: readonly Record<string, unknown>[]
  }
  const { body } = await app.rest<Screened>('/v1/sanctions/screen', {
    key,
    method: 'POST',
    body: { leis: [A, B, C] },
  })
  return body.data.map((found) => [
    found.is_sanctioned,
    found.opensanctions_id,
    found.last_listed_date,
    found.sanction_programs,
    found.sanctions_lists,
  ])
}

const company = (id: string, leiCode: readonly string[], topic: string, ...datasets: readonly string[]) => ({
  ...{ id, caption: 'Made-up', schema: 'Company', properties: { leiCode, topics: [topic] } },
  ...{ referents: [id], datasets, last_seen: '2025-11-20T06:00:00' },
})
const sanction = (
  id: string,
  entity: string,
  startDate: readonly string[],
  dataset: string,
  programId?: string,
) => ({
  ...{ id, schema: 'Sanction', datasets: [dataset], referents: [id] },
  properties: { entity: [entity], startDate, ...(programId === undefined ? {} : { programId: [programId] }) },
})
const linesOf = (...values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n')

it('a register or a disqualification sanctions nobody, and gives no date', async () => {
  const run = await ingest(
    'opensanctions',
    linesOf(
      company(
        'NK-1',
        [A, B.toLowerCase()],
        'sanction',
        'us_ofac_sdn',
        'ext_gleif',
        'permid',
        'gb_coh_disqualified',
      ),
      sanction('s1', 'NK-1', ['2022-03', '2022-04-06'], 'us_ofac_sdn', 'US-RUSHAR'),
      sanction('s2', 'NK-1', ['2025-04-09'], 'gb_coh_disqualified', 'GB-DISQUALIFIED'),
      company('NK-3', [C], 'sanction.linked', 'us_ofac_sdn', 'ann_graph_topics'),
    ),
  )
  expect(run).toMatchObject({ rejected: 0 })
  const both = [true, 'NK-1', '2022-04-06', ['US-RUSHAR'], ['us_ofac_sdn']]
  expect(await screen()).toEqual([both, both, [false, 'NK-3', null, [], []]])
})

it('an entity of registers only is not sanctioned, whatever its topic, and the run says so', async () => {
  const run = await ingest(
    'opensanctions-delta',
    linesOf({ op: 'MOD', entity: company('NK-3', [C], 'sanction', 'ext_gleif', 'gb_coh_disqualified') }),
  )
  expect(run.rejections.map(({ reason }) => reason)).toEqual([
    'the entity "NK-3" has the topic sanction, but none of its datasets is a known sanctions list: ext_gleif, gb_coh_disqualified',
  ])
  expect((await screen())[2]).toEqual([false, 'NK-3', null, [], []])
})

it('a delta merges an entity into another one with its LEIs, lists, programmes and dates', async () => {
  const merged = company('NK-2', [A, B], 'sanction', 'us_ofac_sdn', 'eu_fsf', 'ext_gleif')
  await ingest(
    'opensanctions-delta',
    linesOf(
      { op: 'DEL', entity: { id: 'NK-1' } },
      { op: 'ADD', entity: { ...merged, referents: ['NK-1', 'NK-2'] } },
      { op: 'MOD', entity: sanction('s1', 'NK-2', ['2022-04-06'], 'us_ofac_sdn', 'US-RUSHAR') },
      { op: 'ADD', entity: sanction('s3', 'NK-2', ['2022-07-21'], 'eu_fsf') },
      { op: 'DEL', entity: { id: 's2' } },
      { op: 'MOD', entity: company('NK-3', [C], 'sanction', 'us_ofac_sdn', 'ext_gleif') },
    ),
  )
  const both = [true, 'NK-2', '2022-07-21', ['US-RUSHAR'], ['eu_fsf', 'us_ofac_sdn']]
  expect(await screen()).toEqual([both, both, [true, 'NK-3', null, [], ['us_ofac_sdn']]])
})

it('a change with an unreadable LEI does not change the entity', async () => {
  const wrong = company('NK-3', ['5493001KJTIIGC8Y1R13'], 'sanction', 'us_ofac_sdn')
  const run = ingest('opensanctions-delta', linesOf({ op: 'MOD', entity: wrong }))
  await expect(run).rejects.toThrow(/none of its 1 rows can be used/)
  expect((await screen())[2]?.[0]).toBe(true)
})
