import fc from 'fast-check'
import { sha256Hex } from '../../src/core/canonical-json.js'
import type { Parameter } from '../fuzz/openapi.js'
import { jsonOf } from '../fuzz/requests.js'
import { textFor } from '../fuzz/values.js'
import { CALLERS, type CallerKind } from './callers.js'
import { type Given, isReachable, type ParityRoute } from './routes.js'

/** One question, to be asked in both styles. */
export interface Case {
  readonly caller: CallerKind
  readonly given: Given
  readonly isGraphqlFirst: boolean
  /** Asked again in both styles: the second answers come from the cache where there is one. */
  readonly isRepeated: boolean
}

/** Values that parameters of a name, or of a name at one route (`forex_convert.from`), are known to take. */
export type Known = Readonly<Record<string, readonly string[]>>

/** Questions to a route: mostly right in most parts. The same for the same seed. */
export function casesOf(route: ParityRoute, known: Known, count: number, seed: number): readonly Case[] {
  const question = fc.record({
    caller: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...CALLERS) },
      // Who may ask most, so that most questions are answered.
      { weight: 3, arbitrary: fc.constantFrom<CallerKind>('pro', 'enterprise', 'admin', 'token') },
    ),
    given: givenOf(route, known),
    isGraphqlFirst: fc.boolean(),
    isRepeated: route.isChange ? fc.constant(false) : fc.integer({ min: 0, max: 3 }).map((at) => at === 0),
  })
  // Other questions to each route.
  return fc.sample(question, {
    numRuns: count,
    seed: seed ^ Number.parseInt(sha256Hex(route.name).slice(0, 7), 16),
  })
}

function givenOf(route: ParityRoute, known: Known): fc.Arbitrary<Given> {
  const { parameters, operation } = route.endpoint
  const inAddress = parameters.filter((parameter) => parameter.in !== 'header')
  const required = inAddress.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const ofAddress = fc.record(
    Object.fromEntries(inAddress.map((parameter) => [parameter.name, textOf(route, parameter, known)])),
    { requiredKeys: required },
  )
  const schema = operation.requestBody?.content['application/json']?.schema
  const ofBody = schema === undefined ? fc.constant({}) : jsonOf(withKnown(schema, known))
  // A parameter of the query that is required is left out now and then.
  const needed = inAddress.filter((parameter) => parameter.in === 'query' && parameter.required === true)
  const complete = fc.record(
    Object.fromEntries(needed.map((parameter) => [parameter.name, textOf(route, parameter, known)])),
  )
  return fc
    .record({ ofAddress, ofBody, complete, isComplete: fc.integer({ min: 0, max: 9 }) })
    .map(({ ofAddress, ofBody, complete, isComplete }): Given => {
      return { ...(isComplete > 0 ? complete : {}), ...ofAddress, ...(ofBody as Given) }
    })
    .filter((given) => isReachable(route, given))
}

function textOf(
  route: ParityRoute,
  { name, schema, example }: Parameter,
  known: Known,
): fc.Arbitrary<string> {
  const examples = known[`${route.name}.${name}`] ?? known[name] ?? []
  return textFor(examples.length === 0 ? schema : { ...schema, examples }, example)
    .map((text) => Buffer.from(text).toString()) // lone surrogates have no encoding
    .filter((text) => text !== '') // no value in an address, a text of its own in GraphQL
}

function withKnown(schema: Parameter['schema'], known: Known): Parameter['schema'] {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const examples = known[name]
    return [name, examples === undefined ? member : { ...member, examples: [...examples] }] as const
  })
  return { ...schema, properties: Object.fromEntries(members) }
}
