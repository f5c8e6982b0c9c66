import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { redactUrl } from '../../platform/http-client/redact-url.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { type AnyFeed, type FeedRequest, IngestError } from '../feed.js'
import type { BodyDigest } from './ledger.js'

/** The largest body that is read whole (the SDMX history of the ECB with all columns) is under 100 MB. */
export const MAX_WHOLE_BYTES = 256 * 1024 * 1024

/** The largest bulk file of any provider here has some gigabytes. */
export const MAX_STREAM_BYTES = 8 * 1024 ** 3

/** The source of the body of a run. */
export type BodySource =
  | { readonly kind: 'live'; readonly isSaidWhole?: boolean }
  /** The body that ships with the feed. */
  | { readonly kind: 'bundled' }
  | {
      readonly kind: 'file'
      readonly path: string
      /** Files that are read after the first, as one body. */
      readonly more?: readonly string[]
      /** The operator states that the body is complete. */
      readonly isSaidWhole?: boolean
    }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly origin: string }

/** The default source of a feed: the body that ships with the gateway, or the provider. */
export function usualSourceOf(feed: AnyFeed<unknown>): BodySource {
  return { kind: feed.bundled === undefined ? 'live' : 'bundled' }
}

/** Fetches a body from its provider. Throws IngestError or UpstreamError. */
export type FetchBody = (request: FeedRequest) => Promise<Uint8Array>

/** Downloads a body from its provider to a file. Throws IngestError or UpstreamError. */
export type DownloadBody = (request: FeedRequest, path: string) => Promise<void>

/** The source of the body as text for the ledger: a redacted URL, or a file name without its directory. */
export function describeBodySource(feed: AnyFeed<unknown>, source: BodySource, now: Date): string {
  if (source.kind === 'bytes') return source.origin
  if (source.kind === 'file')
    return pathsOf(source)
      .map((path) => basename(path))
      .join(', ')
  if (source.kind === 'bundled') return 'bundled'
  const request = feed.request?.(now) ?? null
  return request === null ? feed.id : redactUrl(request.url)
}

/** Loads the raw body. Throws IngestError with a sentence for the operator if that fails. */
export async function loadFeedBody(
  feed: AnyFeed<unknown>,
  source: BodySource,
  from: { readonly now: Date; readonly fetchBody: FetchBody },
): Promise<Uint8Array> {
  if (source.kind === 'bytes') return source.bytes
  if (source.kind === 'file') return readBodyFile(source.path)
  if (source.kind === 'bundled') return bundledBody(feed, from.now)
  return delivered(feed, () => from.fetchBody(liveRequest(feed, from.now)))
}

function bundledBody(feed: AnyFeed<unknown>, now: Date): Uint8Array {
  if (feed.bundled === undefined) throw new IngestError(`${feed.id} ships without a body`)
  return feed.bundled(now)
}

function liveRequest(feed: AnyFeed<unknown>, now: Date): FeedRequest {
  const request = feed.request?.(now) ?? null
  if (request === null) throw new IngestError(`${feed.id} has no live source; give it a file`)
  return request
}

async function delivered<Body>(feed: AnyFeed<unknown>, ask: () => Promise<Body>): Promise<Body> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    throw new IngestError(`the live source of ${feed.id} failed: ${error.message}`, { cause: error })
  }
}

/** A body that is read once from beginning to end, and is never in memory as a whole. */
export interface BodyStream {
  /** `onRead` is called with the share read so far, 0 to 1. */
  chunks(onRead: (fraction: number) => void): AsyncIterable<Uint8Array>
  /** Reads the rest, and returns the facts of the whole body. */
  facts(): Promise<BodyDigest>
  /** The position of a line that has been read, in words; see `ParseContext`. Undefined for a single file. */
  readonly positionOf?: (line: number) => string
}

/**
 * Opens a body as a stream while `work` runs. A live body is downloaded to a temporary file first, so that it is complete
 * before its first row is written, and no transaction waits for the provider.
 */
export async function withBodyStream<Result>(
  feed: AnyFeed<unknown>,
  source: BodySource,
  from: { readonly now: Date; readonly downloadBody: DownloadBody | undefined },
  work: (body: BodyStream) => Promise<Result>,
): Promise<Result> {
  if (source.kind === 'bytes') return work(bodyStream([source.bytes], source.bytes.length))
  if (source.kind === 'file') {
    const paths = pathsOf(source)
    return work(
      await openFiles(
        paths,
        paths.map((path) => basename(path)),
      ),
    )
  }
  if (source.kind === 'bundled') {
    const bytes = bundledBody(feed, from.now)
    return work(bodyStream([bytes], bytes.length))
  }
  const { downloadBody } = from
  const requests = [liveRequest(feed, from.now), ...(feed.moreRequests?.(from.now) ?? [])]
  if (downloadBody === undefined)
    throw new IngestError(`${feed.id} cannot be downloaded in this process; give it a file`)
  const directory = await mkdtemp(join(tmpdir(), 'ingest-'))
  try {
    const paths = requests.map((_request, at) => join(directory, `body-${at}`))
    for (const [at, request] of requests.entries()) {
      await delivered(feed, () => downloadBody(request, paths[at] ?? ''))
    }
    const names = requests.map(({ url }) => basename(new URL(url).pathname))
    return await work(await openFiles(paths, names))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function pathsOf({ path, more = [] }: BodySource & { readonly kind: 'file' }): readonly string[] {
  return [path, ...more]
}

async function openFiles(paths: readonly string[], names: readonly string[]): Promise<BodyStream> {
  let size = 0
  for (const path of paths) size += await fileSize(path, MAX_STREAM_BYTES)
  /** For each begun file, the lines of the files before it. */
  const linesBefore: number[] = []
  const stream = bodyStream(oneAfterTheOther(paths, linesBefore), size)
  if (paths.length === 1) return stream
  const positionOf = (line: number) => {
    const file = linesBefore.findLastIndex((before) => before < line)
    return `${names[file]}, line ${line - (linesBefore[file] ?? 0)}`
  }
  return { ...stream, positionOf }
}

const NEWLINE = 0x0a

/**
 * The files as one text. A file that does not end with a line end gets one. Adds the lines before each file to `linesBefore`.
 */
async function* oneAfterTheOther(
  paths: readonly string[],
  linesBefore: number[],
): AsyncGenerator<Uint8Array> {
  let last = NEWLINE
  let lines = 0
  for (const path of paths) {
    if (last !== NEWLINE) {
      lines += 1
      yield Uint8Array.of(NEWLINE)
    }
    linesBefore.push(lines)
    for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
      last = chunk.at(-1) ?? last
      if (paths.length > 1) lines += countNewlines(chunk)
      yield chunk
    }
  }
}

function countNewlines(chunk: Uint8Array): number {
  let found = 0
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) found += 1
  return found
}

function bodyStream(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, size: number): BodyStream {
  const hash = createHash('sha256')
  let bytes = 0
  let known: Promise<BodyDigest> | null = null
  const read = (async function* () {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  })()
  return {
    chunks: async function* (onRead) {
      // Not `for await`: it would close the stream when the reader stops early.
      for (let next = await read.next(); !next.done; next = await read.next()) {
        yield next.value
        onRead(size === 0 ? 1 : Math.min(1, bytes / size))
      }
    },
    facts: () => {
      known ??= (async () => {
        for await (const _rest of read);
        return { sha256: hash.digest('hex'), bytes }
      })()
      return known
    },
  }
}

async function readBodyFile(path: string): Promise<Uint8Array> {
  await fileSize(path, MAX_WHOLE_BYTES)
  return readable(path, () => readFile(path))
}

async function fileSize(path: string, maxBytes: number): Promise<number> {
  const facts = await readable(path, () => stat(path))
  if (facts.isDirectory()) throw new IngestError(`${path} cannot be read: it is a directory`)
  if (facts.size > maxBytes) throw new IngestError(`${path} is larger than ${maxBytes / 1024 / 1024} MB`)
  return facts.size
}

async function readable<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw new IngestError(`${path} cannot be read: ${fileTrouble(error)}`, { cause: error })
  }
}

function fileTrouble(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'the file does not exist'
  if (code === 'EISDIR') return 'it is a directory'
  if (code === 'EACCES' || code === 'EPERM') return 'no permission'
  return code || 'unknown error'
}
