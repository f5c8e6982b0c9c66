import { setTimeout as wait } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { sha256Hex } from '../../core/canonical-json.js'
import { exponentialBackOffMs } from '../../core/exponential-back-off.js'
import { withoutTrailing } from '../../core/without-trailing.js'
import { readElements } from './read-elements.js'
import type { S3Target } from './s3-target.js'

/** A request that failed, without the address that was signed and without credentials. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'

  /** Null if the store did not answer. */
  readonly status: number | null

  constructor(message: string, status: number | null) {
    super(message)
    this.status = status
  }
}

/** How long a request may take, and how often it is sent. */
export interface ObjectStoreLimits {
  readonly timeoutMs: number
  readonly attempts: number
}

export interface StoredObject {
  /** Without the prefix of the target. */
  readonly key: string
  readonly bytes: number
  readonly modifiedAt: Date
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Without the prefix; empty for the bucket. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  readonly contentType?: string
}

const BACK_OFF = { firstMs: 200, maxMs: 5_000 }

/** Texts that are read: manifests, and lists of 1,000 keys. */
const MAX_TEXT_BYTES = 8 * 2 ** 20

/** S3 accepts parts of 5 MiB and more, and 10,000 of them. */
const PART_BYTES = 8 * 2 ** 20

/** Of 1,000 keys. */
const MAX_PAGES = 1_000

/** An address of a file is used at once. */
const ADDRESS_SECONDS = 600

/** Texts and files in a bucket. Each request has a deadline, and is repeated if the store is busy or out of reach. */
export class S3Bucket {
  readonly #target: S3Target
  readonly #client: AwsClient
  readonly #limits: ObjectStoreLimits

  constructor(target: S3Target, limits: ObjectStoreLimits) {
    const { accessKeyId, secretAccessKey, sessionToken, region } = target
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) }
    this.#target = target
    this.#client = new AwsClient({ ...credentials, region, service: 's3', retries: 0 })
    this.#limits = limits
  }

  /** For people: s3://bucket/key. */
  placeOf(key: string): string {
    return `s3://${this.#target.bucket}/${this.#target.prefix}${key}`
  }

  /** Null if the key does not exist. */
  async getText(key: string): Promise<string | null> {
    try {
      return await this.#send({ method: 'GET', key })
    } catch (error) {
      if (error instanceof ObjectStoreError && error.status === 404) return null
      throw error
    }
  }

  async putText(key: string, text: string, contentType: string): Promise<void> {
    await this.#send({ method: 'PUT', key, body: Buffer.from(text), contentType })
  }

  /**
   * Stores a file of which `read` gives parts. A large one is sent in parts of 8 MiB, so that memory holds one of them. It
   * appears when it is complete.
   */
  async putFile(
    key: string,
    file: { readonly bytes: number; read(from: number, bytes: number): Promise<Uint8Array> },
    contentType: string,
  ): Promise<void> {
    if (file.bytes <= PART_BYTES) {
      await this.#send({ method: 'PUT', key, body: await file.read(0, file.bytes), contentType })
      return
    }
    const begun = await this.#send({ method: 'POST', key, query: { uploads: '' }, contentType })
    const uploadId = readElements(begun, 'InitiateMultipartUploadResult')[0]?.UploadId ?? ''
    const parts: string[] = []
    for (let from = 0; from < file.bytes; from += PART_BYTES) {
      const body = await file.read(from, Math.min(PART_BYTES, file.bytes - from))
      const partNumber = parts.length + 1
      const query = { partNumber: String(partNumber), uploadId }
      const { headers } = await this.#answer({ method: 'PUT', key, query, body })
      const tag = (headers.get('etag') ?? '').replaceAll('"', '')
      parts.push(`<Part><PartNumber>${partNumber}</PartNumber><ETag>"${tag}"</ETag></Part>`)
    }
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    const ended = await this.#send({
      ...{ method: 'POST', key, query: { uploadId }, body },
      contentType: 'application/xml',
    })
    // S3 answers 200 before it knows whether the parts fit.
    if (ended.includes('<Error>')) throw new ObjectStoreError(`${this.placeOf(key)}: ${codeIn(ended)}`, 200)
  }

  /** No error if the key does not exist. */
  async delete(key: string): Promise<void> {
    await this.#send({ method: 'DELETE', key })
  }

  /** Objects whose keys begin with this, by key. */
  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const start = `${this.#target.prefix}${prefix}`
    let token: string | undefined
    for (let pages = 1; ; pages++) {
      const query = { 'list-type': '2', prefix: start, ...(token ? { 'continuation-token': token } : {}) }
      const xml = await this.#send({ method: 'GET', key: '', query })
      for (const { Key = '', Size = '', LastModified = '' } of readElements(xml, 'Contents')) {
        const key = Key.slice(this.#target.prefix.length)
        yield { key, bytes: Number(Size), modifiedAt: new Date(LastModified) }
      }
      const [page] = readElements(xml, 'ListBucketResult')
      if (page?.IsTruncated === 'false') return
      token = page?.NextContinuationToken
      // Who takes a part for the whole would remove files that are needed.
      if (!token || pages === MAX_PAGES)
        throw new ObjectStoreError(`${this.placeOf(prefix)}: the list of keys has no end`, null)
    }
  }

  /** Ends uploads in parts of keys that begin with this, which killed processes left. Their parts are removed. */
  async abortUploads(prefix: string): Promise<void> {
    const query = { uploads: '', prefix: `${this.#target.prefix}${prefix}` }
    const xml = await this.#send({ method: 'GET', key: '', query }).catch((error: unknown) => {
      // Some stores have no list of uploads; they drop old ones by themselves.
      if (error instanceof ObjectStoreError && error.status === 501) return ''
      throw error
    })
    const uploads = xml === '' ? [] : readElements(xml, 'Upload')
    for (const { Key = '', UploadId: uploadId = '' } of uploads)
      await this.#send({
        ...{ method: 'DELETE', key: Key.slice(this.#target.prefix.length) },
        query: { uploadId },
      })
  }

  /** An address at which anyone reads the object for ten minutes, under this name. */
  async addressOf(key: string, fileName: string): Promise<string> {
    const url = this.#urlOf(key, {
      'X-Amz-Expires': String(ADDRESS_SECONDS),
      'response-content-disposition': `attachment; filename="${fileName}"`,
    })
    return (await this.#client.sign(url, { aws: { signQuery: true } })).url
  }

  #urlOf(key: string, query: Readonly<Record<string, string>>): string {
    const { endpoint, bucket, prefix } = this.#target
    const path = key === '' ? bucket : `${bucket}/${prefix}${key}`
    const search = new URLSearchParams(query).toString()
    return `${withoutTrailing(endpoint, '/')}/${path}${search === '' ? '' : `?${search}`}`
  }

  async #send(request: S3Request): Promise<string> {
    return (await this.#answer(request)).text
  }

  async #answer(request: S3Request): Promise<{ readonly headers: Headers; readonly text: string }> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(request)
      } catch (error) {
        if (!(error instanceof ObjectStoreError) || !isTemporary(error) || attempt >= this.#limits.attempts)
          throw error
        await wait(exponentialBackOffMs(attempt, BACK_OFF) * (0.5 + Math.random() / 2))
      }
    }
  }

  async #attempt({ method, key, query = {}, body, contentType }: S3Request) {
    const headers = {
      'x-amz-content-sha256': sha256Hex(body ?? ''),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    }
    const content = body === undefined ? {} : { body: Buffer.from(body) }
    const signed = await this.#client.sign(this.#urlOf(key, query), { method, headers, ...content })
    const signal = AbortSignal.timeout(this.#limits.timeoutMs)
    const shown = `${method} ${this.placeOf(key)}`
    try {
      const response = await fetch(signed, { signal, redirect: 'manual' })
      const text = await boundedText(response, shown)
      if (!response.ok)
        throw new ObjectStoreError(`${shown}: ${response.status} ${codeIn(text)}`.trim(), response.status)
      return { headers: response.headers, text }
    } catch (error) {
      if (error instanceof ObjectStoreError) throw error
      const isLate = signal.aborted
      const reason = isLate ? `no answer within ${this.#limits.timeoutMs} ms` : reasonOf(error)
      throw new ObjectStoreError(`${shown}: ${reason}`, null)
    }
  }
}

function isTemporary({ status }: ObjectStoreError): boolean {
  return status === null || status === 429 || (status >= 500 && status !== 501)
}

/** The code of an error of S3, such as NoSuchBucket. */
function codeIn(text: string): string {
  return /<Code>(\w{1,80})<\/Code>/.exec(text)?.[1] ?? ''
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return code === '' ? 'the store could not be reached' : `the store could not be reached: ${code}`
}

async function boundedText(response: Response, shown: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_TEXT_BYTES)
      throw new ObjectStoreError(
        `${shown}: the answer has more than ${MAX_TEXT_BYTES} bytes`,
        response.status,
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
