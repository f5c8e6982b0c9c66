import { isNonNullType } from 'graphql'
import type { Table } from '../../../src/gateway/rest/response/table.js'
import { compileRoutes } from '../../../src/gateway/rest/routes/rest-route.js'
import { createRestRoutes } from '../../../src/gateway/rest/routes/rest-routes.js'
import { restSchema } from '../../../src/schema.js'
import { type ClientRoute, JSON_TYPE, NEWEST_PAGE_FIRST, type Schema } from '../documents.js'
import { docstring, literal, pythonName, tuple } from './python-text.js'
import { componentOf, pythonType, resolvedSchema } from './python-types.js'

/** Routes that `runtime/_releases.py` calls by methods of its own. */
const WRITTEN_BY_HAND: ReadonlySet<string> = new Set(['releases', 'release'])

/** Members of the hand-written classes. */
const TAKEN: ReadonlySet<string> = new Set([
  'advance',
  'advance_to',
  'as_of',
  'at',
  'close',
  'operations',
  'prices',
])

/** A longer page would take much memory at once. */
const MAX_PAGE_ROWS = 10_000

/** The column that a parameter of the path fills, by the name of the parameter. */
const LABELS: Readonly<Record<string, string>> = { id: 'slug', asset_id: 'slug', ticker: 'ticker' }

/** The class of the assets that the tickers of a path or of its rows name. */
const TICKERS_OF: readonly (readonly [path: string, assetClass: string])[] = [
  ['/v1/stocks', 'stock'],
  ['/v1/etf', 'etf'],
]

/** Its rows are securities of any market, which a ticker does not name. */
const ROWS_OF_OTHERS: ReadonlySet<string> = new Set(['etf_holdings'])

/** A parameter of path or query, or a member of the body. */
interface Argument {
  readonly name: string
  readonly place: 'path' | 'query' | 'body'
  readonly schema: Schema
  readonly isRequired: boolean
  readonly description: string
}

/** The rows of an answer. */
interface RowsOfRoute {
  readonly table: Table
  readonly rowType: string
}

/** The module of the client: one method for each route. */
export function clientModule(
  routes: readonly ClientRoute[],
  components: Readonly<Record<string, Schema>>,
): string {
  const tables = tablesByOperation()
  const generated = routes.filter(({ operation }) => !WRITTEN_BY_HAND.has(operation.operationId))
  const taken = generated.find(({ operation }) => TAKEN.has(operation.operationId))
  if (taken !== undefined)
    throw new Error(`${taken.operation.operationId} is a member of the client already.`)
  const methods = generated.map((route) => {
    const table = tables.get(route.operation.operationId)
    return methodOf(
      route,
      components,
      table && route.method === 'get' ? { table, rowType: rowTypeOf(route, components, table) } : null,
    )
  })
  return `"""The client: one method for each route of the gateway."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Union

from . import types
from ._answers import Answer, Rows, Shape
from ._client import BaseClient
from ._frames import Column
from ._names import AssetKey
from ._values import Day, Instant, day, instant, path_value, text_of
from .operations import PublishedOperations


class Client(BaseClient):
    """
    A client of one gateway with one credential. All threads of a process may share it.

    A method raises \`ApiError\` if the gateway refuses the request, and \`ConnectionFailed\` if no response arrives. A method for
    a list or series returns \`Rows\`, which request the data when you read them; all other methods return an \`Answer\`.
    """

    @property
    def operations(self) -> PublishedOperations:
        """Operations of GraphQL: a method for each published one, and \`run\` for your own documents."""
        return PublishedOperations(self._transport.send)

${methods.join('\n')}`
}

/** The tables of lists and series. */
function tablesByOperation(): ReadonlyMap<string, Table> {
  const routes = createRestRoutes(restSchema).endpoints.flatMap((endpoint) =>
    compileRoutes(endpoint).slice(0, 1),
  )
  return new Map(routes.flatMap(({ field, table }) => (table === null ? [] : [[field.name, table] as const])))
}

function methodOf(
  route: ClientRoute,
  components: Readonly<Record<string, Schema>>,
  rows: RowsOfRoute | null,
): string {
  const { method, operation } = route
  const own = argumentsOf(route, components)
  const inPath = own.filter(({ place }) => place === 'path')
  const others = own.filter(({ place }) => place !== 'path')
  const named = [
    ...others.filter(({ isRequired }) => isRequired),
    ...others.filter(({ isRequired }) => !isRequired),
  ]
  const keywords = named.map(parameterText)
  if (route.takesIdempotencyKey) keywords.push('idempotency_key: Optional[str] = None')
  const parameters = [
    'self',
    ...inPath.map(parameterText),
    ...(keywords.length > 0 ? ['*', ...keywords] : []),
  ]
  const body = bodyType(route)
  const result = rows === null ? `Answer[${body}]` : `Rows[${body}, ${rows.rowType}]`
  const head = `    def ${operation.operationId}(\n        ${parameters.join(',\n        ')},\n    ) -> ${result}:\n`
  const texts = [
    `${operation.summary}.`,
    operation.description,
    ...own.map(({ name, description }) => `${pythonName(name)}: ${description}`),
    ...(route.takesIdempotencyKey
      ? [
          'idempotency_key: A key of your choice. The gateway runs a write with this key once, so the client may repeat it.',
        ]
      : []),
  ]
  const values = named.map((argument) => `${literal(argument.name)}: ${valueText(argument)}`)
  const call = [pathText(route), `{${values.join(', ')}}`]
  if (rows !== null) call.push(shapeText(route, rows.table, own), labelsText(inPath))
  if (method === 'post' && route.isRead) call.push('reads=True')
  if (route.takesIdempotencyKey) call.push('idempotency_key=idempotency_key')
  return `${head}${docstring(texts, '        ')}        return self._${rows === null ? method : 'rows'}(\n            ${call.join(',\n            ')},\n        )\n`
}

function argumentsOf(
  { operation }: ClientRoute,
  components: Readonly<Record<string, Schema>>,
): readonly Argument[] {
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    place: parameter.in === 'path' ? ('path' as const) : ('query' as const),
    schema: parameter.schema,
    isRequired: parameter.required === true,
    description: described(parameter.description ?? '', parameter.schema),
  }))
  const form = operation.requestBody?.content[JSON_TYPE]?.schema
  const { properties = {}, required = [] } = resolvedSchema(form, components)
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    place: 'body' as const,
    schema,
    isRequired: required.includes(name),
    description: described(schema.description ?? '', schema),
  }))
  return [...parameters, ...members]
}

function described(text: string, { default: value }: Schema): string {
  const isKnown = value === undefined || value === null || /\bdefault/i.test(text)
  return isKnown ? text : `${text} Default: ${String(value)}.`
}

function parameterText({ name, schema, isRequired }: Argument): string {
  const type = argumentType(schema)
  return isRequired ? `${pythonName(name)}: ${type}` : `${pythonName(name)}: Optional[${type}] = None`
}

/** What a caller may give: dates and instants of Python too, and any sequence. */
function argumentType(schema: Schema): string {
  if (schema.format === 'date-time') return 'Instant'
  if (schema.format === 'date') return 'Day'
  if (schema.items !== undefined) return `Sequence[${pythonType(schema.items, 'types.')}]`
  return pythonType(schema, 'types.').replace(/^Optional\[(.*)\]$/, '$1')
}

function valueText({ name, schema }: Argument): string {
  const variable = pythonName(name)
  if (schema.format === 'date-time') return `instant(${variable})`
  return schema.format === 'date' ? `day(${variable})` : variable
}

function pathText({ path }: ClientRoute): string {
  const parts = path.split(/\{(\w+)\}/)
  if (parts.length === 1) return literal(path)
  return parts
    .map((part, index) =>
      index % 2 === 0 ? literal(part) : `path_value(${literal(part)}, ${pythonName(part)})`,
    )
    .filter((part) => part !== '""')
    .join(' + ')
}

function bodyType({ operation }: ClientRoute): string {
  const content = Object.values(operation.responses).flatMap(({ content }) => content?.[JSON_TYPE] ?? [])
  return content[0] === undefined ? 'None' : pythonType(content[0].schema, 'types.')
}

/** The type of the elements at the table's path. */
function rowTypeOf(
  route: ClientRoute,
  components: Readonly<Record<string, Schema>>,
  { path }: Table,
): string {
  const resolve = (schema: Schema): Schema => {
    const [first = schema] = schema.anyOf ?? []
    return first.$ref === undefined ? first : resolve(components[componentOf(first.$ref)] ?? {})
  }
  const [content] = Object.values(route.operation.responses).flatMap(
    ({ content }) => content?.[JSON_TYPE] ?? [],
  )
  const list = path.reduce(
    (schema, member) => resolve(schema).properties?.[member] ?? {},
    content?.schema ?? {},
  )
  return pythonType(resolve(list).items ?? {}, 'types.')
}

function shapeText({ path, operation }: ClientRoute, table: Table, own: readonly Argument[]): string {
  const limit = own.find(({ name, place }) => name === 'limit' && place === 'query')
  const maximum = limit?.schema.maximum
  const rows = maximum === undefined ? 'None' : String(Math.min(maximum, MAX_PAGE_ROWS))
  const isNewestFirst = NEWEST_PAGE_FIRST.includes(path) ? 'True' : 'False'
  const asset = ROWS_OF_OTHERS.has(operation.operationId) ? null : assetKeyOf(path, table, own)
  const key = asset === null ? 'None' : `AssetKey(${asset.map(literal).join(', ')})`
  return `Shape(${tuple(table.path.map(literal))}, ${columnsText(table)}, ${rows}, ${isNewestFirst}, ${key})`
}

/** What tells of which asset a row is: a column or a label, and its kind. Null if the rows have slug and ticker, or no asset. */
function assetKeyOf(
  path: string,
  { fileColumns }: Table,
  own: readonly Argument[],
): readonly [column: string, kind: string] | null {
  const types = new Map(fileColumns.map(({ name, type }) => [name, type]))
  const labels = own.flatMap(({ name, place }) => (place === 'path' ? (LABELS[name] ?? []) : []))
  const has = (name: string) => types.has(name) || labels.includes(name)
  if (types.has('slug') && types.has('ticker')) return null
  if (types.get('asset_id') === 'integer') return ['asset_id', 'id']
  if (has('slug')) return ['slug', 'slug']
  if (types.has('asset_id')) return ['asset_id', 'slug']
  const assetClass = TICKERS_OF.find(([start]) => path.startsWith(start))?.[1]
  return assetClass !== undefined && has('ticker') ? ['ticker', assetClass] : null
}

function labelsText(inPath: readonly Argument[]): string {
  const labels = inPath.flatMap(({ name }) => {
    const label = LABELS[name]
    return label === undefined ? [] : [`${literal(label)}: text_of(${pythonName(name)})`]
  })
  return `{${labels.join(', ')}}`
}

function columnsText({ fileColumns, row }: Table): string {
  const fields = row.getFields()
  const columns = fileColumns.map(({ name, type, isList }) => {
    const isNullable = !isNonNullType(fields[name]?.type)
    const form = isList === true ? 'list' : type
    return `                Column(${literal(name)}, ${literal(form)}, ${isNullable ? 'True' : 'False'}),\n`
  })
  return `(\n${columns.join('')}            )`
}
