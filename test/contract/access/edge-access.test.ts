import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quotasOf } from '../../../src/policy/limits.js'
import { isScope, type Scope, scopesOfTier } from '../../../src/policy/scopes.js'
import { TIERS, type Tier } from '../../../src/policy/tiers.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import {
  callGraphql,
  type Edge,
  edges,
  exampleArguments,
  graphqlOutcome,
} from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
})
afterAll(() => app?.close())

/** More than a question about an edge costs. */
const UNITS = 5

/** The newest key of each kind of caller, and how many units its hour has left. */
const keys = new Map<string, { readonly key: string; left: number }>()

async function keyOf(tier: Tier, isNarrowed: boolean): Promise<{ readonly key: string; left: number }> {
  const kind = `${tier} ${isNarrowed}`
  const known = keys.get(kind)
  if (known !== undefined && known.left >= UNITS) return known
  const key = await app.newKey({ tier, ...(isNarrowed && { scopes: [] }) })
  const made = { key, left: quotasOf(tier, null).hour }
  keys.set(kind, made)
  return made
}

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
      const caller = await keyOf(tier, isNarrowed)
      const missing = missingScope(edge, isNarrowed ? new Set() : scopesOfTier(tier))
      const ask = { key: caller.key }
      const answer = await callGraphql(app, edge.root, exampleArguments(edge.root, {}), ask, edge.wanted)
      caller.left = Number(answer.headers.get('x-ratelimit-remaining'))
      const outcome = graphqlOutcome(answer)
      expect(outcome).toEqual(
        missing === null
          ? { status: 200, error: null, requiredScope: null, hasUpgrade: false }
          : { status: 403, error: 'forbidden', requiredScope: missing, hasUpgrade: true },
      )
    },
  )
})
