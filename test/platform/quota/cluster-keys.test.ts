import calculateSlot from 'cluster-key-slot'
import { describe, expect, it } from 'vitest'
import {
  clusterKey,
  counterOfClusterKey,
  toSlotCharges,
} from '../../../src/platform/quota/redis/cluster-keys.js'
import { charge } from '../../support/counters/counter-flavours.js'

const ACCOUNT = '5f0c6a6e-6d59-4d63-8e0b-0a8a8f6f3c11'

describe('the keys of a cluster', () => {
  it('have the account as their hash tag, and lead back to the counter', () => {
    const hour = charge(`${ACCOUNT}:hour:2026-11-27T10`, 14, 1, ACCOUNT)
    expect(clusterKey(hour)).toBe(`{${ACCOUNT}}:${ACCOUNT}:hour:2026-11-27T10`)
    expect(counterOfClusterKey(clusterKey(hour))).toBe(hour.key)
  })

  it('of one call are in one slot, also those of a visitor and of all visitors', () => {
    const names = [`${ACCOUNT}:visitor:hour:2026-11-27T10`, `${ACCOUNT}:demo_hour:2026-11-27T10`]
    const { slot, charges } = toSlotCharges(names.map((name) => charge(name, 60, 1, ACCOUNT)))
    expect(charges.map(({ key }) => calculateSlot(`mdg:counter:${key}`))).toEqual([slot, slot])
  })

  it('are computed once for a list of charges', () => {
    const list = [charge('a', 1, 1, 'owner')]
    expect(toSlotCharges(list)).toBe(toSlotCharges(list))
  })
})
