import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createRestRoutes } from '../../../../src/gateway/rest/routes/rest-routes.js'
import { schema } from '../rest-schema.js'

/** More than the listeners that Node.js allows on one target without a warning. */
const CALLS = 20

it('runs one route many times at once without adding listeners to its request', async () => {
  const { endpoints, sofa } = createRestRoutes(schema)
  const thing = endpoints.find(({ field }) => field.name === 'thing')
  if (thing === undefined) throw new Error('the schema has the field thing')
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  const answers = Array.from({ length: CALLS }, (_, call) =>
    sofa(thing, async () => {
      await setImmediate() // every call has begun by then, and a warning was emitted
      return { data: { thing: { mic: `X${call}` } } }
    }),
  )
  const texts = (await Promise.all(answers)).map(({ text }) => text)
  process.off('warning', note)
  expect(texts).toEqual(Array.from({ length: CALLS }, (_, call) => JSON.stringify({ mic: `X${call}` })))
  expect(warnings).toEqual([])
})
