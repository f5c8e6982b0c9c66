import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConsumeQueue } from '../../../src/platform/quota/consume-queue.js'
import type { Charge, ConsumeResult } from '../../../src/platform/quota/counters.js'
import { charge } from '../../support/counters/counter-flavours.js'
import { SequentialModel } from '../../support/counters/counter-model.js'
import { openStore, queueOn } from '../../support/counters/counter-store.js'

/** Two accounts: metered calls and discover, a call on one counter alone, and the same keys in another order. */
const KEY_LISTS = [['h', 'm'], ['h', 'm', 'd'], ['h'], ['H', 'M'], ['M', 'H']] as const

const QUOTAS: ReadonlyMap<string, number> = new Map([
  ['h', 12],
  ['m', 20],
  ['d', 3],
  ['H', 9],
  ['M', 15],
])

interface AnyCall {
  readonly keys: readonly string[]
  /** Null: a peek. */
  readonly units: number | null
  /** Turns of the event loop to let pass before it. */
  readonly pause: number
}

const anyCalls: fc.Arbitrary<AnyCall[]> = fc.array(
  fc.record({
    keys: fc.constantFrom(...KEY_LISTS),
    units: fc.option(fc.integer({ min: 0, max: 6 }), { freq: 5 }),
    pause: fc.nat({ max: 6 }),
  }),
  { minLength: 1, maxLength: 40 },
)

function chargesOf({ keys, units }: AnyCall): readonly Charge[] {
  return keys.map((key) => charge(key, QUOTAS.get(key) ?? 0, units ?? 0))
}

/** The answers of calls made with their pauses, in order of arrival; `onAnswer` hears of each when its caller does. */
async function askAll(
  queue: ConsumeQueue,
  calls: readonly AnyCall[],
  onAnswer: (call: AnyCall, answer: ConsumeResult) => void = () => {},
): Promise<readonly ConsumeResult[]> {
  const ask = async (call: AnyCall): Promise<ConsumeResult> => {
    const answer =
      call.units === null
        ? { accepted: true, used: await queue.peek(chargesOf(call)) }
        : await queue.take(chargesOf(call))
    onAnswer(call, answer)
    return answer
  }
  const asked: Promise<ConsumeResult>[] = []
  for (const call of calls) {
    for (let turn = 0; turn < call.pause; turn += 1) await new Promise(setImmediate)
    asked.push(ask(call))
  }
  return Promise.all(asked)
}

describe('the queue of consumptions, over any calls', () => {
  it('answers as if each call came alone, in order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(anyCalls, async (calls) => {
        const model = new SequentialModel()
        const expected = calls.map((call) =>
          call.units === null
            ? { accepted: true, used: call.keys.map((key) => model.usedOf(key)) }
            : model.take(chargesOf(call)),
        )
        expect(await askAll(queueOn(openStore()), calls)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  /** What another node tries to take at each round trip, mostly of the counter that most calls share. */
  const others = fc.array(
    fc.record({
      key: fc.constantFrom('h', 'h', 'h', ...QUOTAS.keys()),
      units: fc.integer({ min: 1, max: 2 }),
    }),
    { minLength: 5, maxLength: 20 },
  )

  it('exceeds no quota and refuses nothing that fits, whatever other nodes consume', async () => {
    await fc.assert(
      fc.asyncProperty(anyCalls, others, async (calls, interference) => {
        const left = [...interference]
        const taken = new SequentialModel()
        const store = openStore((counts) => {
          const other = left.shift()
          if (other === undefined) return
          const { key, units } = other
          const { accepted } = taken.take([charge(key, (QUOTAS.get(key) ?? 0) - ownOf(key), units)])
          if (accepted) counts.set(key, (counts.get(key) ?? 0) + units)
        })
        const ownOf = (key: string) => (store.counts.get(key) ?? 0) - taken.usedOf(key)
        const answers = await askAll(queueOn(store), calls)
        const accepted = calls.filter((_, index) => answers[index]?.accepted)
        for (const [key, quota] of QUOTAS) {
          const own = accepted.filter(({ keys }) => keys.includes(key))
          expect(ownOf(key)).toBe(own.reduce((sum, { units }) => sum + (units ?? 0), 0))
          expect(store.counts.get(key) ?? 0).toBeLessThanOrEqual(quota)
        }
        const fits = (call: AnyCall) =>
          chargesOf(call).every(({ key, units, quota }) => (store.counts.get(key) ?? 0) + units <= quota)
        // Counts only rise: what fits in the end fitted all the time.
        expect(calls.filter((call, index) => !answers[index]?.accepted && fits(call))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('never reports a lower count than before, whatever other nodes consume', async () => {
    await fc.assert(
      fc.asyncProperty(anyCalls, others, async (calls, interference) => {
        const left = [...interference]
        const store = openStore((counts) => {
          const other = left.shift()
          if (other !== undefined) counts.set(other.key, (counts.get(other.key) ?? 0) + other.units)
        })
        const reported = new Map<string, number>()
        const falls: unknown[] = []
        await askAll(queueOn(store), calls, (call, { used }) => {
          call.keys.forEach((key, index) => {
            const count = used[index] ?? -1
            if (count < (reported.get(key) ?? 0)) falls.push({ call, used })
            reported.set(key, count)
          })
        })
        expect(falls).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('exceeds no quota and loses no unit with refunds here and elsewhere', async () => {
    const failing = fc.array(
      fc.record({
        keys: fc.constantFrom(...KEY_LISTS),
        units: fc.integer({ min: 1, max: 6 }),
        isFailing: fc.boolean(),
      }),
      { minLength: 5, maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(failing, others, async (calls, interference) => {
        // Another node takes one unit more at each round trip while the quota allows it, and gives it back at the next.
        const left = [...interference]
        let taken: string | null = null
        const store = openStore((counts, refunds) => {
          if (taken !== null) refunds.set(taken, (refunds.get(taken) ?? 0) + 1)
          taken = left.shift()?.key ?? null
          if (taken === null || usedIn(taken) >= (QUOTAS.get(taken) ?? 0)) taken = null
          else counts.set(taken, (counts.get(taken) ?? 0) + 1)
        })
        const usedIn = (key: string) => (store.counts.get(key) ?? 0) - (store.refunds.get(key) ?? 0)
        const queue = queueOn(store)
        const used = new Map<string, number>()
        const call = async (one: (typeof calls)[number]) => {
          const charges = one.keys.map((key) => charge(key, QUOTAS.get(key) ?? 0, one.units))
          const answer = await queue.take(charges)
          answer.used.forEach((figure, index) => {
            expect(figure).toBeLessThanOrEqual(charges[index]?.quota ?? 0)
          })
          if (!answer.accepted) return
          if (one.isFailing) await queue.refund(charges)
          else for (const key of one.keys) used.set(key, (used.get(key) ?? 0) + one.units)
        }
        await Promise.all(calls.map(call))
        for (const key of QUOTAS.keys())
          expect(usedIn(key)).toBe((used.get(key) ?? 0) + (taken === key ? 1 : 0))
      }),
      { numRuns: 300 },
    )
  })
})
