import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { DRY_RUN_TYPE } from '../../src/gateway/rest/openapi/operation/request-headers.js'
import { type Endpoint, type Found, type OpenApi, responseOf } from './openapi.js'
import type { Received } from './send.js'

/** What only a program says: frames of a stack, names of libraries and tables, paths of its files. */
const INTERNALS =
  /\bat \S+ \(|node_modules|\/src\/|\.(?:ts|js):\d+|prisma|pglite|\bpg_|postgres|ioredis|syntax error at or near|relation "|TypeError|ReferenceError|RangeError|ECONN/i

/** An answer of ours is out of order only where it asks others, who are not there. */
const MAY_BE_UNAVAILABLE = new Set(['discover', 'address_snapshot'])

/** Checks answers to operations of a document; says what is wrong with one, null where nothing is. */
export type CheckAnswer = (endpoint: Endpoint, method: string, received: Received) => string | null

export function checkAgainst(document: OpenApi): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi.json')
  const validators = new Map<string, ValidateFunction>()
  const validatorAt = (pointer: readonly string[]): ValidateFunction => {
    const place = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    const ref = `openapi.json#/${place.join('/')}`
    const known = validators.get(ref) ?? ajv.compile({ $ref: ref })
    validators.set(ref, known)
    return known
  }
  const wrongHeader = ({ response, pointer }: Found, headers: Received['headers']): string | null => {
    for (const name of Object.keys(response.headers ?? {})) {
      const text = headers[name.toLowerCase()]
      if (text === undefined) continue
      const given = response.headers?.[name] ?? {}
      const place = '$ref' in given ? ['components', 'headers', name] : [...pointer, 'headers', name]
      const validate = validatorAt([...place, 'schema'])
      const value = /^\d+$/.test(String(text)) ? Number(text) : text
      if (!validate(value)) return `${name}: ${text} does not fit: ${ajv.errorsText(validate.errors)}`
    }
    return null
  }
  return (endpoint, method, received) => {
    const { status, headers, text } = received
    const { operationId } = endpoint.operation
    if (status === 503 && !MAY_BE_UNAVAILABLE.has(operationId)) return 'the answer is 503'
    if (status === 503 && headers['retry-after'] === undefined) return '503 without Retry-After'
    if (status === 500) return 'the answer is 500'
    if (headers['x-request-id'] === undefined) return 'the answer has no X-Request-Id'
    const shown = internalsIn(status, text)
    if (shown !== null) return shown
    const found = responseOf(document, endpoint, status)
    if (found === null) return `${status} is not documented`
    const header = wrongHeader(found, headers)
    if (header !== null) return header
    if (method === 'HEAD' || status === 304) return text === '' ? null : `${method} ${status} has a body`
    if (status === 204) return null
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
    if (isExportOf(document, endpoint, type)) return null
    if (type === DRY_RUN_TYPE) return isCost(JSON.parse(text)) ? null : `${text} is no cost`
    if (found.response.content?.[type] === undefined) return `${status} as "${type}" is not documented`
    if (!/json$/.test(type) || type.endsWith('ndjson')) return null
    const validate = validatorAt([...found.pointer, 'content', type, 'schema'])
    return validate(JSON.parse(text))
      ? null
      : `${status} does not fit its schema: ${ajv.errorsText(validate.errors)}`
  }
}

/** The answer to a dry run, which the text of an operation describes: numbers by name. */
function isCost(body: unknown): boolean {
  const { cost, ...others } = Object(body) as { readonly cost?: unknown }
  const figures = Object.values(Object(cost) as Readonly<Record<string, unknown>>)
  return figures.length > 0 && figures.every(Number.isFinite) && Object.keys(others).length === 0
}

/** `Accept` has the export that a path of its own documents, so that a typed client's answer is JSON alone. */
function isExportOf({ paths }: OpenApi, { path }: Endpoint, type: string): boolean {
  if (type === 'text/csv') return paths[`${path}.csv`] !== undefined
  return type === 'application/x-ndjson' && paths[`${path}.ndjson`] !== undefined
}

/** Data may name a library or a path; words of our own may not. */
export function internalsIn(status: number, text: string): string | null {
  const [found] = status >= 400 ? (INTERNALS.exec(text) ?? []) : []
  return found === undefined ? null : `the body of a ${status} has ${JSON.stringify(found)}`
}
