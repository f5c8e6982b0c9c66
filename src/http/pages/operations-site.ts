import { sha256Hex } from '../../core/canonical-json.js'
import { OPERATIONS_PATH } from '../../core/paths.js'
import { JSON_UTF8 } from '../../platform/request/json-type.js'
import type { OpenSite } from '../pipeline.js'
import { isReadMethod } from '../read-method.js'
import { type StaticFile, serveFile, textFile } from './static-files.js'

/** The GraphQL operation that gives what a REST route answers. */
interface Operation {
  readonly name: string
  readonly path: string
  readonly text: string
  readonly method: string
  readonly route: string
  readonly tag: string
  readonly summary: string
  /** An example of its variables. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** They change with the version of the gateway only. */
const HEADERS = { 'cache-control': 'public, max-age=3600' }

/** Serves the operations and their list. `operations` is called once, by the first request that needs it. */
export function operationsSite(operations: () => readonly Operation[]): OpenSite {
  let files: ReadonlyMap<string, StaticFile> | undefined
  return (exchange) => {
    const { path, method } = exchange
    if (!path.startsWith(OPERATIONS_PATH) || !isReadMethod(method)) return null
    files ??= filesOf(operations())
    const file = files.get(path)
    return file === undefined ? null : serveFile(file, exchange)
  }
}

function filesOf(operations: readonly Operation[]): ReadonlyMap<string, StaticFile> {
  const list = textFile(JSON_UTF8, JSON.stringify(listOf(operations)), HEADERS)
  const texts = operations.map(
    ({ path, text }) => [path, textFile('application/graphql; charset=utf-8', text, HEADERS)] as const,
  )
  return new Map([[OPERATIONS_PATH, list], ...texts])
}

function listOf(operations: readonly Operation[]): unknown {
  const data = operations.map(({ name, method, route, path, text, tag, summary, variables }) => {
    return { operation: name, method, route, href: path, sha256: sha256Hex(text), tag, summary, variables }
  })
  return { data, total: data.length }
}
