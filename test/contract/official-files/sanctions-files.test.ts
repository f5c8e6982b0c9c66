import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFeed } from '../../../src/ingest/registry.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const SDN = samplePath('opensanctions/ofac/sdn_subset.csv')
const COMMENTS = samplePath('opensanctions/ofac/sdn_comments.csv')
const JOURNAL = samplePath('opensanctions/eu_journal/32014R0269_subset.csv')
const NAME = samplePath('gleif/lei-record_HWUPKR0MPOU8FGXBT394.json')

const INTRUST = '485100GBI2SE0KIX8T70'
const GAZPROMBANK = '253400WSS48YWMBUA688'
const YANGJIE = '6556009FCJ7O8QPFTC19'
const ALGHAF = '984500SAI1E9CB88DC54'
const APPLE = 'HWUPKR0MPOU8FGXBT394'

/** The subset lacks the row whose remarks go on in line 1 of the comments. */
const GAZPROMBANK_ROW = `17016,GAZPROMBANK JOINT STOCK COMPANY,-0- ,UKRAINE-EO13662] [RUSSIA-EO14024,${'-0- ,'.repeat(7)}"All transactions prior to the 'Effec"`

interface Result {
  readonly status: string
  readonly is_sanctioned: boolean | null
  readonly sanction_programs: readonly string[]
  readonly last_listed_date: string | null
  readonly legal_name: string | null
  readonly sanctions_lists: readonly string[]
}

describe.skipIf(SDN === null || COMMENTS === null || JOURNAL === null || NAME === null)(
  'recorded sanctions lists (skipped without their sample files)',
  () => {
    let app: TestApp
    let key: string
    let home: string
    beforeAll(async () => {
      app = await startTestApp(quickestDatabase())
      key = await app.newKey({ tier: 'growth' })
      home = await mkdtemp(join(tmpdir(), 'lists-'))
      await writeFile(join(home, 'row.csv'), GAZPROMBANK_ROW)
      await ingest('ofac', SDN ?? '', join(home, 'row.csv'), COMMENTS ?? '')
      await ingest('eu-sanctions', JOURNAL ?? '')
      await ingest('gleif', NAME ?? '')
    })
    afterAll(async () => {
      await app?.close()
      await rm(home, { recursive: true, force: true })
    })

    const ingest = (feed: string, path: string, ...more: readonly string[]) =>
      ingestFile(feed, { path, more, isSaidWhole: false })
    const ingestFile = async (
      feed: string,
      file: { path: string; more: readonly string[]; isSaidWhole: boolean },
    ) => {
      app.clock.advance(60_000)
      const { database, clock } = app
      const fetchBody = () => expect.fail('nothing is fetched')
      const deps = { database, clock, log: createLogger('silent'), fetchBody }
      const summary = await runFeed(deps, findFeed(feed), { kind: 'file', ...file })
      app.clock.advance(1_000) // versions are read again every half second
      return summary
    }
    const screen = async (...leis: string[]) => {
      const { body } = await app.rest<{ data: Result[] }>('/v1/sanctions/screen', {
        key,
        method: 'POST',
        body: { leis },
      })
      return body.data.map(({ status, is_sanctioned, sanction_programs, last_listed_date, legal_name }) =>
        [status, is_sanctioned, sanction_programs.join(' '), last_listed_date, legal_name].join(' | '),
      )
    }

    it('are screened with their programmes and dates; an LEI that they lack is never clear', async () => {
      expect(await screen(INTRUST, GAZPROMBANK, YANGJIE, ALGHAF, APPLE, '851683897')).toEqual([
        'screened | true | US-GLOMAG |  | INTRUST PLC EAD',
        'screened | true | US-RUSHAR US-UKRRUS-REL | 2022-02-24 | GAZPROMBANK JOINT STOCK COMPANY',
        'screened | true | EU-UKR | 2026-04-23 | Yangzhou Yangjie Electronic Technology Co., Ltd.',
        'screened | true | EU-UKR | 2026-04-23 | Alghaf Marine DMCC',
        'not_screened |  |  |  | Apple Inc.',
        'invalid_lei |  |  |  | ',
      ])
    })

    it('change nothing when they are ingested again', async () => {
      const rows = () =>
        app.database.rows('select * from sanctions_subject order by list, subject_id, known_from')
      const before = await rows()
      expect(await ingest('ofac', COMMENTS ?? '', SDN ?? '', join(home, 'row.csv'))).toMatchObject({
        added: 0,
        revised: 0,
        unchanged: 126,
      })
      expect(await ingest('eu-sanctions', JOURNAL ?? '')).toMatchObject({
        added: 0,
        revised: 0,
        unchanged: 62,
      })
      expect(await rows()).toEqual(before)
    })

    it('lose an entity with the next complete version of the list, and keep the day', async () => {
      const text = await readFile(JOURNAL ?? '', 'utf8')
      const shorter = text.split('\n').filter((line) => !line.includes(ALGHAF))
      await writeFile(join(home, 'eu.csv'), shorter.join('\n'))
      expect(await ingest('eu-sanctions', join(home, 'eu.csv'))).toMatchObject({ revised: 0, unchanged: 61 })
      expect(await screen(ALGHAF)).toEqual(['screened | true | EU-UKR | 2026-04-23 | Alghaf Marine DMCC'])
      const whole = { path: join(home, 'eu.csv'), more: [], isSaidWhole: true }
      expect(await ingestFile('eu-sanctions', whole)).toMatchObject({
        revised: 0,
        alsoChanged: 1,
        unchanged: 61,
      })
      expect(await screen(ALGHAF, YANGJIE)).toEqual([
        'screened | false |  | 2026-04-23 | Alghaf Marine DMCC',
        'screened | true | EU-UKR | 2026-04-23 | Yangzhou Yangjie Electronic Technology Co., Ltd.',
      ])
    })

    it('are listed and delisted by deltas of OpenSanctions, too', async () => {
      const datasets = ['eu_fsf']
      const properties = { leiCode: [APPLE], topics: ['sanction'] }
      const entity = { id: 'NK-made-up', caption: 'Made up', schema: 'Company', properties, datasets }
      const change = async (op: string) => {
        await writeFile(join(home, 'delta.json'), `${JSON.stringify({ op, entity })}\n`)
        await ingest('opensanctions-delta', join(home, 'delta.json'))
        return screen(APPLE)
      }
      expect(await change('ADD')).toEqual(['screened | true |  |  | Apple Inc.'])
      expect(await change('DEL')).toEqual(['screened | false |  |  | Apple Inc.'])
    })
  },
)
