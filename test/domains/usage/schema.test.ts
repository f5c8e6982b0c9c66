import { expect, it } from 'vitest'
import { graphSchema, restSchema } from '../../../src/schema.js'

it.each([
  ['GraphQL', graphSchema],
  ['REST', restSchema],
])('a tier is the enum Tier wherever %s shows it', (_name, schema) => {
  const accounts = ['Usage', 'UserProfile', 'ApiKeyInfo', 'ApiKeyListItem', 'ApiKeyCreateResponse']
  const shown = [
    ...accounts.map((name) => [name, 'tier'] as const),
    ['AIHistoryMeta', 'tier_required'] as const,
  ]
  for (const [name, field] of shown) {
    const type = schema.getType(name)
    const fields = type && 'getFields' in type ? type.getFields() : {}
    expect([name, String(fields[field]?.type)]).toEqual([name, 'Tier!'])
  }
})
