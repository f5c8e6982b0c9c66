import { canonicalJson, sha256Hex } from '../../../core/canonical-json.js'
import { ApiError, notFound } from '../../../core/errors.js'
import { Problems } from '../../../core/problems.js'
import { MANIFEST_FILE, SEAL_FILE } from '../../../domains/releases/manifest.js'
import { fromStore, getRelease, type PublishedRelease } from '../../../domains/releases/service.js'
import { releaseStorePort } from '../../../domains/releases/storage/release-store.js'
import type { Exchange, Reply } from '../../../platform/request/exchange.js'
import { JSON_TYPE } from '../../../platform/request/json-type.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation, RunResult, Target } from '../../../platform/request/transport.js'
import { requireAccess, requireCaller } from '../../../policy/decide.js'
import { FILE_BYTES_PER_UNIT } from '../../../policy/limits.js'
import type { Price } from '../../../policy/price.js'
import { callerKey } from '../../../policy/principal.js'
import { isReadMethod } from '../../http/read-method.js'
import { RELEASE_FILE_PATH } from '../../paths.js'
import { DRY_RUN_TYPE } from '../openapi/operation/request-headers.js'
import { parseQuery } from '../parameters/parameters.js'
import { isAcceptable } from '../response/accept.js'
import { errorReply } from '../response/error-body.js'
import { fileChunks, OpenFiles } from './open-files.js'
import { namesFile, type RequestedPart, requestedPart } from './requested-part.js'

const PATH = /^\/v1\/releases\/([^/]+)\/([^/]+)\/files\/([^/]+)$/

const OPERATION = 'release_file'

const PARQUET_TYPE = 'application/vnd.apache.parquet'

/** A file as its headers describe it. */
interface ServedFile {
  readonly name: string
  readonly type: string
  readonly bytes: number
  /** 64 hex digits. */
  readonly sha256: string
  /** The text of a manifest or seal; null for a file in the store. */
  readonly text: string | null
}

interface Request {
  readonly exchange: Exchange
  readonly release: PublishedRelease
  readonly file: ServedFile
  readonly part: RequestedPart | null
}

export interface ReleaseFilesOptions {
  readonly upgradeUrl: string | null
  readonly openFiles?: OpenFiles
}

/** Finds the target of a request for a file of a release; null for other paths. */
export function releaseFiles({ upgradeUrl, openFiles = new OpenFiles() }: ReleaseFilesOptions) {
  return (exchange: Exchange): Target | null => {
    const [, dataset, releaseId, name] = PATH.exec(exchange.path) ?? []
    if (dataset === undefined || releaseId === undefined || name === undefined) return null
    return {
      route: RELEASE_FILE_PATH,
      isOpen: false,
      headers: [],
      prepare: async (context) => {
        if (!isReadMethod(exchange.method))
          throw new ApiError('method_not_allowed', { allow: ['GET', 'HEAD'] })
        requireAccess(context.principal, 'bulk:read')
        assertNoParameters(exchange.search)
        const release = await getRelease(dataset, releaseId, context)
        const file = fileOf(release, name)
        assertAcceptable(exchange, file)
        if (namesFile(exchange, etagOf(file))) return { status: 304, headers: lifetimeOf(file), body: null }
        const part = requestedPart(exchange, { etag: etagOf(file), size: file.bytes })
        if (part === 'unsatisfiable') return unsatisfiable(exchange, file, upgradeUrl)
        return prepared({ exchange, release, file, part }, context, openFiles)
      },
    }
  }
}

function assertNoParameters(search: string): void {
  const problems = new Problems()
  for (const [name] of parseQuery(search)) problems.add(name, 'is not a known parameter: a file has none')
  problems.refuse()
}

function fileOf({ manifest, manifestText, seal, releaseId }: PublishedRelease, name: string): ServedFile {
  if (name === MANIFEST_FILE) return textFile(name, manifestText)
  if (name === SEAL_FILE) return textFile(name, canonicalJson(seal))
  const file = manifest.files.find((one) => one.name === name)
  if (file !== undefined) return { ...file, type: PARQUET_TYPE, text: null }
  const release = { dataset: manifest.dataset, release_id: releaseId }
  throw notFound(
    (operation) =>
      `The release has no file ${name.slice(0, 100)}. The manifest names its files: ${operation('release', release)}.`,
  )
}

function textFile(name: string, text: string): ServedFile {
  return { name, text, type: JSON_TYPE, bytes: Buffer.byteLength(text), sha256: sha256Hex(text) }
}

function assertAcceptable(exchange: Exchange, { type }: ServedFile): void {
  if (isAcceptable(exchange.header('accept'), [type])) return
  throw new ApiError('not_acceptable', { message: `The file is ${type}; request it or */*.` })
}

function etagOf({ sha256 }: ServedFile): string {
  return `"${sha256}"`
}

/** A file never changes, but only callers with the scope may have it. */
function lifetimeOf(file: ServedFile): readonly string[] {
  return [
    'etag',
    etagOf(file),
    'cache-control',
    'private, max-age=31536000, immutable',
    'accept-ranges',
    'bytes',
  ]
}

function unsatisfiable(exchange: Exchange, { bytes }: ServedFile, upgradeUrl: string | null): Reply {
  const message = `Range: the file has ${bytes} bytes; request some of bytes 0 to ${bytes - 1}.`
  const reply = errorReply(new ApiError('range_not_satisfiable', { message }), exchange, upgradeUrl)
  return { ...reply, headers: [...reply.headers, 'content-range', `bytes */${bytes}`] }
}

function prepared(request: Request, { ports }: RequestContext, openFiles: OpenFiles): PreparedOperation {
  const { givesAddresses } = ports.get(releaseStorePort)
  let result: Promise<RunResult> | undefined
  return {
    operation: OPERATION,
    price: priceOf(request, givesAddresses === true),
    values: 0, // read from the disk as fast as the client reads
    reads: [],
    isCacheable: false,
    isWaiting: false,
    dryRun: (cost) => ({
      status: 200,
      headers: ['content-type', DRY_RUN_TYPE],
      body: JSON.stringify({ cost }),
    }),
    // A second run must not open the file again.
    run: (context) => (result ??= run(request, context, openFiles)),
  }
}

/** Who gets an address can read the whole file there. */
function priceOf({ exchange, file, part }: Request, givesAddresses: boolean): Price {
  const whole = part === null || (givesAddresses && file.text === null)
  const bytes = exchange.method === 'HEAD' ? 0 : whole ? file.bytes : part.last - part.first + 1
  const units = Math.max(1, Math.ceil(bytes / FILE_BYTES_PER_UNIT))
  return { fields: [{ field: OPERATION, units }], units, discovers: 0 }
}

async function run(request: Request, context: RequestContext, openFiles: OpenFiles): Promise<RunResult> {
  const { exchange, release, file, part } = request
  const headers = headersOf(file)
  const length = part === null ? file.bytes : part.last - part.first + 1
  const status = part === null ? 200 : 206
  const ranged =
    part === null ? headers : [...headers, 'content-range', `bytes ${part.first}-${part.last}/${file.bytes}`]
  if (exchange.method === 'HEAD') return result(status, [...ranged, 'content-length', String(length)], null)
  if (file.text !== null) {
    const bytes = Buffer.from(file.text)
    return result(status, ranged, part === null ? bytes : bytes.subarray(part.first, part.last + 1))
  }
  const close = openFiles.begin(callerKey(requireCaller(context.principal)))
  try {
    const store = context.ports.get(releaseStorePort)
    const source = await fromStore(store.openFile(release, file.name, part ?? undefined))
    if (source === null) throw notFound('The release was removed.')
    if (source.kind === 'address') {
      close()
      return result(302, ['location', source.url, 'cache-control', 'no-store'], null)
    }
    const body = fileChunks(source.body, { length, close, signal: exchange.signal })
    return result(status, [...ranged, 'content-length', String(length)], body)
  } catch (error) {
    close()
    throw error
  }
}

function headersOf(file: ServedFile): readonly string[] {
  return [
    'content-type',
    file.type,
    'content-disposition',
    `attachment; filename="${file.name}"`,
    'repr-digest',
    `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    ...lifetimeOf(file),
  ]
}

function result(status: number, headers: readonly string[], body: RunResult['body']): RunResult {
  return { status, headers, isComplete: false, json: null, body, refund: null }
}
