import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SCOPE_NAMES } from '../../src/policy/scopes.js'
import { SERVED_SCOPES } from '../../src/served-scopes.js'
import { edges, rootFields } from '../support/app/endpoint-calls.js'

const SRC = resolve(import.meta.dirname, '../../src')

/** Code that decides by scope; the policy itself names all of them. */
const DECIDING = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /^(domains|http|rest|graphql)\/.*\.ts$/.test(name),
)

describe('the scopes that are offered', () => {
  it('are those that an endpoint or an edge needs, in the order of the table', () => {
    const rules = [
      ...rootFields().flatMap(({ endpoint }) => [endpoint.access, ...(endpoint.partScopes ?? [])]),
      ...edges().map(({ access }) => access),
    ]
    const needed = new Set<string>(rules)
    expect([...SERVED_SCOPES]).toEqual(SCOPE_NAMES.filter((scope) => needed.has(scope)))
  })

  it('have among them each one that the code asks for', () => {
    const asked = DECIDING.flatMap((name) =>
      SCOPE_NAMES.filter((scope) => readFileSync(resolve(SRC, name), 'utf8').includes(`'${scope}'`)),
    )
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter((scope) => !SERVED_SCOPES.has(scope))).toEqual([])
  })
})
