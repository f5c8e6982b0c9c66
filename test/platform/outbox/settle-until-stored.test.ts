import { describe, expect, it } from 'vitest'
import { settleUntilStored } from '../../../src/platform/outbox/settle-until-stored.js'

describe('the outcome of an attempt', () => {
  it('is stored as soon as the database answers again', async () => {
    const reported: unknown[] = []
    let tries = 0
    const store = async () => {
      tries += 1
      if (tries === 1) throw new Error('out of reach')
      return 'stored'
    }
    const log = { warn: (...line: unknown[]) => void reported.push(line) }
    expect(await settleUntilStored({ mayWrite: () => true, log, outcome: 'the answer' }, store)).toBe(
      'stored',
    )
    expect(tries).toBe(2)
    expect(reported).toEqual([
      [{ err: new Error('out of reach') }, 'the answer could not be stored; it is tried again'],
    ])
  })

  it('is left to another process that has taken the work over', async () => {
    const reported: unknown[] = []
    const store = () => Promise.reject(new Error('out of reach'))
    const log = { warn: (...line: unknown[]) => void reported.push(line) }
    await expect(
      settleUntilStored({ mayWrite: () => false, log, outcome: 'the answer' }, store),
    ).rejects.toThrow('out of reach')
    expect(reported).toEqual([])
  })
})
