import { createHash } from 'node:crypto'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { canonicalJson } from '../../../src/core/canonical-json.js'
import { createBucketReleases } from '../../../src/domains/releases/storage/bucket-releases.js'
import { createDirectoryReleases } from '../../../src/domains/releases/storage/directory-releases.js'
import { S3Bucket } from '../../../src/platform/object-store/s3-bucket.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { type LocalS3, startLocalS3 } from '../../support/object-store/local-s3.js'
import { exampleRelease, publishExample } from './example-release.js'

const OLDER = '2026-11-19T00:00:00.000Z'
const NEWER = '2026-11-20T00:00:00.000Z'

const TEXT = 'The bytes of a file.'

interface Listed {
  readonly dataset: string
  readonly release_id: string
  readonly known_at: string
  readonly rows: number
  readonly content_hash: string
}

interface Refusal {
  readonly error: string
  readonly message: string
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('the routes of releases', () => {
  let directory: string
  let app: TestApp
  let key: string
  let older: string
  let newer: string
  let path: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'release-routes-'))
    const store = createDirectoryReleases(directory)
    older = await publishExample(store, exampleRelease(OLDER), { 2025: 'Another file.' })
    newer = await publishExample(store, exampleRelease(NEWER), { 2025: 'cut', 2026: TEXT })
    await publishExample(store, { ...exampleRelease(OLDER), dataset: 'candles' })
    app = await startTestApp(quickestDatabase(), { env: { RELEASES_LOCATION: directory } })
    key = await app.newKey({ tier: 'growth' })
    path = `/v1/releases/forex/${newer}`
  })
  afterAll(async () => {
    await app?.close()
    await rm(directory, { recursive: true, force: true })
  })

  const file = (name: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    app.rest<Refusal>(`${path}/files/${name}`, { key, headers, method })

  describe('the list', () => {
    it('has the releases of a dataset or of all, newest first, in both interfaces', async () => {
      const forex = await app.rest<{ data: readonly Listed[]; total: number }>('/v1/releases?dataset=forex', {
        key,
      })
      expect(forex.body.data.map(({ release_id, known_at, rows }) => [release_id, known_at, rows])).toEqual([
        [newer, NEWER, 2],
        [older, OLDER, 1],
      ])
      const all = await app.rest<{ data: readonly Listed[]; total: number; has_next: boolean }>(
        '/v1/releases?limit=2',
        { key },
      )
      expect(all.body).toMatchObject({ total: 3, has_next: true })
      expect(all.body.data[0]).toMatchObject({ dataset: 'forex', release_id: newer })
      expect(all.headers.get('x-total-count')).toBe('3')
      const { body } = await app.graphql(
        '{ releases(dataset: "forex") { data { dataset release_id known_at rows bytes content_hash signature } total } }',
        { key },
      )
      expect(body.data).toMatchObject({
        releases: { total: 2, data: [{ release_id: newer }, { release_id: older }] },
      })
    })

    it('is empty for a dataset without releases, and a 422 for one that is not released', async () => {
      const none = await app.rest('/v1/releases?dataset=bis', { key })
      expect(none.body).toEqual({ data: [], total: 0, has_next: false })
      const wrong = await app.rest<Refusal>('/v1/releases?dataset=forx', { key })
      expect([wrong.status, wrong.body.message]).toEqual([
        422,
        expect.stringContaining('did you mean forex?'),
      ])
    })
  })

  describe('a release', () => {
    it('has the canonical text that was hashed, and the manifest that it is', async () => {
      const { status, body } = await app.rest<Listed & { manifest: object; canonical_manifest: string }>(
        path,
        { key },
      )
      expect(status).toBe(200)
      expect(`sha256:${sha256(body.canonical_manifest)}`).toBe(body.content_hash)
      expect(canonicalJson(body.manifest)).toBe(body.canonical_manifest)
      const answer = await app.graphql(
        `{ release(dataset: "forex", release_id: "${newer}") { content_hash canonical_manifest } }`,
        { key },
      )
      const { content_hash, canonical_manifest } = body
      expect(answer.body.data).toEqual({ release: { content_hash, canonical_manifest } })
    })

    it.each([
      ['forex/20261120T120000.000Z-0123456789ab'],
      ['forex/..%2f..%2fetc'],
      ['..%2fforex/x'],
      ['nothing/x'],
    ])('that is unknown, %s, is a 404 that names the list', async (release) => {
      const { status, body } = await app.rest<Refusal>(`/v1/releases/${release}`, { key })
      expect([status, body.message]).toEqual([404, expect.stringContaining('Use GET /v1/releases')])
    })
  })

  describe('a file', () => {
    it('is sent with its hash as its tag, and never changes', async () => {
      const { status, text, headers } = await file('2026.parquet')
      expect([status, text]).toEqual([200, TEXT])
      expect(headers.get('etag')).toBe(`"${sha256(TEXT)}"`)
      expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
      expect(headers.get('content-length')).toBe(String(TEXT.length))
      expect(headers.get('content-type')).toBe('application/vnd.apache.parquet')
      expect(headers.get('accept-ranges')).toBe('bytes')
    })

    it('may be the manifest or the seal, byte by byte', async () => {
      const [manifest, seal] = [await file('manifest.json'), await file('seal.json')]
      const { content_hash, release_id } = JSON.parse(seal.text)
      expect([`sha256:${sha256(manifest.text)}`, newer]).toEqual([content_hash, release_id])
    })

    it.each([
      ['bytes=4-8', 'bytes', 'bytes 4-8/20'],
      ['bytes=-5', 'file.', 'bytes 15-19/20'],
      ['bytes=15-', 'file.', 'bytes 15-19/20'],
      ['bytes=15-99', 'file.', 'bytes 15-19/20'],
    ])('is sent in part for Range: %s', async (range, part, contentRange) => {
      const { status, text, headers } = await file('2026.parquet', { range })
      expect([status, text, headers.get('content-range')]).toEqual([206, part, contentRange])
      expect(headers.get('content-length')).toBe(String(part.length))
    })

    it.each(['bytes=20-', 'bytes=99-100'])('is a 416 for Range: %s, with the size', async (range) => {
      const { status, body, headers } = await file('2026.parquet', { range })
      expect([status, body.error, headers.get('content-range')]).toEqual([
        416,
        'range_not_satisfiable',
        'bytes */20',
      ])
    })

    it.each(['rows=1-2', 'bytes=x', 'bytes=0-1,5-6'])('is sent whole for Range: %s', async (range) => {
      const { status, text } = await file('2026.parquet', { range })
      expect([status, text]).toEqual([200, TEXT])
    })

    it('is sent in part only if If-Range names it', async () => {
      const ours = await file('2026.parquet', { range: 'bytes=0-2', 'if-range': `"${sha256(TEXT)}"` })
      const another = await file('2026.parquet', { range: 'bytes=0-2', 'if-range': '"another"' })
      expect([ours.status, another.status]).toEqual([206, 200])
    })

    it('is a 304 for a client that has it, free of charge', async () => {
      const { status, headers } = await file('2026.parquet', { 'if-none-match': `"x", "${sha256(TEXT)}"` })
      expect([status, headers.get('etag')]).toEqual([304, `"${sha256(TEXT)}"`])
    })

    it('has the headers of GET for HEAD', async () => {
      const { status, text, headers } = await file('2026.parquet', {}, 'HEAD')
      expect([status, text, headers.get('content-length')]).toEqual([200, '', '20'])
      const part = await file('2026.parquet', { range: 'bytes=0-2' }, 'HEAD')
      expect([part.status, part.headers.get('content-length')]).toEqual([206, '3'])
    })

    it('needs bulk:read, from growth up, and a key', async () => {
      const starter = await app.newKey({ tier: 'starter' })
      const refused = await app.rest(`${path}/files/2026.parquet`, { key: starter })
      expect([refused.status, refused.body]).toEqual([
        403,
        expect.objectContaining({ required_scope: 'bulk:read' }),
      ])
      expect((await app.rest(`${path}/files/2026.parquet`, { key: null })).status).toBe(401)
      const narrowed = await app.newKey({ tier: 'growth', scopes: ['bulk:read'] })
      expect((await app.rest(`${path}/files/2026.parquet`, { key: narrowed })).status).toBe(200)
    })

    it('costs a unit for the first 10 MB', async () => {
      const priced = await app.rest<{ cost: { price: number } }>(`${path}/files/2026.parquet`, {
        key,
        headers: { 'x-dry-run': 'cost' },
      })
      expect(priced.body.cost.price).toBe(1)
    })

    it.each(['nothing.parquet', '..%2f..%2fseal.json', '%2e%2e', 'manifest.json%00', '2026.parquet.'])(
      'that the manifest does not name, %s, is a 404',
      async (name) => {
        expect((await file(name)).status).toBe(404)
      },
    )

    it('takes no parameter, no other method and no other media type', async () => {
      expect((await file('2026.parquet?x=1')).status).toBe(422)
      const posted = await file('2026.parquet', {}, 'POST')
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      expect((await file('2026.parquet', { accept: 'text/csv' })).status).toBe(406)
    })

    it('breaks off where its store has fewer bytes than its manifest says', async () => {
      await truncate(join(directory, 'forex', newer, '2025.parquet'), 1)
      await expect(file('2025.parquet')).rejects.toThrow()
      expect((await file('2026.parquet')).status).toBe(200)
    })

    it('is closed when its client disconnects, so that its place is free', async () => {
      const { hostname, port } = new URL(app.url)
      for (let at = 0; at < 20; at++) {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => {})
        socket.write(
          `GET ${path}/files/2026.parquet HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\n\r\n`,
        )
        await new Promise((resolve) => setTimeout(resolve, 10))
        socket.destroy()
      }
      await expect.poll(async () => (await file('2026.parquet')).status).toBe(200)
    })
  })
})

describe('the files of a release in a bucket', () => {
  let s3: LocalS3
  let directory: string
  let app: TestApp
  let key: string
  let path: string
  beforeAll(async () => {
    s3 = await startLocalS3()
    directory = await mkdtemp(join(tmpdir(), 'release-routes-'))
    const store = createBucketReleases(new S3Bucket(s3.target, { timeoutMs: 10_000, attempts: 2 }), directory)
    const release = await publishExample(store, exampleRelease(OLDER), { 2026: TEXT })
    // The SDK reads the variables of the process.
    for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value)
    app = await startTestApp(quickestDatabase(), { env: { ...s3.env, DATA_DIR: directory } })
    key = await app.newKey({ tier: 'growth' })
    path = `/v1/releases/forex/${release}/files`
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await app?.close()
    await s3?.close()
    await rm(directory, { recursive: true, force: true })
  })

  it('are at an address that needs no key, also in part', async () => {
    const { status, headers, text } = await app.rest(`${path}/2026.parquet`, { key })
    expect([status, text, headers.get('cache-control')]).toEqual([302, '', 'no-store'])
    const address = headers.get('location') ?? ''
    expect(await (await fetch(address)).text()).toBe(TEXT)
    const part = await fetch(address, { headers: { range: 'bytes=4-8' } })
    expect([part.status, await part.text()]).toEqual([206, 'bytes'])
  })

  it('are described by HEAD and a 304 without the bucket, and the manifest is sent itself', async () => {
    const head = await app.rest(`${path}/2026.parquet`, { key, method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '20'])
    const tags = { 'if-none-match': head.headers.get('etag') ?? '' }
    expect((await app.rest(`${path}/2026.parquet`, { key, headers: tags })).status).toBe(304)
    expect((await app.rest(`${path}/manifest.json`, { key })).status).toBe(200)
  })

  it('are a 503 while the bucket cannot be reached', async () => {
    s3.intercept = () => ({ status: 500 })
    const unknown = await app.rest<Refusal>('/v1/releases/candles/20261120T120000.000Z-0123456789ab', { key })
    expect([unknown.status, unknown.body.message]).toEqual([
      503,
      'The store of releases cannot be reached. Try again later.',
    ])
    const pinned = 'prices/20261120T120000.000Z-0123456789ab'
    expect((await app.rest(`/v1/forex?quote=USD&release=${pinned}`, { key })).status).toBe(503)
  })
})
