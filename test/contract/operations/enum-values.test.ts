import { getNamedType, isEnumType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enumTexts } from '../../../src/schema-kit/text-enum.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { callRest, exampleArguments, rootFields } from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Every argument of a route that is an enum or a list of one, with the texts of its values. */
const ENUM_ARGUMENTS = rootFields().flatMap((root) => {
  const { rest } = root.endpoint
  if (rest === null) return []
  return root.field.args.flatMap(({ name: argument, type }) => {
    const named = getNamedType(type)
    if (!isEnumType(named)) return []
    return { place: `${argument} of ${root.name}`, argument, root, rest, texts: enumTexts(named) }
  })
})

/** Arguments without which another one is refused. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'order of assets': { sort: 'name' },
  'order of stocks': { sort: 'revenue_usd' },
  'period of stocks': { sort: 'revenue_usd' },
}

/** Other ways to write a text, as upper case, lower case and one that mixes them. */
function otherWritings(text: string): readonly string[] {
  const mixed = text.replace(/./g, (letter, at) =>
    at % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase(),
  )
  return [...new Set([text.toUpperCase(), text.toLowerCase(), mixed])].filter((writing) => writing !== text)
}

describe('the value of an enum in REST', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'enterprise' })
  })
  afterAll(() => app?.close())

  it('is accepted in paths, query strings and bodies', () => {
    expect(ENUM_ARGUMENTS.map(({ place }) => place)).toEqual(
      expect.arrayContaining(['timeframe of ohlcv', 'sector of stocks', 'state of update_webhook']),
    )
  })

  it.each(ENUM_ARGUMENTS)(
    'means the same in any case: $place',
    async ({ place, argument, root, rest, texts }) => {
      // A change is tried dry, which reads its arguments and does nothing.
      const headers = root.operation === 'mutation' ? { 'x-dry-run': 'cost' } : {}
      const ask = async (value: string) => {
        const args = exampleArguments(root, { ...NEEDED[place], [argument]: value })
        const { status, text } = await callRest(app, root, rest, args, { key, headers })
        return { status, text: text.replace(/"request_id":"[^"]*"/, '') }
      }
      for (const text of texts) {
        const canonical = await ask(text)
        // A field whose data have no published instant refuses that basis.
        if (place.startsWith('basis of ') && canonical.status === 422)
          expect([text, canonical.text]).toEqual([
            'published',
            expect.stringContaining('basis: must be observed'),
          ])
        else expect([200, 404], canonical.text).toContain(canonical.status)
        for (const writing of otherWritings(text)) expect(await ask(writing)).toEqual(canonical)
      }
    },
  )
})
