import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import { fixedClock } from '../../../src/core/time.js'
import { BrokenBody } from '../../../src/ingest/feed.js'
import { type RunDeps, runFeed } from '../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { copyEmbeddedWorld, openTestDatabase } from '../../support/database/database.js'
import { generatedFeed, generatedLines } from './generated-body.js'

const MB = 1e6

/** Chunks and a slice, with what the collector leaves for a while: well below the body. */
const MAX_BYTES_HELD_MB = 50

/** The records of 100 MB take several times as much; the process would end. */
const MAX_HEAP_MB = 160

const sink = {
  write: async (_tx: unknown, rows: readonly unknown[]) => ({ added: rows.length, revised: 0, unchanged: 0 }),
  removeSeed: async () => 0,
  newest: () => new Date('2026-11-20T12:00:00Z'),
}
const bound = { feed: generatedFeed, sink }

describe('a body that is read as a stream', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase('pglite', 'empty')
  })
  beforeEach(() => database.script('truncate ingest_run, dataset_state'))
  afterAll(() => database?.close())

  const deps = (downloadBody?: RunDeps['downloadBody']): RunDeps => ({
    database,
    clock: fixedClock('2026-11-20T15:30:00.000Z'),
    fetchBody: () => expect.fail('nothing is fetched whole'),
    log: createLogger('silent'),
    ...(downloadBody === undefined ? {} : { downloadBody }),
  })
  const ledger = () =>
    database.rows('select status, body_sha256, body_bytes, added, rejected, error from ingest_run')

  it('is downloaded to a file that is removed afterwards, with its hash and size in the ledger', async () => {
    const body = Buffer.concat([...generatedLines(300_000)])
    const paths: string[] = []
    const download = deps(async (_request, path) => {
      paths.push(path)
      writeFileSync(path, body)
    })
    const summary = await runFeed(download, bound, { kind: 'live' })
    expect(summary).toMatchObject({ rows: 297, added: 297, rejected: 3, bodySha256: sha256Hex(body) })
    expect(await ledger()).toEqual([
      {
        status: 'succeeded',
        body_sha256: sha256Hex(body),
        body_bytes: body.length,
        added: 297,
        rejected: 3,
        error: null,
      },
    ])
    expect(paths).toHaveLength(1)
    expect(paths.map((path) => existsSync(dirname(path)))).toEqual([false])
  })

  it('leaves nothing if it breaks half way', async () => {
    const paths: string[] = []
    const broken = deps(async (_request, path) => {
      paths.push(path)
      writeFileSync(path, Buffer.concat([...generatedLines(2_000_000), Buffer.from('a,"b')]))
    })
    await expect(runFeed(broken, bound, { kind: 'live' })).rejects.toThrow(BrokenBody)
    expect(await ledger()).toMatchObject([{ status: 'failed', added: 0 }])
    expect(await database.rows('select 1 from dataset_state')).toEqual([])
    expect(paths.map((path) => existsSync(dirname(path)))).toEqual([false])
  })

  it('keeps its transaction alive over a long stretch without a row', async () => {
    const said: unknown[] = []
    const recording: Database = {
      ...database,
      transaction: (work) =>
        database.transaction((tx) => {
          const rows = (sql: string, parameters?: readonly unknown[]) => {
            said.push(sql)
            return tx.rows(sql, parameters)
          }
          return work(Object.assign(Object.create(tx), { rows }))
        }),
    }
    const bytes = Buffer.from(`${'a,x\n'.repeat(11_000)}a,1\n`)
    const given = { kind: 'bytes', bytes, origin: 'rejected.csv' } as const
    const summary = await runFeed({ ...deps(), database: recording }, bound, given)
    expect(summary).toMatchObject({ added: 1, rejected: 11_000 })
    expect(said.filter((sql) => sql === 'select 1 as alive')).toHaveLength(2)
  })

  it('has a live source only if it can be downloaded', async () => {
    await expect(runFeed(deps(), bound, { kind: 'live' })).rejects.toThrow('give it a file')
  })

  it('takes no more memory for 100 MB than for a slice', { timeout: 240_000 }, async () => {
    const child = resolve(import.meta.dirname, '../children/read-generated.ts')
    const home = mkdtempSync(join(tmpdir(), 'stream-body-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    await copyEmbeddedWorld('empty', join(home, 'data'))
    const heap = `--max-old-space-size=${MAX_HEAP_MB}`
    const command = [heap, '--import', 'tsx', child, String(100 * MB), join(home, 'data')]
    const { stdout } = await promisify(execFile)(process.execPath, command)
    const run = JSON.parse(stdout) as Record<string, number>
    expect(run).toMatchObject({ rows: 99_000, rejected: 1_000 })
    expect(run.externalGrowthMb).toBeLessThan(MAX_BYTES_HELD_MB)
  })
})
