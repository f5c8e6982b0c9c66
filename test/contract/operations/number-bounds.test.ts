import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hintsOf } from '../../../src/schema-kit/endpoint.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import {
  callGraphql,
  callRest,
  exampleArguments,
  graphqlOutcome,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Parameter {
  readonly name?: string
  readonly schema?: { readonly minimum?: number; readonly maximum?: number }
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters: readonly Parameter[] } }>>
}

/** Arguments of routes that say which page is read and how long it is. */
const PAGING = rootFields().flatMap((root) => {
  const { rest } = root.endpoint
  if (rest === null || rest.method !== 'GET') return []
  return root.field.args
    .filter(({ name }) => ['page', 'offset', 'limit'].includes(name))
    .map((argument) => ({ place: `${argument.name} of ${root.name}`, argument, root, rest }))
})

describe('a bound of a page', () => {
  let app: TestApp
  let document: Document
  const keys: string[] = []
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    // One key may ask 600 times a minute.
    for (let made = 0; made < 3; made++) keys.push(await app.newKey({ tier: 'enterprise' }))
    document = (await app.rest<Document>('/openapi-full.json')).body
  })
  afterAll(() => app?.close())

  it('belongs to pages, offsets and limits', () => {
    const places = PAGING.map(({ place }) => place)
    expect(places).toEqual(
      expect.arrayContaining(['page of bis_series', 'offset of assets', 'limit of ohlcv']),
    )
    const bounds = PAGING.filter(({ argument }) => argument.name === 'page').map(({ argument }) =>
      hintsOf(argument),
    )
    expect(new Set(bounds.map(({ minimum, maximum }) => `${minimum} to ${maximum}`)).size).toBe(1)
  })

  it.each(PAGING)('is the same in OpenAPI, REST and GraphQL: $place', async ({ argument, root, rest }) => {
    const { name } = argument
    const parameter = document.paths[rest.path]?.get?.parameters.find((one) => one.name === name)
    const { minimum = Number.NaN, maximum = Number.NaN } = parameter?.schema ?? {}
    expect(hintsOf(argument)).toMatchObject({ minimum, maximum })
    const key =
      keys[PAGING.findIndex((one) => one.root === root && one.argument === argument) % keys.length] ?? null
    const ask = async (value: number) => {
      const args = exampleArguments(root, { [name]: value })
      const answer = await callRest(app, root, rest, args, { key })
      const { status } = graphqlOutcome(await callGraphql(app, root, args, { key }))
      return { rest: answer, graphql: status }
    }
    for (const value of [minimum, maximum]) {
      const { rest: answer, graphql } = await ask(value)
      expect([200, 404], answer.text).toContain(answer.status)
      expect(graphql).toBe(answer.status)
    }
    for (const value of [minimum - 1, maximum + 1]) {
      const { rest: answer, graphql } = await ask(value)
      expect([answer.status, graphql]).toEqual([422, 422])
      expect(answer.body).toMatchObject({
        details: [{ field: name, message: `must be between ${minimum} and ${maximum}; got ${value}` }],
      })
    }
  })
})
