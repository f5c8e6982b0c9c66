import { describe, expect, it } from 'vitest'
import { ANSWER_EXAMPLES } from '../../src/gateway/rest/openapi/answer-examples.js'
import { EMPTY_META } from '../../src/schema-kit/api-meta.js'

/** Members that synthetic data never sets, and why. */
const NEVER_IN_SEED: Readonly<Record<string, string>> = {
  benchmark_notice: 'no provider requires a notice',
  upstream: 'synthetic data has no upstream service',
}

/** The `meta` of real responses over the synthetic world, which test/contract/documents/openapi-examples.test.ts keeps current. */
const metas = Object.values(ANSWER_EXAMPLES).flatMap(({ answer }) => {
  const { meta } = answer as { readonly meta?: Readonly<Record<string, unknown>> }
  return meta !== undefined && 'benchmark_notice' in meta ? [meta] : []
})

describe('meta of a response', () => {
  it('sets each of its members in at least one endpoint', () => {
    const unset = Object.keys(EMPTY_META).filter((name) => metas.every((meta) => meta[name] === null))
    expect(unset).toEqual(Object.keys(NEVER_IN_SEED))
    expect(metas.every((meta) => Object.keys(meta).join() === Object.keys(EMPTY_META).join())).toBe(true)
  })
})
