import { isIntrospectionType, isSpecifiedScalarType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { graphSchema, restSchema } from '../../../src/schema.js'

describe.each([
  ['GraphQL', graphSchema],
  ['REST', restSchema],
])('the schema of %s', (_, schema) => {
  it('has types that Pothos made, beside those of the language', () => {
    const types = Object.values(schema.getTypeMap()).filter(
      (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
    )
    expect(types.length).toBeGreaterThan(100)
    expect(types.filter(({ extensions }) => !('pothosOptions' in extensions)).map(String)).toEqual([])
  })
})
