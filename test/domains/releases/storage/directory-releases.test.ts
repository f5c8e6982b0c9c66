import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cachedReleases } from '../../../../src/domains/releases/storage/cached-releases.js'
import { createDirectoryReleases } from '../../../../src/domains/releases/storage/directory-releases.js'
import type { ReleaseStore, StoredRelease } from '../../../../src/domains/releases/storage/release-store.js'
import { exampleRelease, publishExample } from '../example-release.js'

let root: string
let store: ReleaseStore
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mdg-directory-releases-'))
  store = createDirectoryReleases(root)
})
afterAll(() => rm(root, { recursive: true, force: true }))

const read = async (releaseId: string): Promise<StoredRelease> =>
  (await store.read('forex', releaseId)) ?? expect.fail(`no release ${releaseId}`)

describe('releases in a directory', () => {
  it('have an empty list before the first one', async () => {
    expect(await store.list('forex')).toEqual([])
  })

  it('are listed newest first with the time of their publication, and read as they were written', async () => {
    const older = await publishExample(store, exampleRelease('2026-11-01T00:00:00.000Z'))
    const newer = await publishExample(store, exampleRelease('2026-11-08T00:00:00.000Z'))
    const instant = new Date('2026-11-09T10:00:00Z')
    await utimes(join(root, 'forex', newer, 'manifest.json'), instant, instant)
    await mkdir(join(root, 'forex', '.writing-1-1'))
    await writeFile(join(root, 'forex', 'notes.txt'), '')
    const listed = await store.list('forex')
    expect(listed.map(({ releaseId }) => releaseId)).toEqual([newer, older])
    expect(listed[0]).toEqual({ releaseId: newer, createdAt: instant, isPinned: false })
    const { manifest, manifestText, seal } = await read(newer)
    expect(JSON.parse(manifestText)).toEqual(manifest)
    expect([manifest.known_at, seal.release_id]).toEqual(['2026-11-08T00:00:00.000Z', newer])
  })

  it('give files whole and in parts', async () => {
    const release = await read(
      await publishExample(store, exampleRelease('2026-11-15T00:00:00.000Z'), { '2026': '0123456789' }),
    )
    const text = async (range?: { readonly first: number; readonly last: number }) => {
      const source = await store.openFile(release, '2026.parquet', range)
      if (source?.kind !== 'bytes') return source
      return new Response(source.body).text()
    }
    expect(await text()).toBe('0123456789')
    expect(await text({ first: 2, last: 4 })).toBe('234')
    expect(await text({ first: 9, last: 9 })).toBe('9')
    expect(await store.openFile(release, '2025.parquet')).toBeNull()
    await rm(join(root, 'forex', release.releaseId), { recursive: true })
    expect(await store.openFile(release, '2026.parquet')).toBeNull()
    expect(await store.read('forex', release.releaseId)).toBeNull()
  })

  it.each(['..', '../../forex', '.writing-1-1', '', '20261101T000000.000Z-0123456789ab/../x', '\0'])(
    'do not have the id %j, nor the file of this name',
    async (name) => {
      const [listed] = await store.list('forex')
      expect(await store.read('forex', name)).toBeNull()
      expect(await store.openFile(await read(listed?.releaseId ?? ''), name)).toBeNull()
    },
  )
})

it('reads a list once in ten seconds, and a manifest once', async () => {
  const calls: string[] = []
  const cached = cachedReleases({
    ...store,
    list: (dataset) => {
      calls.push(`list ${dataset}`)
      return store.list(dataset)
    },
    read: (dataset, releaseId) => {
      calls.push(`read ${releaseId}`)
      return store.read(dataset, releaseId)
    },
  })
  const [newest] = await cached.list('forex')
  const id = newest?.releaseId ?? ''
  const [first, second] = await Promise.all([cached.read('forex', id), cached.read('forex', id)])
  expect(first).toBe(second)
  expect(first?.manifest.known_at).toBe('2026-11-08T00:00:00.000Z')
  expect(await cached.read('forex', '20200101T000000.000Z-0123456789ab')).toBeNull()
  expect(calls).toEqual(['list forex', `read ${id}`])
})
