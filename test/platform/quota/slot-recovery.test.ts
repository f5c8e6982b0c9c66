import { describe, expect, it } from 'vitest'
import { SlotRecovery } from '../../../src/platform/quota/redis/slot-recovery.js'

/** A slot that comes back once `isBack` is true; it counts how often it was tried. */
function newSlot(isBack: boolean) {
  const slot = {
    isBack,
    isUp: false,
    tries: 0,
    recover: async () => {
      slot.tries += 1
      slot.isUp = slot.isBack
    },
  }
  return slot
}

describe('the recovery of lost slots', () => {
  it('tries some of thousands of slots that stay lost, in turn, and each slot until it is back', async () => {
    let reports = 0
    const recovery = new SlotRecovery(() => {
      reports += 1
    })
    const slots = Array.from({ length: 1_000 }, () => newSlot(false))
    for (const slot of slots) recovery.add(slot)
    const tries = () => slots.reduce((sum, slot) => sum + slot.tries, 0)
    await recovery.run()
    const inOneRound = tries()
    expect(inOneRound).toBeLessThan(slots.length)
    for (let round = 1; round * inOneRound < slots.length; round++) await recovery.run()
    expect(slots.every((slot) => slot.tries > 0)).toBe(true)
    for (const slot of slots) slot.isBack = true
    expect(reports).toBe(0)
    await recovery.run()
    expect([recovery.lostCount, reports]).toEqual([0, 1])
    recovery.close()
  })

  it('tries again by itself, and stops when it is closed', async () => {
    const recovery = new SlotRecovery(() => {})
    const [slot, other] = [newSlot(false), newSlot(false)]
    recovery.add(slot)
    await expect.poll(() => slot.tries).toBeGreaterThan(1)
    slot.isBack = true
    await expect.poll(() => recovery.lostCount).toBe(0)
    recovery.add(other)
    recovery.close()
    expect(recovery.lostCount).toBe(0)
  })

  it('tries a slot again that was lost again as soon as it was back', async () => {
    const recovery = new SlotRecovery(() => {})
    const slot = newSlot(true)
    const recover = slot.recover
    slot.recover = async () => {
      await recover()
      if (slot.tries > 1) return
      queueMicrotask(() => {
        slot.isUp = false
        recovery.add(slot)
      })
    }
    recovery.add(slot)
    await recovery.run()
    await expect.poll(() => slot.tries).toBe(2)
    await expect.poll(() => recovery.lostCount).toBe(0)
    recovery.close()
  })

  it('tries slots that were lost during a round', async () => {
    const recovery = new SlotRecovery(() => {})
    const late = newSlot(true)
    const first = newSlot(true)
    const recover = async () => {
      recovery.add(late)
      void recovery.run()
      return first.recover()
    }
    recovery.add({ isUp: true, recover })
    await recovery.run()
    await expect.poll(() => recovery.lostCount).toBe(0)
    expect(late.tries).toBe(1)
    recovery.close()
  })
})
