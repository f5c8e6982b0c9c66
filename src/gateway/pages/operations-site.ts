import { sha256Hex } from '../../core/canonical-json.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { JSON_UTF8 } from '../../platform/request/json-type.js'
import type { OpenSite } from '../http/pipeline.js'
import { isReadMethod } from '../http/read-method.js'
import { OPERATIONS_PATH } from '../paths.js'
import { type StaticFile, serveFile, textFile } from './static-files.js'

/** The GraphQL operation that returns the same data as a REST route. */
interface Operation {
  readonly name: string
  readonly path: string
  readonly text: string
  readonly method: string
  readonly route: string
  readonly tag: string
  readonly summary: string
  /** Words that people use for the result. */
  readonly keywords: readonly string[]
  /** Example variables. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** Operations change only with the version of the gateway. */
const HEADERS = { 'cache-control': 'public, max-age=3600' }

export interface OperationsSiteOptions {
  /** Paths of the operations. */
  readonly paths: readonly string[]
  /** Creates the operations; called once, by the first request that needs them. */
  readonly operations: () => Promise<readonly Operation[]>
}

/** Serves the operations and their list. */
export function operationsSite({ paths, operations }: OperationsSiteOptions): OpenSite {
  const known = new Set([OPERATIONS_PATH, ...paths])
  let files: Promise<ReadonlyMap<string, StaticFile>> | undefined
  const answer = async (exchange: Exchange): Promise<Reply> => {
    files ??= operations().then(filesOf)
    const file = (await files).get(exchange.path)
    if (file === undefined) throw new Error(`${exchange.path} has no operation`)
    return serveFile(file, exchange)
  }
  return (exchange) => (known.has(exchange.path) && isReadMethod(exchange.method) ? answer(exchange) : null)
}

function filesOf(operations: readonly Operation[]): ReadonlyMap<string, StaticFile> {
  const list = textFile(JSON_UTF8, JSON.stringify(listOf(operations)), HEADERS)
  const texts = operations.map(
    ({ path, text }) => [path, textFile('application/graphql; charset=utf-8', text, HEADERS)] as const,
  )
  return new Map([[OPERATIONS_PATH, list], ...texts])
}

function listOf(operations: readonly Operation[]): unknown {
  const data = operations.map(({ name, path, text, keywords, ...listed }) => {
    return { operation: name, ...listed, href: path, sha256: sha256Hex(text), keywords, document: text }
  })
  return { data, total: data.length }
}
