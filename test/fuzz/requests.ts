import fc from 'fast-check'
import type { Endpoint, Parameter, Schema } from './openapi.js'
import { hostileText, textFor } from './values.js'

/** A request to one operation. */
export interface FuzzRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const ACCEPTED = [
  'application/json',
  'application/problem+json',
  'text/csv',
  'application/x-ndjson',
  'text/html',
  '*/*',
  '*/*;q=0',
  'application/json;q=x, ,;',
]

/** Parts of a query that are percent-encoded wrongly, or not at all. */
const RAW_QUERIES = ['%', '%zz=1', 'limit=%ff', '&&=', 'limit', 'a=b=c', 'limit=1;offset=2', '%00=1', '?']

/** Requests to an operation: mostly right in most parts, so that they get far. `keys`: API keys to ask with. */
export function requestsTo(endpoint: Endpoint, keys: readonly string[]): fc.Arbitrary<FuzzRequest> {
  const { method, path, parameters, operation } = endpoint
  const ofPath = parameters.filter((parameter) => parameter.in === 'path')
  const ofQuery = parameters.filter((parameter) => parameter.in === 'query')
  const schema = operation.requestBody?.content['application/json']?.schema
  return fc
    .record({
      method: method === 'GET' ? fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD') : fc.constant(method),
      segments: fc.tuple(...ofPath.map(textForParameter)),
      query: fc.tuple(...ofQuery.map(pairsOf)),
      unknown: rarely(fc.tuple(hostileText, hostileText)),
      raw: rarely(fc.constantFrom(...RAW_QUERIES)),
      key: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...keys) },
        { weight: 1, arbitrary: fc.constantFrom('', 'mdg_test_x', 'é'.repeat(40), 'x'.repeat(3_000)) },
      ),
      accept: rarely(fc.constantFrom(...ACCEPTED)),
      tag: rarely(fc.constantFrom('*', '"x"', 'W/"', '"'.repeat(500), `"${'a'.repeat(64)}"`)),
      dryRun: rarely(fc.constantFrom('cost', 'yes', '')),
      coding: rarely(fc.constantFrom('gzip', 'br', 'gzip;q=0, *;q=0', 'zstd')),
      body: schema === undefined ? fc.constant(null) : bodyOf(schema),
    })
    .map(({ segments, query, unknown, raw, ...rest }) => {
      const places = new Map(ofPath.map(({ name }, at) => [name, String(segments[at])]))
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(places.get(name) ?? ''))
      const pairs = [...query.flat(), ...(unknown === null ? [] : [unknown])]
      const parts = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      const search = [...parts, ...(raw === null ? [] : [raw])].join('&')
      return {
        method: rest.method,
        path: search === '' ? filled : `${filled}?${search}`,
        headers: headersOf(rest),
        body: rest.body,
      }
    })
}

function headersOf(given: {
  readonly key: string
  readonly accept: string | null
  readonly tag: string | null
  readonly dryRun: string | null
  readonly coding: string | null
  readonly body: string | null
}): FuzzRequest['headers'] {
  const headers: Record<string, string> = {}
  if (given.key !== '') headers['x-api-key'] = Buffer.from(given.key).toString('latin1')
  if (given.accept !== null) headers.accept = given.accept
  if (given.tag !== null) headers['if-none-match'] = given.tag
  if (given.dryRun !== null) headers['x-dry-run'] = given.dryRun
  if (given.coding !== null) headers['accept-encoding'] = given.coding
  if (given.body !== null) headers['content-type'] = 'application/json'
  return headers
}

/** Lone surrogates have no encoding. */
export function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

function rarely<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })
}

function textForParameter({ schema, example }: Parameter): fc.Arbitrary<string> {
  return textFor(schema, example)
}

type Pair = readonly [string, string]

/** A parameter of the query: left out, given once, given twice. */
function pairsOf(parameter: Parameter): fc.Arbitrary<readonly Pair[]> {
  const pair = textForParameter(parameter).map((value): Pair => [parameter.name, value])
  const given = fc.oneof(
    { weight: 20, arbitrary: pair.map((one) => [one]) },
    { weight: 1, arbitrary: fc.tuple(pair, pair) },
  )
  const none = fc.constant<readonly Pair[]>([])
  return parameter.required === true
    ? fc.oneof({ weight: 12, arbitrary: given }, { weight: 1, arbitrary: none })
    : fc.oneof({ weight: 1, arbitrary: given }, { weight: 2, arbitrary: none })
}

/** A JSON body as the schema asks for, any other JSON, and texts that are none. */
function bodyOf(schema: Schema): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: jsonOf(schema).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom('', '{', '[]', 'null', '{"leis":1,"leis":2}', '\ufeff{}') },
  )
}

/** JSON that a schema asks for, mostly; texts in place of numbers and truth values now and then. */
export function jsonOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.properties !== undefined) {
    const members = Object.entries(schema.properties).map(([name, member]) => [name, jsonOf(member)] as const)
    const requiredKeys = (schema.required ?? []) as string[] // names of members
    return fc.record(Object.fromEntries(members), { requiredKeys })
  }
  const [example] = schema.examples ?? []
  if (schema.items !== undefined) {
    const items = Array.isArray(example) && example.length > 0 ? fc.constantFrom(...example) : hostileText
    return fc.array(fc.oneof(items, hostileText), { maxLength: (schema.maxItems ?? 10) + 1 })
  }
  return textFor(schema, example).map((text) => typed(schema, text))
}

function typed({ type }: Schema, text: string): unknown {
  const types = [type].flat()
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  const isNumber = types.includes('integer') || types.includes('number')
  return isNumber && Number.isFinite(Number.parseFloat(text)) ? Number.parseFloat(text) : text
}
