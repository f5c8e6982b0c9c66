import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/config.js'
import { fixedClock } from '../../../../src/core/time.js'
import { createDirectoryReleases } from '../../../../src/domains/releases/storage/directory-releases.js'
import type { ReleaseStore } from '../../../../src/domains/releases/storage/release-store.js'
import { RELEASE_TABLES } from '../../../../src/domains/releases/tables/release-tables.js'
import { releaseJobs } from '../../../../src/ingest/datasets/releases/release-jobs.js'
import { configuredJobs } from '../../../../src/ingest/wiring.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { createSigner, parseSigningKey } from '../../../../src/platform/secrets/signing.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../../support/database/database.js'

describe('the weekly jobs of releases', () => {
  let database: Database
  let root: string
  let releases: ReleaseStore
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'mdg-release-jobs-'))
    releases = createDirectoryReleases(root)
    database = await openTestDatabase(quickestDatabase(), 'seeded')
  })
  afterAll(async () => {
    await database?.close()
    await rm(root, { recursive: true, force: true })
  })

  const run = (dataset: string, store = releases, signal = new AbortController().signal) => {
    const jobs = releaseJobs({ releases: store, keep: 1 })
    const job = jobs.find(({ name }) => name === `release-${dataset}`) ?? expect.fail(`no job of ${dataset}`)
    const http = { request: () => expect.fail('no request'), download: () => expect.fail('no request') }
    const signer = createSigner(parseSigningKey(Buffer.alloc(32, 7).toString('base64url')))
    const log = createLogger('silent')
    return job.run({ database, clock: fixedClock(SEEDED_AT), log, http, signer, coversTo: SEEDED_AT, signal })
  }

  it('exist only where the operator turned them on, one for each dataset that can be released', () => {
    const names = (SCHEDULE: string) =>
      configuredJobs(loadConfig({ SCHEDULE })).scheduled.map(({ name }) => name)
    const off = names('all')
    const added = names('all,releases').filter((name) => !off.includes(name))
    expect(added).toEqual(RELEASE_TABLES.map(({ dataset }) => `release-${dataset}`))
    expect(off.filter((name) => name.startsWith('release-'))).toEqual([])
  })

  it('are due on Sundays, one after another', () => {
    const jobs = releaseJobs({ releases, keep: null })
    const dues = jobs.map(({ schedule }) => schedule.next(new Date('2026-11-20T12:00:00Z')))
    expect(new Set(dues.map((due) => due.getTime())).size).toBe(jobs.length)
    expect([...new Set(dues.map((due) => due.toISOString().slice(0, 10)))]).toEqual(['2026-11-22'])
  })

  it('write a signed release, and none when nothing changed', async () => {
    const { note, counts } = await run('forex')
    const [listed] = await releases.list('forex')
    expect(note).toBe(`wrote ${listed?.releaseId}`)
    const stored = await releases.read('forex', listed?.releaseId ?? '')
    expect(counts.added).toBe(stored?.manifest.rows)
    expect(stored?.seal.signature).not.toBeNull()
    const again = await run('forex')
    expect(again.note).toBe(`unchanged since ${listed?.releaseId}`)
    expect(again.counts).toMatchObject({ added: 0, unchanged: counts.added })
  })

  it('say why a dataset has no release, and fail when the store is out of reach or the job is stopped', async () => {
    const gone = { ...releases, begin: () => Promise.reject(new Error('the store could not be reached')) }
    await expect(run('commodities', gone)).rejects.toThrow('the store could not be reached')
    await expect(run('commodities', releases, AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
      'stopped',
    )
    await database.rows(`delete from dataset_state where dataset = 'commodities'`)
    expect(await run('commodities')).toMatchObject({
      note: 'commodities: nothing was ingested yet',
      unfinished: null,
    })
    expect(await releases.list('commodities')).toEqual([])
  })
})
