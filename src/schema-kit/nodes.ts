import type { GraphQLResolveInfo } from 'graphql'
import { ApiError, invalid } from '../core/errors.js'
import { groupBy } from '../core/group-by.js'
import type { Slug } from '../core/identifiers.js'
import { Problems } from '../core/problems.js'
import type { DataPart } from '../platform/database/versions/data-parts.js'
import type { RequestContext } from '../platform/request/request-context.js'
import { requireAccess } from '../policy/decide.js'
import { PARENTS_PER_UNIT } from '../policy/limits.js'
import { builder, type GraphQLContext } from './builder.js'
import type { EndpointSpec, NarrowedEndpoint } from './endpoint.js'
import type { ItemRef } from './envelope.js'
import { hints, queryEndpoint, queryEndpointOf } from './fields.js'
import { shownValue } from './values/shown-value.js'

/** A type whose objects the fields `node` and `nodes` find by their id. */
interface NodeType<Item extends object> {
  /** The root field that serves the objects. Its access, price and datasets apply. */
  readonly servedBy: string | ((key: string) => string)
  /** The text that identifies an object among those of its type. */
  readonly keyOf: (item: Item) => string
  readonly isKey: (text: string) => boolean
  /** The objects in the order of the keys; null or a 404 for an unknown one, an error for one that may not be read. */
  readonly load: (
    keys: readonly string[],
    context: GraphQLContext,
    info: GraphQLResolveInfo,
  ) => Promise<readonly (Item | Error | null)[]>
  /** The parts of datasets that an object reads. Omitted: the datasets of the root field. */
  readonly grains?: (key: string, context: RequestContext) => readonly DataPart[]
  /** The asset that an object is about. */
  readonly assetOf?: (key: string) => Slug
}

const nodeTypes = new Map<string, NodeType<object>>()

/** Names the type of an object that a node field returns. */
const NODE_TYPE = Symbol('node type')

interface TypedNode {
  readonly [NODE_TYPE]: string
}

const ID_TEXT = 'Id of the object among all objects of this API, for caches of clients and the field `node`.'

const NodeInterface = builder.interfaceRef<object>('Node').implement({
  description: 'An object with an id by which `node` finds it again.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    id: t.id({ subGraphs: ['Graph'], description: ID_TEXT, resolve: () => unreachable() }),
  }),
  resolveType: (node) => (node as TypedNode)[NODE_TYPE],
})

function unreachable(): never {
  throw new Error('each type of a node resolves its id')
}

/** Adds `id` to a type and lets `node` and `nodes` find its objects. */
export function defineNode<Item extends object>(type: ItemRef<Item>, node: NodeType<Item>): void {
  nodeTypes.set(type.name, node as unknown as NodeType<object>) // its functions get only items that it loaded
  type.addInterfaces([NodeInterface])
  builder.objectFields(type, (t) => ({
    id: t.id({
      subGraphs: ['Graph'],
      description: ID_TEXT,
      resolve: (item) => nodeId(type.name, node.keyOf(item as unknown as Item)), // the shape of ItemRef<Item>
    }),
  }))
}

/** Loads objects one by one, through a loader that reads them together. */
export function loadEach<Item>(
  keys: readonly string[],
  load: (key: string) => Promise<Item>,
): Promise<readonly (Item | Error)[]> {
  return Promise.all(
    keys.map((key) =>
      load(key).catch((error: unknown) => {
        if (error instanceof Error) return error
        throw error
      }),
    ),
  )
}

/** Items in the order of their keys; null for a key without an item. */
export function orderByKeys<Item>(
  keys: readonly string[],
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly (Item | null)[] {
  const byKey = new Map(items.map((item) => [keyOf(item), item]))
  return keys.map((key) => byKey.get(key) ?? null)
}

function nodeId(type: string, key: string): string {
  return Buffer.from(`${type}:${key}`).toString('base64url')
}

/** An object that a request names by its id. */
interface NodeKey {
  readonly type: string
  readonly key: string
  readonly node: NodeType<object>
}

/** The parts of an id; null for a text that is no id of this API. */
function parseNodeId(id: string): NodeKey | null {
  const text = Buffer.from(id, 'base64url').toString()
  const at = text.indexOf(':')
  const [type, key] = [text.slice(0, at), text.slice(at + 1)]
  const node = at < 0 ? undefined : nodeTypes.get(type)
  if (node === undefined || nodeId(type, key) !== id || !node.isKey(key)) return null
  return { type, key, node }
}

function servingEndpoint({ node, key }: NodeKey): EndpointSpec {
  return queryEndpointOf(typeof node.servedBy === 'string' ? node.servedBy : node.servedBy(key))
}

/** The objects of valid ids that the caller may read. The 422 names every malformed id. */
function checkIds(
  ids: readonly { readonly field: string; readonly id: string }[],
  { principal }: RequestContext,
): readonly NodeKey[] {
  const problems = new Problems()
  const keys = ids.flatMap(({ field, id }): NodeKey[] => {
    const parsed = parseNodeId(id)
    if (parsed !== null) return [parsed]
    problems.add(field, `must be an id as the field \`id\` of an object shows it; got ${shownValue(id)}`)
    return []
  })
  problems.refuse()
  for (const { access } of new Set(keys.map(servingEndpoint))) requireAccess(principal, access)
  return keys
}

/** The endpoint of a node field for objects: as free, as volatile and as cacheable as the root fields that serve them. */
function narrowTo(keys: readonly NodeKey[], endpoint: EndpointSpec): NarrowedEndpoint {
  const serving = [...new Set(keys.map(servingEndpoint))]
  const reads = serving.map((one) => one.reads)
  return {
    ...endpoint,
    cost: serving.every(({ cost }) => cost === 'free') ? 'free' : 'metered',
    reads: reads.some((one) => one === null) ? null : [...new Set(reads.flatMap((one) => one ?? []))].sort(),
    ...(serving.some(({ isVolatile }) => isVolatile) ? { isVolatile: true } : {}),
    types: new Set(keys.map(({ type }) => type)),
  }
}

/** Loads objects, those of one type together. An element that cannot be read is a rejected promise. */
async function loadNodes(
  keys: readonly NodeKey[],
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Promise<readonly (object | Promise<never> | null)[]> {
  const loaded = new Map<NodeKey, object | Error | null>()
  await Promise.all(
    [...groupBy(keys, ({ type }) => type).values()].map(async (group) => {
      const texts = group.map(({ key }) => key)
      const items = await group[0].node.load(texts, context, info)
      group.forEach((key, index) => {
        loaded.set(key, items[index] ?? null)
      })
    }),
  )
  return keys.map((key) => {
    const item = loaded.get(key) ?? null
    if (item instanceof ApiError && item.code === 'not_found') return null
    if (item instanceof Error) return Promise.reject(item)
    // A copy, because loaders share their objects with other fields.
    return item && { ...item, [NODE_TYPE]: key.type }
  })
}

/** The price and the access of `node` and `nodes`, for their descriptions. */
const AS_SERVED =
  'Needs the scopes of the root field that serves the type, and is free if that is. A malformed id is a 422.'

const ID_HINTS = hints({ example: 'QXNzZXRDYXJkOmJpdGNvaW4', maxLength: 512 })

queryEndpoint('node', {
  summary: 'An object by its id',
  description: `Finds an object by the id that it shows. Null if it does not exist or belongs to another account. ${AS_SERVED}`,
  access: 'caller',
  cost: 'metered',
  rest: null,
  type: NodeInterface,
  args: (arg) => ({
    id: arg.id({ required: true, description: 'Id of an object.', ...ID_HINTS }),
  }),
  check: ({ id }, context) => checkIds([{ field: 'id', id: String(id) }], context),
  forInput: ([key], endpoint) => {
    const narrowed = narrowTo(key === undefined ? [] : [key], endpoint)
    if (key === undefined) return narrowed
    const { grains, assetOf } = key.node
    return {
      ...narrowed,
      ...(grains ? { grains: (_input, context) => grains(key.key, context) } : {}),
      ...(assetOf ? { assetOf: () => assetOf(key.key) } : {}),
    }
  },
  resolve: async (keys, context, info) => (await loadNodes(keys, context, info))[0] ?? null,
})

/** As many as a list has on a page. */
const MAX_NODES = 100

queryEndpoint('nodes', {
  summary: 'Objects by their ids',
  description: `Finds objects by the ids that they show, in the order of the ids. Null for an object that does not exist or belongs to another account. Costs 1 unit per ${PARENTS_PER_UNIT} ids. ${AS_SERVED}`,
  access: 'caller',
  cost: 'metered',
  rest: null,
  type: [NodeInterface],
  hasNullableItems: true,
  args: (arg) => ({
    ids: arg.idList({
      required: true,
      description: 'Ids of objects.',
      ...hints({
        minimum: 1,
        maximum: MAX_NODES,
        maxLength: 512,
        example: ['QXNzZXRDYXJkOmJpdGNvaW4', 'QXNzZXRDYXJkOmV0aGVyZXVt'],
      }),
    }),
  }),
  check: ({ ids }, context) => {
    if (ids.length > MAX_NODES)
      throw invalid({ field: 'ids', message: `may have at most ${MAX_NODES} ids; got ${ids.length}` })
    return checkIds(
      ids.map((id, index) => ({ field: `ids.${index}`, id: String(id) })),
      context,
    )
  },
  rows: (keys) => keys.length,
  rowsPerUnit: PARENTS_PER_UNIT,
  forInput: narrowTo,
  resolve: (keys, context, info) => loadNodes(keys, context, info) as never,
})
