import { createReadStream } from 'node:fs'
import type { S3 } from '@aws-sdk/client-s3'
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

/** The longest text that is read: a manifest. */
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
  readonly #limits: ObjectStoreLimits
  #client: Promise<S3> | null = null

  constructor(target: S3Target, limits: ObjectStoreLimits) {
    this.#target = target
    this.#limits = limits
  }

  /** For people: s3://bucket/key. */
  placeOf(key: string): string {
    return `s3://${this.#target.bucket}/${this.#target.prefix}${key}`
  }

  /** Null if the key does not exist. */
  async getText(key: string): Promise<string | null> {
    return this.#send(`GET ${this.placeOf(key)}`, async (s3) => {
      const { Body: body } = await s3.getObject(this.#at(key))
      return body === undefined ? '' : await boundedText(body as AsyncIterable<Uint8Array>) // a stream in Node.js
    }).catch((error: unknown) => {
      if (error instanceof ObjectStoreError && error.status === 404) return null
      throw error
    })
  }

  async putText(key: string, text: string, contentType: string): Promise<void> {
    const object = { ...this.#at(key), Body: text, ContentType: contentType }
    await this.#send(`PUT ${this.placeOf(key)}`, (s3) => s3.putObject(object))
  }

  /** Stores a file. A large one is sent in parts of 8 MiB, so that memory holds one of them. It appears when it is complete. */
  async putFile(key: string, path: string, contentType: string): Promise<void> {
    const { Upload } = await import('@aws-sdk/lib-storage')
    await this.#send(`PUT ${this.placeOf(key)}`, (client) => {
      const params = { ...this.#at(key), Body: createReadStream(path), ContentType: contentType }
      return new Upload({ client, params, partSize: PART_BYTES, queueSize: 1 }).done()
    })
  }

  /** No error if the key does not exist. */
  async delete(key: string): Promise<void> {
    await this.#send(`DELETE ${this.placeOf(key)}`, (s3) => s3.deleteObject(this.#at(key)))
  }

  /** Objects whose keys begin with this, by key. */
  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const begin = this.#beginning(prefix)
    let token: string | undefined
    for (let pages = 1; ; pages++) {
      const request = { ...begin, ContinuationToken: token }
      const page = await this.#send(`GET ${this.placeOf(prefix)}`, (s3) => s3.listObjectsV2(request))
      for (const {
        Key: key = '',
        Size: bytes = 0,
        LastModified: modifiedAt = new Date(0),
      } of page.Contents ?? [])
        yield { key: key.slice(this.#target.prefix.length), bytes, modifiedAt }
      if (page.IsTruncated !== true) return
      token = page.NextContinuationToken
      // A caller that took a part for the whole would remove files that are needed.
      if (!token || pages === MAX_PAGES)
        throw new ObjectStoreError(`${this.placeOf(prefix)}: the list of keys has no end`, null)
    }
  }

  /** Ends uploads in parts of keys that begin with this, which killed processes left. Their parts are removed. */
  async abortUploads(prefix: string): Promise<void> {
    const begin = this.#beginning(prefix)
    const place = this.placeOf(prefix)
    const { Uploads: uploads = [] } = await this.#send(`GET ${place}`, (s3) =>
      s3.listMultipartUploads(begin),
    ).catch((error: unknown) => {
      // Some stores have no list of uploads; they drop old ones by themselves.
      if (error instanceof ObjectStoreError && error.status === 501) return { Uploads: [] }
      throw error
    })
    for (const { Key, UploadId } of uploads) {
      const upload = { Bucket: begin.Bucket, Key, UploadId }
      await this.#send(`DELETE ${place}`, (s3) => s3.abortMultipartUpload(upload))
    }
  }

  /** An address at which anyone reads the object for ten minutes, under this name. */
  async addressOf(key: string, fileName: string): Promise<string> {
    const [{ GetObjectCommand }, { getSignedUrl }] = await Promise.all([
      loadSdk(),
      import('@aws-sdk/s3-request-presigner'),
    ])
    const disposition = `attachment; filename="${fileName}"`
    const command = new GetObjectCommand({ ...this.#at(key), ResponseContentDisposition: disposition })
    return this.#send(`GET ${this.placeOf(key)}`, (s3) =>
      getSignedUrl(s3, command, { expiresIn: ADDRESS_SECONDS }),
    )
  }

  #beginning(prefix: string): { readonly Bucket: string; readonly Prefix: string } {
    return { Bucket: this.#target.bucket, Prefix: this.#target.prefix + prefix }
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#target.bucket, Key: this.#target.prefix + key }
  }

  async #send<T>(shown: string, work: (s3: S3) => Promise<T>): Promise<T> {
    this.#client ??= this.#open()
    const client = await this.#client
    try {
      return await work(client)
    } catch (error) {
      throw this.#describe(shown, error)
    }
  }

  async #open(): Promise<S3> {
    const { S3 } = await loadSdk()
    return new S3({
      ...this.#target.client,
      // Not every store has a host name for each bucket, or knows the checksums that Amazon added later.
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: this.#limits.attempts,
      requestHandler: {
        connectionTimeout: this.#limits.timeoutMs,
        requestTimeout: this.#limits.timeoutMs,
        throwOnRequestTimeout: true,
      },
    })
  }

  #describe(shown: string, error: unknown): ObjectStoreError {
    if (!(error instanceof Error)) return new ObjectStoreError(`${shown}: failed`, null)
    const { $metadata, code, name } = error as Error & SdkError // members of the SDK's errors
    const status = $metadata?.httpStatusCode ?? null
    if (status !== null && !(error instanceof TooLong)) {
      // Without a body in its format the SDK has no code, or takes the status for one.
      const known = ['Unknown', 'UnknownError', 'Error'].includes(name) ? '' : name
      return new ObjectStoreError(`${shown}: ${status} ${known}`.trim(), status)
    }
    if (name === 'TimeoutError')
      return new ObjectStoreError(`${shown}: no answer within ${this.#limits.timeoutMs} ms`, null)
    if (code !== undefined)
      return new ObjectStoreError(`${shown}: the store could not be reached: ${code}`, null)
    return new ObjectStoreError(`${shown}: ${error.message}`, null)
  }
}

interface SdkError {
  readonly $metadata?: { readonly httpStatusCode?: number }
  /** Of a failed connection. */
  readonly code?: string
}

class TooLong extends Error {}

/** Loaded when a bucket is used: most installations have none. */
function loadSdk() {
  // The pinned version works with Node.js 20; its notice about later versions is for those who update it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  return import('@aws-sdk/client-s3')
}

async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_TEXT_BYTES) throw new TooLong(`the answer has more than ${MAX_TEXT_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
