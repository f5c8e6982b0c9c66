import { GraphQLInt, GraphQLList, GraphQLObjectType, GraphQLString, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { graphSchema, restSchema } from '../../src/schema.js'
import { boundsText, describeBounds } from '../../src/schema-kit/bounds-text.js'
import { type ArgumentHints, hintsOf } from '../../src/schema-kit/endpoint.js'

const fieldWith = (type: 'Int' | 'String' | 'list', description: string, hints: ArgumentHints) => {
  const types = { Int: GraphQLInt, String: GraphQLString, list: new GraphQLList(GraphQLString) }
  const args = { given: { type: types[type], description, extensions: { hints } } }
  const fields = new GraphQLObjectType({
    name: 'Query',
    fields: { field: { type: GraphQLInt, args } },
  }).getFields()
  return fields.field ?? expect.unreachable()
}

describe('describeBounds', () => {
  it.each<[type: 'Int' | 'String' | 'list', description: string, hints: ArgumentHints, text: string]>([
    ['Int', 'Rows.', { minimum: 1, maximum: 100 }, 'Rows. From 1 to 100.'],
    ['Int', 'Rows.', { minimum: 0 }, 'Rows. At least 0.'],
    ['Int', 'Rows.', { maximum: 9 }, 'Rows. At most 9.'],
    ['String', 'A UUID.', { maxLength: 36 }, 'A UUID. At most 36 characters.'],
    [
      'String',
      'A day.',
      { maxLength: 10, defaultText: 'now' },
      'A day. At most 10 characters. Default: now.',
    ],
    [
      'list',
      'Slugs.',
      { maximum: 50, maxLength: 64 },
      'Slugs. At most 50 values. Each at most 64 characters.',
    ],
    ['list', 'LEIs.', { minimum: 1, maximum: 50 }, 'LEIs. From 1 to 50 values.'],
    ['String', '12 to 128 characters.', { maxLength: 128 }, '12 to 128 characters.'],
    ['String', 'A text.', { example: 'text' }, 'A text.'],
  ])(
    'describes an argument of type %s, description "%s" and hints %j as "%s"',
    (type, description, hints, text) => {
      const field = fieldWith(type, description, hints)
      describeBounds(field)
      expect(field.args[0]?.description).toBe(text)
    },
  )
})

const argumentsOf = (schema: typeof graphSchema) =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
    .flatMap(({ type, field }) =>
      field.args.map((argument) => ({ place: `${type}.${field.name}.${argument.name}`, argument })),
    )

describe('the schema', () => {
  it('names the bounds and the computed default of every argument once', () => {
    const wrong = argumentsOf(graphSchema).filter(({ argument }) => {
      const { minimum, maximum, maxLength, defaultText } = hintsOf(argument)
      const words = (argument.description ?? '').split(/[^\w]+/)
      const bounds = [minimum, maximum, maxLength].filter((bound) => bound !== undefined)
      const isBounded = bounds.every((bound) => words.includes(String(bound)))
      const defaults = argument.description?.split('Default: ').length ?? 0
      const hasDefault =
        defaultText === undefined
          ? defaults <= 1
          : argument.description?.endsWith(` Default: ${defaultText}.`)
      return !isBounded || !hasDefault || defaults > 2
    })
    expect(wrong.map(({ place }) => place)).toEqual([])
  })

  it('has no text of a computed default on an argument with a literal default', () => {
    const both = argumentsOf(graphSchema).filter(
      ({ argument }) => argument.defaultValue !== undefined && hintsOf(argument).defaultText !== undefined,
    )
    expect(both.map(({ place }) => place)).toEqual([])
  })

  it('does not add bounds to the descriptions of REST, because OpenAPI has keywords for them', () => {
    const limit = restSchema
      .getQueryType()
      ?.getFields()
      .assets?.args.find(({ name }) => name === 'limit')
    expect(limit?.description).toBe('Rows per page.')
    expect(limit && boundsText(limit)).toBe('From 1 to 100.')
  })
})
