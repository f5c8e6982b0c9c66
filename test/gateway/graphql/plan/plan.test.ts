import {
  buildSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  parse,
  validate,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { ApiError, invalid } from '../../../../src/core/errors.js'
import { planOperation } from '../../../../src/gateway/graphql/plan/plan.js'
import type { RequestContext } from '../../../../src/platform/request/request-context.js'
import type { AccessRule } from '../../../../src/policy/decide.js'
import { ANONYMOUS, type Principal } from '../../../../src/policy/principal.js'
import type { CostRule, EndpointSpec } from '../../../../src/schema-kit/endpoint.js'
import { type OperationPlan, placesOn } from '../../../../src/schema-kit/operation-plan.js'

const schema = buildSchema(`
  type Query { items(limit: Int = 20): Page! item: Item! usage: Item! open: Item! secret: Item! picky(n: Int!): Int! find: Item! either: Either! }
  type Mutation { make: Item! }
  type Page { data: [Item!]! total: Int! }
  type Item { name: String! detail: Detail sized(n: Int): Detail parts: [Part!]! children(limit: Int): [Item!]! page(limit: Int = 5): Page! }
  type Part { n: Int! detail: Detail sized(n: Int): Detail }
  union Either = Item | Part
  type Detail { n: Int! m: Int! }
`)

function endpoint(
  access: AccessRule,
  cost: CostRule,
  check: EndpointSpec['check'],
): { endpoint: EndpointSpec } {
  return {
    endpoint: {
      access,
      cost,
      rest: null,
      summary: '',
      errors: [],
      reads: null,
      check,
      waits: () => false,
    },
  }
}
const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType // each named here is one
const rules: Readonly<Record<string, { endpoint: EndpointSpec }>> = {
  items: endpoint('caller', 'metered', (args) => ({ parsed: args })),
  item: endpoint('caller', 'metered', () => null),
  usage: endpoint('caller', 'free', () => null),
  open: endpoint('open', 'metered', () => null),
  secret: endpoint('admin', 'metered', () => null),
  picky: endpoint('caller', 'metered', ({ n }) => {
    if (n !== 1) throw invalid({ field: 'n', message: 'must be 1' })
    return n
  }),
  find: endpoint('caller', 'discover', () => null),
  make: endpoint('caller', 'metered', () => null),
  either: endpoint('caller', 'metered', () => null),
}
for (const root of [typeOf('Query'), typeOf('Mutation')])
  for (const field of Object.values(root.getFields())) field.extensions = rules[field.name] ?? {}
for (const type of ['Item', 'Part'])
  Object.assign(typeOf(type).getFields().detail ?? {}, {
    extensions: { edge: { access: 'caller', reads: [], check: () => null } },
  })
for (const type of ['Item', 'Part'])
  Object.assign(typeOf(type).getFields().sized ?? {}, {
    extensions: { edge: { access: 'caller', reads: [], check: ({ n }: { n: number }) => n } },
  })

const CALLER: Principal = {
  kind: 'key',
  accountId: 'a',
  meterId: 'a',
  keyId: 'k',
  tier: 'free',
  scopes: new Set(),
  isNarrowed: false,
  endsAt: null,
  contract: null,
}

interface Given {
  readonly principal?: Principal
  readonly variables?: Record<string, unknown>
  readonly operationName?: string
}

async function planOf(text: string, given: Given = {}): Promise<OperationPlan | null> {
  const document = parse(text)
  expect(validate(schema, document)).toEqual([])
  return planFor(document, given)
}

function planFor(document: DocumentNode, given: Given = {}): Promise<OperationPlan | null> {
  const context = { principal: given.principal ?? CALLER } as RequestContext // the plan reads no more of it
  return planOperation(schema, document, given.operationName, given.variables, context)
}

const unitsOf = async (text: string, variables?: Record<string, unknown>) =>
  (await planOf(text, variables ? { variables } : {}))?.units

describe('the price of an operation', () => {
  it.each([
    ['a root field', '{ item { name } }', 1],
    ['each root field', '{ item { name } items { total } }', 2],
    ['each alias of one', '{ a: item { name } b: item { name } c: item { name } }', 3],
    ['a mutation', 'mutation { make { name } }', 1],
    ['nothing for what is free', '{ usage { name } }', 0],
    ['nothing for __typename', '{ __typename }', 0],
    ['an edge of one parent', '{ item { detail { n } } }', 2],
    ['an edge of the default page', '{ items { data { detail { n } } } }', 2],
    ['an edge of 20 parents', '{ items(limit: 20) { data { detail { n } } } }', 2],
    ['an edge of 21 parents', '{ items(limit: 21) { data { detail { n } } } }', 3],
    ['an edge of 100 parents', '{ items(limit: 100) { data { detail { n } } } }', 6],
    ['each edge', '{ items(limit: 40) { data { a: detail { n } b: detail { n } } } }', 5],
    ['no edge where none is asked for', '{ items(limit: 100) { data { name parts { n } } } }', 1],
    ['a list without a limit as 10', '{ items(limit: 40) { data { parts { detail { n } } } } }', 21],
    [
      'a list with a limit of its own',
      '{ items(limit: 10) { data { children(limit: 4) { detail { n } } } } }',
      3,
    ],
    [
      'the limit of the nearest page',
      '{ items(limit: 10) { data { page(limit: 6) { data { detail { n } } } } } }',
      4,
    ],
    ['and its default', '{ items(limit: 10) { data { page { data { detail { n } } } } } }', 4],
  ])('counts %s: %s costs %i', async (_what, text, units) => {
    expect(await unitsOf(text)).toBe(units)
  })

  it.each([
    ['plain fields', '{ items(limit: $n) { total data { name parts { n detail_of: n } } } }'],
    ['an edge', '{ items(limit: $n) { data { name detail { n } } } }'],
    ['a nested limit', '{ items(limit: 3) { data { children(limit: $n) { name } } } }'],
    ['a directive', '{ items(limit: $n) { total data { name @include(if: $yes) } } }'],
    ['a fragment', '{ items(limit: $n) { ...P } }', 'fragment P on Page { total data { name } }'],
    [
      'a field that is asked for twice',
      '{ items(limit: $n) { total @skip(if: $yes) } items(limit: $n) { data { name } } }',
    ],
  ])('counts a repeated document as at first: %s', async (_what, selection, fragment = '') => {
    const declared = [selection.includes('$n') && '$n: Int!', selection.includes('$yes') && '$yes: Boolean!']
    const text = `query (${declared.filter(Boolean).join(', ')}) ${selection} ${fragment}`
    const known = parse(text)
    const countOf = (plan: OperationPlan | null) => [plan?.values, plan?.units]
    for (const [n, yes] of [
      [5, true],
      [5, true],
      [90, true],
      [5, false],
      [5, true],
      [90, false],
    ]) {
      const given = { variables: { n, yes } }
      const first = countOf(await planOf(text, given))
      expect(first[0]).toBeGreaterThan(0)
      expect(countOf(await planFor(known, given))).toEqual(first)
    }
  })

  it('takes limits from variables and their defaults', async () => {
    const text = 'query ($limit: Int = 60) { items(limit: $limit) { data { detail { n } } } }'
    expect(await unitsOf(text, { limit: 100 })).toBe(6)
    expect(await unitsOf(text)).toBe(4)
  })

  it('counts fields of fragments, named, inline and nested', async () => {
    const fragments =
      'fragment R on Query { items(limit: 40) { ...P } } fragment P on Page { data { ... on Item { detail { n } } } }'
    expect(await unitsOf(`{ ...R ... { item { name } } } ${fragments}`)).toBe(4)
  })

  it.each([
    ['@skip(if: $yes)', 1],
    ['@skip(if: $no)', 2],
    ['@include(if: $no)', 1],
    ['@include(if: $yes)', 2],
    ['@include(if: $yes) @skip(if: $yes)', 1],
    ['@include(if: $yes) @skip(if: $no)', 2],
  ])('follows %s on fields, fragments and edges', async (directives, units) => {
    const variables = { yes: true, no: false }
    const ask = (body: string) => `query ($yes: Boolean = true, $no: Boolean = false) ${body}`
    const used = '@skip(if: $no) @include(if: $yes)'
    expect(await unitsOf(ask(`{ item ${used} { name } items ${directives} { total } }`), variables)).toBe(
      units,
    )
    expect(
      await unitsOf(ask(`{ item ${used} { name ... ${directives} { detail { n } } } }`), variables),
    ).toBe(units)
    expect(await unitsOf(ask(`{ item ${used} { name detail ${directives} { n } } }`), variables)).toBe(units)
    const spread = `{ item ${used} { name ...D ${directives} } } fragment D on Item { detail { n } }`
    expect(await unitsOf(ask(spread), variables)).toBe(units)
  })

  it('charges a repeated field once, because it runs once', async () => {
    expect(await unitsOf('{ item { name } item { name } }')).toBe(1)
    expect(await unitsOf('{ ...F ...F } fragment F on Query { item { name } }')).toBe(1)
    expect(await unitsOf('{ item { detail { n } detail { m } } }')).toBe(2)
    expect(await unitsOf('{ item { ...D ...D } } fragment D on Item { detail { n } }')).toBe(2)
  })

  it('opens fragments that spread each other many times once each', async () => {
    const spreads = (name: string) => Array.from({ length: 30 }, () => `...${name}`).join(' ')
    const chain = ['A', 'B', 'C', 'D'].map((name, at, all) => {
      return `fragment ${name} on Query { ${spreads(all[at + 1] ?? 'Last')} }`
    })
    const document = parse(`{ ...A } ${chain.join(' ')} fragment Last on Query { item { name } }`)
    let openings = 0
    for (const definition of document.definitions as FragmentDefinitionNode[]) {
      const { selectionSet } = definition
      Object.defineProperty(definition, 'selectionSet', {
        get: () => {
          openings += 1
          return selectionSet
        },
      })
    }
    expect((await planFor(document))?.units).toBe(1)
    expect(openings).toBeLessThan(100) // one by one it is 810,000 of them
  })

  it('charges edges of every selection that is merged into one field', async () => {
    expect(await unitsOf('{ item { name } item { detail { n } } }')).toBe(2)
    expect(await unitsOf('{ items(limit: 100) { total } items(limit: 100) { data { detail { n } } } }')).toBe(
      6,
    )
    expect(await unitsOf('{ items(limit: 100) { data { name } data { detail { n } } } }')).toBe(6)
  })
})

describe('the plan of an operation', () => {
  it('has each root field under the name of its answer, with the parsed input', async () => {
    const plan = await planOf('{ first: items(limit: 3) { total } items { total } find { name } }')
    expect([...(plan?.fields.keys() ?? [])]).toEqual(['first', 'items', 'find'])
    expect(plan?.fields.get('first')).toMatchObject({
      field: 'items',
      input: { parsed: { limit: 3 } },
      units: 1,
    })
    expect(plan?.fields.get('items')).toMatchObject({ input: { parsed: { limit: 20 } } })
    expect(plan?.fields.get('find')?.endpoint.cost).toBe('discover')
  })

  it('refuses a field without access or with a bad argument before it costs anything, and prices the others', async () => {
    const plan = await planOf('{ secret { detail { n } } picky(n: 2) item { name } }')
    const errorOf = (name: string) => {
      const field = plan?.fields.get(name)
      return field && 'error' in field
        ? [field.error instanceof ApiError && field.error.code, field.units]
        : field
    }
    expect(errorOf('secret')).toEqual(['forbidden', 0])
    expect(errorOf('picky')).toEqual(['validation_error', 0])
    expect(plan?.units).toBe(1)
  })

  it('allows callers without a key open fields only', async () => {
    const plan = await planOf('{ open { name } item { name } }', { principal: ANONYMOUS })
    expect(plan?.fields.get('open')).toMatchObject({ units: 1 })
    const refused = plan?.fields.get('item')
    expect(refused && 'error' in refused ? refused.error : null).toMatchObject({
      code: 'unauthorized',
      status: 401,
    })
    expect(plan?.units).toBe(1)
  })

  it.each([
    ['{ __schema { queryType { name } } }', true],
    ['{ __type(name: "Item") { name } }', true],
    ['{ hidden: __schema { queryType { name } } }', true],
    ['{ item { name } ...F } fragment F on Query { ... { __schema { queryType { name } } } }', true],
    ['{ __schema @skip(if: true) { queryType { name } } item { name } }', false],
    ['{ item { __typename } __typename }', false],
  ])('knows whether %s reads the schema', async (text, introspects) => {
    expect((await planOf(text))?.introspects).toBe(introspects)
  })

  it.each([
    ['Item', 1],
    ['Part', 2],
  ])('has one edge for each type that an object may have: %s', async (typename, input) => {
    const text = '{ either { ... on Item { of: sized(n: 1) { n } } ... on Part { of: sized(n: 2) { n } } } }'
    const plan = await planOf(text)
    const path = { key: 'of', typename, prev: { key: 'either', typename: 'Query', prev: undefined } }
    expect(plan && placesOn(plan, path).at(-1)?.edge?.outcome).toEqual({ input, rows: 1 })
    expect(plan?.units).toBe(3)
  })

  it('is that of the named operation', async () => {
    const text = 'query A { item { name } } query B { items { total } item { name } }'
    expect((await planOf(text, { operationName: 'A' }))?.units).toBe(1)
    expect((await planOf(text, { operationName: 'B' }))?.units).toBe(2)
  })

  it('is null if the executor will refuse the request itself', async () => {
    const two = 'query A { item { name } } query B { items { total } }'
    expect(await planOf(two)).toBeNull()
    expect(await planOf(two, { operationName: 'C' })).toBeNull()
    const typed = 'query ($limit: Int!) { items(limit: $limit) { total } }'
    expect(await planOf(typed)).toBeNull()
    expect(await planOf(typed, { variables: { limit: 'many' } })).toBeNull()
  })
})
