import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBucketReleases } from '../../../../src/domains/releases/storage/bucket-releases.js'
import type { ReleaseStore, StoredRelease } from '../../../../src/domains/releases/storage/release-store.js'
import { S3Bucket } from '../../../../src/platform/object-store/s3-bucket.js'
import { type LocalS3, startLocalS3 } from '../../../support/object-store/local-s3.js'
import { exampleRelease, publishExample } from '../example-release.js'

const LIMITS = { timeoutMs: 10_000, attempts: 3 }

let s3: LocalS3
let directory: string
let bucket: S3Bucket
let store: ReleaseStore
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mdg-bucket-releases-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))
beforeEach(async () => {
  s3 = await startLocalS3()
  bucket = new S3Bucket(s3.target, LIMITS)
  store = createBucketReleases(bucket, directory)
})
afterEach(() => s3.close())

const publish = (
  knownAt: string,
  texts: Readonly<Record<string, string>>,
  before: StoredRelease | null = null,
) => publishExample(store, exampleRelease(knownAt, before), texts, before)
const read = async (id: string): Promise<StoredRelease> =>
  (await store.read('forex', id)) ?? expect.fail(`no release ${id}`)
const keys = async (prefix = 'forex/') => {
  const found: string[] = []
  for await (const { key } of bucket.list(prefix)) found.push(key)
  return found
}
const uploaded = () => s3.requests.filter((line) => line.startsWith('PUT') && line.includes('/files/'))

describe('releases in a bucket', () => {
  it('are listed newest first, read as they were written, and downloaded from an address with a signature', async () => {
    expect(await store.list('forex')).toEqual([])
    const older = await publish('2026-11-01T00:00:00.000Z', { '2025': 'old', '2026': 'first' })
    const newer = await publish(
      '2026-11-08T00:00:00.000Z',
      { '2025': 'old', '2026': 'second' },
      await read(older),
    )
    const listed = await store.list('forex')
    expect(listed.map(({ releaseId, isPinned }) => [releaseId, isPinned])).toEqual([
      [newer, false],
      [older, false],
    ])
    expect(Math.abs(Date.now() - (listed[0]?.createdAt.getTime() ?? 0))).toBeLessThan(60_000)
    const release = await read(newer)
    expect(JSON.parse(release.manifestText)).toEqual(release.manifest)
    const source = await store.openFile(release, '2026.parquet')
    if (source?.kind !== 'address') return expect.fail('no address')
    const answer = await fetch(source.url, { headers: { range: 'bytes=1-3' } })
    expect([answer.status, await answer.text()]).toEqual([206, 'eco'])
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="2026.parquet"')
    const forged = source.url.replace(/Signature=(.)/, (_, first) => `Signature=${first === '0' ? '1' : '0'}`)
    expect((await fetch(forged)).status).toBe(403)
    expect(await store.openFile(release, '../../2026.parquet')).toBeNull()
    expect(await store.read('forex', '../../x')).toBeNull()
    expect(await store.read('forex', '20200101T000000.000Z-0123456789ab')).toBeNull()
    expect(store.placeOf('forex', newer)).toBe(`s3://releases/market-data/forex/releases/${newer}`)
    expect(await readdir(join(directory, 'forex'))).toEqual([])
  })

  it('store a file once, whatever number of releases has it', async () => {
    const first = await publish('2026-11-01T00:00:00.000Z', { '2024': 'a', '2025': 'b' })
    expect(uploaded()).toHaveLength(2)
    await publish('2026-11-08T00:00:00.000Z', { '2024': 'a', '2025': 'b', '2026': 'c' }, await read(first))
    expect(uploaded()).toHaveLength(3)
    expect(await keys('forex/files/')).toHaveLength(3)
  })

  it('are not visible before the manifest, and what a killed run left is removed by the next', async () => {
    const first = await publish('2026-11-01T00:00:00.000Z', { '2025': 'kept' })
    const before = await keys()
    const draft = await store.begin('forex', await read(first))
    await draft.addFile('2026.parquet', chunks('left behind'))
    expect(await keys()).toHaveLength(before.length + 1)
    await bucket.putText(
      'forex/releases/20261105T000000.000Z-0123456789ab/seal.json',
      '{}',
      'application/json',
    )
    expect((await store.list('forex')).map(({ releaseId }) => releaseId)).toEqual([first])
    await store.begin('forex', await read(first))
    expect(await keys()).toEqual(before)
  })

  it('send a large file in parts, and end the uploads of a killed run', async () => {
    const draft = await store.begin('forex', null)
    // A killed run does not end its upload.
    s3.intercept = ({ url = '', method }) =>
      method === 'DELETE' || (method === 'PUT' && url.includes('partNumber=2')) ? { status: 403 } : null
    await expect(draft.addFile('2026.parquet', repeated(20))).rejects.toThrow(': 403')
    expect(s3.openUploads()).toHaveLength(1)
    s3.intercept = null
    const next = await store.begin('forex', null)
    expect(s3.openUploads()).toEqual([])
    const file = await next.addFile('2026.parquet', repeated(20))
    expect(file.bytes).toBe(20 * 2 ** 20)
    const parts = s3.requests.filter(
      (line) => line === `PUT /releases/market-data/forex/files/${file.sha256}.parquet`,
    )
    expect(parts).toHaveLength(1 + 1 + 3)
    expect(s3.openUploads()).toEqual([])
    for await (const { key, bytes } of bucket.list('forex/files/'))
      expect([key, bytes]).toEqual([`forex/files/${file.sha256}.parquet`, file.bytes])
  })

  it('are removed with the files that no other release has', async () => {
    const first = await publish('2026-11-01T00:00:00.000Z', { '2025': 'shared', '2026': 'first' })
    const second = await publish('2026-11-08T00:00:00.000Z', { '2025': 'shared', '2026': 'second' })
    await store.setPinned('forex', first, true)
    await store.remove('forex', [first])
    expect((await store.list('forex')).map(({ releaseId }) => releaseId)).toEqual([second])
    const { manifest } = await read(second)
    const expected = manifest.files.map(({ sha256 }) => `forex/files/${sha256}.parquet`)
    expect((await keys()).filter((key) => !key.includes('/releases/')).toSorted()).toEqual(
      expected.toSorted(),
    )
  })

  it('are pinned and unpinned for every node', async () => {
    const id = await publish('2026-11-01T00:00:00.000Z', { '2026': 'a' })
    expect(await store.setPinned('forex', id, true)).toBe(true)
    expect((await store.list('forex'))[0]?.isPinned).toBe(true)
    expect(await store.setPinned('forex', id, false)).toBe(true)
    expect((await store.list('forex'))[0]?.isPinned).toBe(false)
    expect(await store.setPinned('forex', '20200101T000000.000Z-0123456789ab', true)).toBe(false)
  })

  it('are not published when another installation removed a file', async () => {
    const id = await publish('2026-11-01T00:00:00.000Z', { '2026': 'a' })
    const draft = await store.begin('forex', await read(id))
    const { manifest, seal } = await read(id)
    for (const key of await keys('forex/files/')) await bucket.delete(key)
    await expect(draft.publish(manifest, seal)).rejects.toThrow('was removed meanwhile')
  })

  it('are not swept when a manifest cannot be read', async () => {
    const id = await publish('2026-11-01T00:00:00.000Z', { '2026': 'a' })
    await bucket.putText(`forex/releases/${id}/manifest.json`, '{}', 'application/json')
    await expect(store.begin('forex', null)).rejects.toThrow()
    expect(await keys('forex/files/')).toHaveLength(1)
  })
})

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** This number of MiB. */
async function* repeated(count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(2 ** 20, index + 1)
}
