import { describe, expect, it } from 'vitest'
import { CoalescedRead } from '../../src/platform/coalesced-read.js'

/** Reads that a test ends by hand, in order. */
function byHand() {
  const ends: ((result: number) => void)[] = []
  const read = new CoalescedRead(() => new Promise<number>((resolve) => ends.push(resolve)))
  return { read, ends }
}

describe('CoalescedRead', () => {
  it('joins the run in progress, and starts one otherwise', async () => {
    const { read, ends } = byHand()
    const both = Promise.all([read.join(), read.join()])
    ends[0]?.(1)
    expect([await both, ends.length]).toEqual([[1, 1], 1])
  })

  it('gives simultaneous requests for the next run one that had not begun', async () => {
    const { read, ends } = byHand()
    const running = read.join()
    const next = Promise.all([read.next(), read.next()])
    ends[0]?.(1)
    expect(await running).toBe(1)
    await new Promise(setImmediate)
    ends[1]?.(2)
    expect([await next, ends.length]).toEqual([[2, 2], 2])
  })

  it('continues after a failed run', async () => {
    let runs = 0
    const read = new CoalescedRead(async () => {
      runs += 1
      if (runs === 1) throw new Error('lost')
      return runs
    })
    const failed = read.join()
    const next = read.next()
    await expect(failed).rejects.toThrow('lost')
    expect(await next).toBe(2)
  })
})
