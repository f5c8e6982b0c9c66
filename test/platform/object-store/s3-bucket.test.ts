import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ObjectStoreError, S3Bucket } from '../../../src/platform/object-store/s3-bucket.js'
import type { S3Target } from '../../../src/platform/object-store/s3-target.js'
import { type LocalS3, startLocalS3 } from '../../support/object-store/local-s3.js'

let s3: LocalS3
beforeAll(async () => {
  s3 = await startLocalS3()
})
afterEach(() => {
  s3.intercept = null
})
afterAll(() => s3.close())

const bucketWith = (
  limits: { readonly timeoutMs?: number; readonly attempts?: number } = {},
  client: S3Target['client'] = {},
) =>
  new S3Bucket(
    { ...s3.target, client: { ...s3.target.client, ...client } },
    { timeoutMs: 5_000, attempts: 3, ...limits },
  )

/** Answers the first requests so, and the others by the store. */
function failFirst(count: number, failure: { readonly status: number } | 'silence') {
  let left = count
  s3.intercept = () => (left-- > 0 ? failure : null)
}

async function failureOf(work: Promise<unknown>): Promise<ObjectStoreError> {
  const error = await work.then(
    () => expect.fail('nothing failed'),
    (reason: unknown) => reason,
  )
  if (error instanceof ObjectStoreError) return error
  throw error
}

describe('a bucket', () => {
  it('keeps texts, and has no text for another key', async () => {
    const bucket = bucketWith()
    await bucket.putText('a/b.json', '{"ä":1}', 'application/json')
    expect(await bucket.getText('a/b.json')).toBe('{"ä":1}')
    expect(await bucket.getText('a/c.json')).toBeNull()
    await bucket.delete('a/b.json')
    await bucket.delete('a/b.json')
    expect(await bucket.getText('a/b.json')).toBeNull()
  })

  it('sends the token of a temporary key, also in the addresses that it signs', async () => {
    s3.addKey('temporary', 'secret of the temporary key', 'its token')
    const key = { accessKeyId: 'temporary', secretAccessKey: 'secret of the temporary key' }
    const bucket = bucketWith({}, { credentials: { ...key, sessionToken: 'its token' } })
    await bucket.putText('temporary.txt', 'kept', 'text/plain')
    expect(await bucket.getText('temporary.txt')).toBe('kept')
    const address = await bucket.addressOf('temporary.txt', 'temporary.txt')
    expect(await (await fetch(address)).text()).toBe('kept')
    const failure = await failureOf(
      bucketWith({}, { credentials: { ...key, sessionToken: 'another' } }).getText('temporary.txt'),
    )
    expect(failure.message).toBe('GET s3://releases/market-data/temporary.txt: 403 InvalidToken')
    s3.removeKey('temporary')
  })

  it('lists more keys than one page has', async () => {
    const pages: string[] = []
    s3.intercept = ({ url = '' }) => {
      const token = new URL(url, 'http://localhost').searchParams.get('continuation-token')
      pages.push(token ?? 'first')
      const more = token === null ? '<NextContinuationToken>a+b/c=</NextContinuationToken>' : ''
      const key = token === null ? 'market-data/pages/1' : 'market-data/pages/2'
      const object = `<Contents><Key>${key}</Key><LastModified>2026-11-01T00:00:00.000Z</LastModified><Size>7</Size><Owner><ID>x</ID></Owner></Contents>`
      const body = `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>releases</Name><IsTruncated>${token === null}</IsTruncated>${more}${object}</ListBucketResult>`
      return { status: 200, body }
    }
    const found = []
    for await (const object of bucketWith().list('pages/')) found.push(object)
    const modifiedAt = new Date('2026-11-01T00:00:00Z')
    expect(found).toEqual([
      { key: 'pages/1', bytes: 7, modifiedAt },
      { key: 'pages/2', bytes: 7, modifiedAt },
    ])
    expect(pages).toEqual(['first', 'a+b/c='])
  })

  it('does not take a part of a list for the whole', async () => {
    s3.intercept = () => ({
      status: 200,
      body: '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
    })
    const found = bucketWith().list('pages/').next()
    expect((await failureOf(found)).message).toBe(
      's3://releases/market-data/pages/: the list of keys has no end',
    )
  })

  it.each([429, 500, 503])('asks again after %i', async (status) => {
    failFirst(2, { status })
    expect(await bucketWith().getText('none')).toBeNull()
  })

  it('gives up after its attempts, and at once when it is refused', async () => {
    failFirst(3, { status: 503 })
    const busy = await failureOf(bucketWith().getText('none'))
    expect([busy.message, busy.status]).toEqual(['GET s3://releases/market-data/none: 503', 503])
    s3.requests.length = 0
    const refused = await failureOf(
      bucketWith({}, { credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'hunter2' } }).getText('none'),
    )
    expect(refused.message).toBe('GET s3://releases/market-data/none: 403 SignatureDoesNotMatch')
    expect(s3.requests).toHaveLength(1)
  })

  it('does not wait for a store that is silent, and asks again', async () => {
    failFirst(1, 'silence')
    expect(await bucketWith({ timeoutMs: 300 }).getText('none')).toBeNull()
    failFirst(2, 'silence')
    const late = await failureOf(bucketWith({ timeoutMs: 100, attempts: 2 }).getText('none'))
    expect(late.message).toBe('GET s3://releases/market-data/none: no answer within 100 ms')
  })

  it('says that the store is out of reach, without its credentials', async () => {
    const error = await failureOf(
      bucketWith(
        { attempts: 1 },
        {
          endpoint: 'http://127.0.0.1:1',
          credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'hunter2' },
        },
      ).getText('none'),
    )
    expect(error.message).toMatch(/^GET s3:\/\/releases\/market-data\/none: the store could not be reached/)
    expect(JSON.stringify([error, error.stack])).not.toContain('hunter2')
  })

  it('follows no redirect', async () => {
    s3.intercept = () => ({ status: 307 })
    expect((await failureOf(bucketWith().getText('none'))).message).toContain(': 307')
  })

  it('reads no answer of unbounded length', async () => {
    s3.intercept = () => ({ status: 200, body: 'x'.repeat(9 * 2 ** 20) })
    expect((await failureOf(bucketWith({ attempts: 1 }).getText('none'))).message).toContain(
      'has more than 8388608 bytes',
    )
  })
})
