import { describe, expect, it } from 'vitest'
import { computeEventKey, EVENT_TYPES } from '../../../src/domains/events/model.js'

describe('the kinds of events', () => {
  it('are 18, seven of which seldom move the price', () => {
    expect(new Set(EVENT_TYPES.map(({ id }) => id)).size).toBe(18)
    expect(EVENT_TYPES.flatMap(({ id, affectsPrice }) => (affectsPrice ? [] : id)).sort()).toEqual([
      'github_release',
      'governance_vote',
      'network_upgrade',
      'partnership',
      'soft_fork',
      'staking_event',
      'testnet_launch',
    ])
  })
})

describe('the key of an event', () => {
  const facts = { eventType: 'halving', date: '2024-04-20', title: 'Fourth halving' } as const
  const keyOf = (more: object) => computeEventKey({ eventId: null, facts: { ...facts, ...more } as never }) // days are branded texts

  it('consists of type, day and title, whose case and blanks do not matter', () => {
    expect(keyOf({})).toMatch(/^[0-9a-f]{64}$/)
    expect(keyOf({ title: ' fourth  HALVING' })).toBe(keyOf({}))
    expect(keyOf({ title: 'Fifth halving' })).not.toBe(keyOf({}))
    expect(keyOf({ date: '2024-04-19' })).not.toBe(keyOf({}))
    expect(keyOf({ eventType: 'hard_fork' })).not.toBe(keyOf({}))
  })

  it('is the id if there is one, which no other event has', () => {
    expect(computeEventKey({ eventId: 'a' })).toBe(computeEventKey({ eventId: 'a' }))
    expect(computeEventKey({ eventId: 'a' })).not.toBe(computeEventKey({ eventId: 'A' }))
  })
})
