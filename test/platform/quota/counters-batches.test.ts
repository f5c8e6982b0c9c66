import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Counters } from '../../../src/platform/quota/counters.js'
import {
  type CounterFlavour,
  charge,
  flavourNames,
  newKey,
  openFlavour,
  sharedFlavourNames,
} from '../../support/counters/counter-flavours.js'
import { SequentialModel } from '../../support/counters/counter-model.js'

const NOW = () => new Date()

describe.each(flavourNames())('concurrent consumptions in %s', (name) => {
  let flavour: CounterFlavour
  let counters: Counters

  beforeAll(async () => {
    flavour = await openFlavour(name)
    counters = flavour.open()
  })

  afterAll(async () => {
    await counters.close()
    await flavour.close()
  })

  it('each get a separate count, rising in order of arrival', async () => {
    const key = newKey()
    const taken = await Promise.all(
      Array.from({ length: 60 }, () => counters.consume([charge(key, 1_000, 3)], NOW())),
    )
    expect(taken.map(({ used }) => used[0])).toEqual(
      Array.from({ length: 60 }, (_, index) => 3 * (index + 1)),
    )
  })

  it('near the quota admit exactly what fits, in order of arrival', async () => {
    const key = newKey()
    await counters.consume([charge(key, 10, 6)], NOW())
    // In PostgreSQL and Redis a node that has not seen the counter yet, so that it learns of it by a refusal.
    const node = name === 'memory' ? counters : flavour.open()
    expect(
      await Promise.all([3, 1, 5, 1].map((units) => node.consume([charge(key, 10, units)], NOW()))),
    ).toEqual([
      { accepted: true, used: [9] },
      { accepted: true, used: [10] },
      { accepted: false, used: [10] },
      { accepted: false, used: [10] },
    ])
    expect(await counters.peek([charge(key, 10)], NOW())).toEqual([10])
    if (node !== counters) await node.close()
  })

  it('of different callers do not affect each other', async () => {
    const [poor, rich] = [newKey(), newKey()]
    await counters.consume([charge(poor, 3, 2)], NOW())
    const calls = [charge(poor, 3, 2), charge(rich, 100, 7), charge(poor, 3, 2), charge(rich, 100, 8)]
    expect(await Promise.all(calls.map((one) => counters.consume([one], NOW())))).toEqual([
      { accepted: false, used: [2] },
      { accepted: true, used: [7] },
      { accepted: false, used: [2] },
      { accepted: true, used: [15] },
    ])
  })

  it('with common keys consume from all of them or from none', async () => {
    const [hour, month, day] = [newKey(), newKey(), newKey()]
    const metered = [charge(hour, 14), charge(month, 50)]
    const discover = [...metered, charge(day, 3)]
    const calls = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? discover : metered))
    const taken = await Promise.all(calls.map((charges) => counters.consume(charges, NOW())))
    const model = new SequentialModel()
    expect(taken.map(({ accepted }) => accepted)).toEqual(calls.map((one) => model.take(one).accepted))
    expect(await counters.peek(discover, NOW())).toEqual([13, 13, 3])
  })

  it('answer as if each came alone, in order of arrival, peeks too', async () => {
    const lists = [['h', 'm'], ['h', 'm', 'd'], ['h'], ['H', 'M'], ['M', 'H']] as const
    const quotas: Readonly<Record<string, number>> = { h: 12, m: 20, d: 3, H: 9, M: 15 }
    const call = fc.record({
      keys: fc.constantFrom(...lists),
      units: fc.option(fc.integer({ min: 0, max: 6 }), { freq: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 40 }), async (calls) => {
        const world = newKey()
        const model = new SequentialModel()
        // In memory a counter is read at its first touch, and who has to wait for that is overtaken.
        if (name === 'memory') {
          const keys = Object.keys(quotas).map((key) => charge(`${world}:${key}`, 0))
          await counters.peek(keys, NOW())
        }
        const all = calls.map(({ keys, units }) => ({
          isPeek: units === null,
          charges: keys.map((key) => charge(`${world}:${key}`, quotas[key] ?? 0, units ?? 0)),
        }))
        const answers = await Promise.all(
          all.map(({ isPeek, charges }) =>
            isPeek ? counters.peek(charges, NOW()) : counters.consume(charges, NOW()),
          ),
        )
        const expected = all.map(({ isPeek, charges }) =>
          isPeek ? charges.map(({ key }) => model.usedOf(key)) : model.take(charges),
        )
        expect(answers).toEqual(expected)
      }),
      { numRuns: 25 },
    )
  })
})

describe.each(sharedFlavourNames())('two nodes on the same %s', (name) => {
  let flavour: CounterFlavour
  let nodes: readonly [Counters, Counters]

  beforeAll(async () => {
    flavour = await openFlavour(name)
    nodes = [flavour.open(), flavour.open()]
  })

  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await flavour.close()
  })

  it('exceed no quota together and refuse nothing that still fits', async () => {
    const call = fc.record({
      node: fc.nat({ max: 1 }),
      isDear: fc.boolean(),
      units: fc.integer({ min: 1, max: 7 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 10, maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        async (calls, quota) => {
          const [hour, day] = [newKey(), newKey()]
          const of = (units: number, isDear: boolean) =>
            isDear ? [charge(hour, quota, units), charge(day, 9)] : [charge(hour, quota, units)]
          const taken = await Promise.all(
            calls.map(({ node, units, isDear }) =>
              nodes[node === 0 ? 0 : 1].consume(of(units, isDear), NOW()),
            ),
          )
          const accepted = calls.filter((_, index) => taken[index]?.accepted)
          const refused = calls.filter((_, index) => !taken[index]?.accepted)
          const units = accepted.reduce((sum, one) => sum + one.units, 0)
          const dear = accepted.filter(({ isDear }) => isDear).length
          expect(await nodes[0].peek(of(0, true), NOW())).toEqual([units, dear])
          expect(units).toBeLessThanOrEqual(quota)
          expect(dear).toBeLessThanOrEqual(9)
          expect(
            refused.filter((one) => units + one.units <= quota && (!one.isDear || dear + 1 <= 9)),
          ).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })

  it('never deadlock, whatever the order of their callers', async () => {
    const keys = Array.from({ length: 40 }, newKey)
    const rounds = Array.from({ length: 15 }, (_, round) => round)
    const run = async (node: Counters, order: readonly string[]) => {
      for (const _ of rounds)
        await Promise.all(order.map((key) => node.consume([charge(key, 1_000_000)], NOW())))
    }
    await Promise.all([run(nodes[0], keys), run(nodes[1], [...keys].reverse())])
    const used = await nodes[0].peek(
      keys.map((key) => charge(key, 0)),
      NOW(),
    )
    expect(used).toEqual(keys.map(() => 2 * rounds.length))
  })
})
