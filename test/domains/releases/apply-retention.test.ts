import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { applyReleaseRetention, releasesToRemove } from '../../../src/domains/releases/apply-retention.js'
import { createDirectoryReleases } from '../../../src/domains/releases/storage/directory-releases.js'
import { exampleRelease, publishExample } from './example-release.js'

const NOW = new Date('2026-11-26T00:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)
/** Five weekly releases, newest first; the one of 21 days is pinned. */
const LISTED = [0, 7, 14, 21, 28].map((days) => {
  return { releaseId: `${days} days`, createdAt: daysAgo(days), isPinned: days === 21 }
})

it.each([
  [null, []],
  [1, ['7 days', '14 days', '28 days']],
  [2, ['14 days', '28 days']],
  [4, ['28 days']],
  [5, []],
])('with %j removes %j: all but the newest and pinned ones', (keep, removed) => {
  expect(releasesToRemove(LISTED, keep)).toEqual(removed)
})

it('leaves the files that a kept release shares with a removed one', async () => {
  const root = await mkdtemp(join(tmpdir(), 'mdg-retention-'))
  const store = createDirectoryReleases(root)
  const first = await publishExample(store, exampleRelease('2026-11-01T00:00:00.000Z'), { '2025': 'shared' })
  const previous = (await store.read('forex', first)) ?? expect.fail('not stored')
  const files = { '2025': 'shared', '2026': 'new' }
  const second = await publishExample(
    store,
    exampleRelease('2026-11-08T00:00:00.000Z', previous),
    files,
    previous,
  )
  const old = new Date('2026-11-01T00:00:00Z')
  await utimes(join(root, 'forex', first, 'manifest.json'), old, old)
  await store.setPinned('forex', first, true)
  expect(await applyReleaseRetention(store, 'forex', 1)).toEqual([])
  await store.setPinned('forex', first, false)
  expect(await applyReleaseRetention(store, 'forex', 1)).toEqual([first])
  expect((await store.list('forex')).map(({ releaseId }) => releaseId)).toEqual([second])
  expect(readFileSync(join(root, 'forex', second, '2025.parquet'), 'utf8')).toBe('shared')
  expect((await readdir(join(root, 'forex'))).toSorted()).toEqual(['.pins', second])
  await rm(root, { recursive: true })
})
