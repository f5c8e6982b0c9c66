import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isScope, type Scope, scopesOfTier } from '../../src/policy/scopes.js'
import { TIERS } from '../../src/policy/tiers.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { quickestDatabase } from '../support/database.js'
import { callGraphql, type Edge, edges, exampleArguments, graphqlOutcome } from '../support/endpoint-calls.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
})
afterAll(() => app?.close())

/** The scope that stops a caller on the way to the edge or at it; null: nothing does. */
function missingScope({ root, access }: Edge, holds: ReadonlySet<Scope>): Scope | null {
  for (const rule of [root.endpoint.access, access]) {
    if (isScope(rule) && !holds.has(rule)) return rule
  }
  return null
}

describe.each(edges())('the edge $name', (edge) => {
  it.each([
    ...TIERS.map((tier) => ({ tier, isNarrowed: false })),
    { tier: 'enterprise' as const, isNarrowed: true },
  ])(
    'tier $tier, narrowed $isNarrowed: answers or names the scope it needs',
    async ({ tier, isNarrowed }) => {
      const key = await app.newKey({ tier, ...(isNarrowed && { scopes: [] }) })
      const missing = missingScope(edge, isNarrowed ? new Set() : scopesOfTier(tier))
      const outcome = graphqlOutcome(
        await callGraphql(app, edge.root, exampleArguments(edge.root, {}), { key }, edge.wanted),
      )
      expect(outcome).toEqual(
        missing === null
          ? { status: 200, error: null, requiredScope: null, hasUpgrade: false }
          : { status: 403, error: 'forbidden', requiredScope: missing, hasUpgrade: true },
      )
    },
  )
})
