import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SCOPE_NAMES } from '../../src/policy/scopes.js'
import { SERVED_SCOPES } from '../../src/served-scopes.js'
import { edges, rootFields } from '../support/app/endpoint-calls.js'

const SRC = resolve(import.meta.dirname, '../../src')

/** Code that checks scopes. The policy itself names all of them. */
const DECIDING = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /^(domains|http|rest|graphql)\/.*\.ts$/.test(name),
)

describe('the served scopes', () => {
  it('are those that an endpoint or an edge needs, in the order of the table', () => {
    const rules = [
      ...rootFields().flatMap(({ endpoint }) => [endpoint.access, ...(endpoint.partScopes ?? [])]),
      ...edges().map(({ access }) => access),
    ]
    const needed = new Set<string>(rules)
    expect([...SERVED_SCOPES]).toEqual(SCOPE_NAMES.filter((scope) => needed.has(scope)))
  })

  it('include every scope that the code checks', () => {
    const checked = DECIDING.flatMap((name) =>
      SCOPE_NAMES.filter((scope) => readFileSync(resolve(SRC, name), 'utf8').includes(`'${scope}'`)),
    )
    expect(checked.length).toBeGreaterThan(10)
    expect(checked.filter((scope) => !SERVED_SCOPES.has(scope))).toEqual([])
  })
})
