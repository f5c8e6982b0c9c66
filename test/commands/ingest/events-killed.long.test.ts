import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { availableDatabases } from '../../support/database/database.js'
import { killedMidFile } from '../../support/processes/killed-mid-file.js'
import { type Printed, runScript } from '../../support/processes/run-script.js'
import { type Installation, inDatabase, newInstallation } from '../admin-world.js'

/** More than a run writes at once, and than a pipe holds. */
const EVENTS = 12_000

/** `count` events as JSON lines. */
function bodyOf(count: number, description: string): string {
  return Array.from({ length: count }, (_, at) => {
    const facts = { event_type: 'github_release', date: '2026-01-01', title: `Release ${at}` }
    return `${JSON.stringify({ ...facts, description, assets: ['bitcoin', 'ethereum'] })}\n`
  }).join('')
}

const FEED = `<rss version="2.0"><channel><title>Example Wire</title><item><title>Bitcoin</title>
  <link>https://wire.example/1</link><pubDate>Fri, 20 Nov 2020 09:00:00 GMT</pubDate></item></channel></rss>`

describe.each(availableDatabases())(
  'the commands for events and headlines on %s',
  { timeout: 180_000 },
  (kind) => {
    let installation: Installation
    let folder: string
    const fileOf = (name: string) => join(folder, name)
    const ingest = (...args: readonly string[]): Promise<Printed> =>
      runScript('src/commands/ingest.ts', [...args, '--json'], installation.env)
    const stored = () =>
      inDatabase(installation, async (database) => ({
        events: await database.rows(
          `select description, is_withdrawn, count(*)::int as rows, count(known_to)::int as closed from asset_event
         group by 1, 2 order by 1`,
        ),
        assets: await database.rows('select count(*)::int as rows from asset_event_asset'),
        version: await database.rows(`select * from dataset_state where dataset = 'events'`),
      }))
    beforeAll(async () => {
      installation = await newInstallation(kind, 'empty')
      folder = await mkdtemp(join(tmpdir(), 'mdg-events-'))
      await writeFile(fileOf('first.jsonl'), bodyOf(100, 'one'))
      await writeFile(fileOf('second.jsonl'), bodyOf(EVENTS, 'two'))
      await writeFile(fileOf('feed.xml'), FEED)
      expect((await ingest('reference')).code).toBe(0)
    })
    afterAll(async () => {
      await installation?.remove()
      await rm(folder, { recursive: true, force: true })
    })

    it('leave nothing of a killed run, and complete the next one', async () => {
      expect((await ingest('events', '--file', fileOf('first.jsonl'))).code).toBe(0)
      const before = await stored()
      expect(before.events).toEqual([{ description: 'one', is_withdrawn: false, rows: 100, closed: 0 }])

      const pipe = { path: fileOf('pipe.jsonl'), body: bodyOf(EVENTS, 'two') }
      const signal = await killedMidFile(
        'src/commands/ingest.ts',
        ['events', '--file', pipe.path],
        installation.env,
        pipe,
      )
      expect(signal).toBe('SIGKILL')
      expect(await stored()).toEqual(before)

      const { code, out } = await ingest('events', '--file', fileOf('second.jsonl'))
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({ rejected: 0, rows: EVENTS, revised: 100 })
      const after = await stored()
      expect(after.events).toEqual([
        { description: 'one', is_withdrawn: false, rows: 100, closed: 100 },
        { description: 'two', is_withdrawn: false, rows: EVENTS, closed: 0 },
      ])
      expect(after.assets).toEqual([{ rows: 2 * EVENTS }])
    })

    it('read headlines from a file, and refuse live ones without NEWS_FEEDS', async () => {
      const { code, out } = await ingest('news-rss', '--file', fileOf('feed.xml'))
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({ rows: 1, added: 1, alsoChanged: 1, rejected: 0 })
      const off = await ingest('news-rss')
      expect(off.code).toBe(1)
      expect(off.err).toBe('ingest: news-rss is off; set NEWS_FEEDS, or give a file by --file\n')
      const two = await ingest('news-rss', '--file', 'a', '--file', 'b')
      expect(two.err).toContain('news-rss needs one file')
    })
  },
)
