import { expect, it } from 'vitest'
import { graphSchema, restSchema } from '../../../src/schema.js'

it.each([
  ['GraphQL', graphSchema],
  ['REST', restSchema],
])("an account's tier is the enum Tier wherever %s shows it", (_name, schema) => {
  for (const name of ['Usage', 'UserProfile', 'ApiKeyInfo', 'ApiKeyListItem', 'ApiKeyCreateResponse']) {
    const type = schema.getType(name)
    const fields = type && 'getFields' in type ? type.getFields() : {}
    expect([name, String(fields.tier?.type)]).toEqual([name, 'Tier!'])
  }
})
