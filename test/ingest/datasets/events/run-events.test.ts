import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { seedWorld } from '../../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { runOperatorFile } from '../../../support/ingest/run-group.js'

const NOW = new Date('2026-11-22T10:00:00Z')
const LATER = new Date('2026-11-22T11:00:00Z')
const LATEST = new Date('2026-11-22T12:00:00Z')
const HEADER = 'event_id,event_type,date,title,description,assets,withdrawn'

describe.each(availableDatabases())('events on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await seedWorld(database, NOW, ['instruments'])
  })
  beforeEach(() =>
    database.script(
      `delete from asset_event_asset; delete from asset_event; delete from ingest_run; delete from dataset_state where dataset = 'events'`,
    ),
  )
  afterAll(() => database?.close())

  const run = (at: Date, ...lines: readonly string[]) => {
    const deps = {
      database,
      clock: fixedClock(at),
      log: createLogger('silent'),
      fetchBody: () => expect.fail('nothing is fetched'),
    }
    const bytes = new TextEncoder().encode(`${[HEADER, ...lines].join('\n')}\n`)
    return runOperatorFile('events', deps, { kind: 'bytes', bytes, origin: 'events.csv' })
  }
  const events = () =>
    database.rows<Record<string, unknown>>(
      `select e.event_type, e.event_date::text, e.title, e.description, array(
         select asset.slug from asset_event_asset as m join asset using (asset_id)
         where m.event_hk = e.event_hk and m.known_to is null and not m.is_withdrawn order by 1
       ) as assets
       from asset_event as e where e.known_to is null and not e.is_withdrawn order by e.title`,
    )
  const version = async () =>
    (
      await database.rows<{ version: number }>(`select version from dataset_state where dataset = 'events'`)
    )[0]?.version

  it('are stored with their assets, and reading them again changes nothing', async () => {
    const lines = [
      ',halving,2024-04-20,Fourth halving,,bitcoin litecoin,',
      ',airdrop,2027-01-01,Planned,,solana,',
    ]
    expect(await run(NOW, ...lines)).toMatchObject({ rows: 2, added: 2, alsoChanged: 3, rejected: 0 })
    expect(await events()).toEqual([
      {
        event_type: 'halving',
        event_date: '2024-04-20',
        title: 'Fourth halving',
        description: null,
        assets: ['bitcoin', 'litecoin'],
      },
      {
        event_type: 'airdrop',
        event_date: '2027-01-01',
        title: 'Planned',
        description: null,
        assets: ['solana'],
      },
    ])
    expect(await run(LATER, ...lines)).toMatchObject({ added: 0, revised: 0, unchanged: 2, alsoChanged: 0 })
    expect(await version()).toBe(2) // confirmed: as new as the newest body
  })

  it('are corrected by a later file, and earlier versions stay known', async () => {
    await run(NOW, 'a,halving,2024-04-19,Halving,,bitcoin litecoin,', ',airdrop,2024-01-01,Other,,solana,')
    const corrected = await run(LATER, 'a,hard_fork,2024-04-20,A fork,It was none.,bitcoin solana,')
    expect(corrected).toMatchObject({ added: 0, revised: 1, unchanged: 0, alsoChanged: 2 })
    expect(await events()).toMatchObject([
      {
        event_type: 'hard_fork',
        event_date: '2024-04-20',
        title: 'A fork',
        description: 'It was none.',
        assets: ['bitcoin', 'solana'],
      },
      // A file says nothing of what is not in it.
      { title: 'Other' },
    ])
    const history = await database.rows(
      `select e.title, e.known_to from asset_event as e where e.title <> 'Other' order by e.known_from`,
    )
    expect(history).toEqual([
      { title: 'Halving', known_to: LATER },
      { title: 'A fork', known_to: null },
    ])
  })

  it('are withdrawn with their assets, leave a tombstone, and can return', async () => {
    const line = ',airdrop,2024-01-01,Other,,solana bitcoin,'
    await run(NOW, line)
    const taken = await run(LATER, `${line}yes`, ',airdrop,2024-01-02,Nobody knows,,solana,yes')
    expect(taken).toMatchObject({ rows: 2, added: 0, revised: 1, unchanged: 1 })
    expect(await events()).toEqual([])
    const tombstones = await database.rows(
      `select event_type, title, known_from from asset_event where known_to is null and is_withdrawn`,
    )
    expect(tombstones).toEqual([{ event_type: null, title: null, known_from: LATER }])
    expect(await run(LATEST, line)).toMatchObject({ added: 0, revised: 1, alsoChanged: 2 })
    expect(await events()).toMatchObject([{ title: 'Other', assets: ['bitcoin', 'solana'] }])
    expect(await database.rows('select count(*)::int as rows from asset_event')).toEqual([{ rows: 3 }])
  })

  it('replace synthetic ones, which exist for each kind', async () => {
    const { events: made } = await seedWorld(database, NOW, ['events'])
    expect(made).toMatchObject({ rejected: 0 })
    const [kinds] = await database.rows(
      `select count(distinct event_type)::int as kinds, count(*)::int as events from asset_event`,
    )
    expect(kinds).toEqual({ kinds: 18, events: 67 })
    expect(await run(NOW, ',halving,2024-04-20,Own,,bitcoin,')).toMatchObject({ added: 1, alsoChanged: 1 })
    expect(await events()).toMatchObject([{ title: 'Own' }])
    expect(await seedWorld(database, NOW, ['events'])).toMatchObject({ events: null })
  })
})
