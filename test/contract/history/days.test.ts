import { type GraphQLArgument, getNamedType } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { restSchema } from '../../../src/schema.js'
import { type GraphQLAnswer, startTestApp, type TestApp } from '../../support/app/app.js'
import {
  callGraphql,
  callRest,
  exampleArguments,
  type RootField,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'enterprise' })
})
afterAll(() => app?.close())

const isDay = ({ type }: GraphQLArgument) => getNamedType(type).name === 'Date'

/** What is wrong in each of both APIs, as `field: message`. */
async function problemsOf(root: RootField, name: string, value: string): Promise<readonly unknown[]> {
  const args = { ...exampleArguments(root, {}), [name]: value }
  const { rest } = root.endpoint
  const inRest = restSchema
    .getQueryType()
    ?.getFields()
    [root.name]?.args.some((each) => each.name === name)
  const asked = rest === null || !inRest ? null : (await callRest(app, root, rest, args, { key })).body
  const answer: GraphQLAnswer<unknown> = (await callGraphql(app, root, args, { key })).body
  const found = [asked as { details?: unknown } | null, answer.errors?.[0]?.extensions]
  return found.filter((each) => each !== null).map((each) => each?.details)
}

const days = rootFields().flatMap((root) =>
  root.field.args.filter(isDay).map(({ name }) => ({ place: `${root.name}.${name}`, root, name })),
)

it.each(days)('$place says why a text is not a valid day', async ({ root, name }) => {
  const problems: readonly (readonly [value: string, message: string])[] = [
    ['2026-02-30', 'must be a calendar day, YYYY-MM-DD; got "2026-02-30"'],
    ['9999-12-31', 'must be in the years 1900 to 2200; got "9999-12-31"'],
    ['2026-01-01T00:00:00Z', 'must be a day without a time, such as 2026-01-01; got "2026-01-01T00:00:00Z"'],
  ]
  for (const [value, message] of problems) {
    const found = await problemsOf(root, name, value)
    expect(found.length).toBeGreaterThan(0)
    for (const details of found) expect([value, details]).toEqual([value, [{ field: name, message }]])
  }
})
