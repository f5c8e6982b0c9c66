import fc from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { hostileText } from './values.js'

/** Values that arguments of a name are known to take. */
export type KnownValues = ReadonlyMap<string, readonly string[]>

const MAX_DEPTH = 4
const MAX_FIELDS = 4

type Draw = fc.GeneratorValue

/** Queries over the whole schema: mostly valid, with arguments that often are not. */
export function operationsOf(schema: GraphQLSchema, known: KnownValues): fc.Arbitrary<string> {
  const query = schema.getQueryType()
  if (query === undefined || query === null) throw new Error('the schema has no queries')
  const roots = Object.values(query.getFields())
  return fc.gen().map((draw) => {
    const count = draw(fc.integer, { min: 1, max: 3 })
    const fields = Array.from({ length: count }, (_, at) => {
      const root = draw(() => fc.constantFrom(...roots))
      return `f${at}: ${fieldText(draw, root, known, MAX_DEPTH)}`
    })
    return `{ ${fields.join(' ')} }`
  })
}

function fieldText(
  draw: Draw,
  field: GraphQLField<unknown, unknown>,
  known: KnownValues,
  depth: number,
): string {
  const given = field.args.flatMap((argument) => argumentText(draw, argument, known))
  const args = given.length === 0 ? '' : `(${given.join(', ')})`
  return `${field.name}${args}${selectionText(draw, field.type, known, depth)}`
}

function argumentText(draw: Draw, { name, type }: GraphQLArgument, known: KnownValues): readonly string[] {
  const isRequired = isNonNullType(type)
  const chance = draw(fc.integer, { min: 0, max: 9 })
  if (isRequired ? chance === 0 : chance > 2) return []
  return [`${name}: ${literalOf(draw, type, name, known)}`]
}

function literalOf(draw: Draw, type: GraphQLInputType, name: string, known: KnownValues): string {
  if (isNonNullType(type)) return literalOf(draw, type.ofType, name, known)
  const kind = draw(fc.integer, { min: 0, max: 19 })
  if (kind === 0) return 'null'
  if (kind === 1) return JSON.stringify(draw(() => hostileText))
  if (kind === 2) return draw(() => fc.constantFrom('1e400', '-1', '[]', '{}', 'UNKNOWN', '[[1]]', 'true'))
  if (isListType(type)) {
    const length = draw(fc.integer, { min: 0, max: 3 })
    const items = Array.from({ length }, () => literalOf(draw, type.ofType, name, known))
    return `[${items.join(', ')}]`
  }
  if (isEnumType(type)) return draw(() => fc.constantFrom(...type.getValues().map((value) => value.name)))
  if (isInputObjectType(type)) {
    const members = Object.values(type.getFields()).map(
      (member) => `${member.name}: ${literalOf(draw, member.type, member.name, known)}`,
    )
    return `{${members.join(', ')}}`
  }
  if (type.name === 'Int') return String(draw(fc.integer, { min: -1, max: 120 }))
  if (type.name === 'Float') return String(draw(fc.integer, { min: -3, max: 3 }))
  if (type.name === 'Boolean') return String(draw(fc.boolean))
  const values = known.get(name) ?? []
  return JSON.stringify(
    values.length === 0 ? draw(() => hostileText) : draw(() => fc.constantFrom(...values)),
  )
}

function selectionText(draw: Draw, type: GraphQLOutputType, known: KnownValues, depth: number): string {
  const named = getNamedType(type)
  if (!isCompositeType(named)) return ''
  const all = isObjectType(named) ? Object.values(named.getFields()) : []
  const reachable = depth > 0 ? all : all.filter((field) => !isCompositeType(getNamedType(field.type)))
  if (reachable.length === 0) return ' { __typename }'
  const count = draw(fc.integer, { min: 1, max: MAX_FIELDS })
  const fields = Array.from({ length: count }, (_, at) => {
    const field = draw(() => fc.constantFrom(...reachable))
    return `s${at}: ${fieldText(draw, field, known, depth - 1)}`
  })
  return ` { ${fields.join(' ')} }`
}
