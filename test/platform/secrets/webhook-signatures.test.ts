import { describe, expect, it } from 'vitest'
import { createWebhookSignatures } from '../../../src/platform/secrets/webhook-signatures.js'
import { isSignedBy } from '../../support/peers/webhook-receiver.js'

const signatures = createWebhookSignatures('a pepper for tests, 32 characters or more')
const message = { id: 'change_1', at: new Date(), body: '{"a":"ä"}' }

it('signs what a receiver of Standard Webhooks verifies, by each secret, and nothing else', () => {
  const [seed, other] = [signatures.newSeed(), signatures.newSeed()]
  const headers = signatures.headersOf(message, [seed, other])
  expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/)
  for (const one of [seed, other])
    expect(isSignedBy({ headers, body: message.body }, signatures.secretOf(one))).toBe(true)
  expect(isSignedBy({ headers, body: '{"a":"a"}' }, signatures.secretOf(seed))).toBe(false)
  expect(
    isSignedBy({ headers: { ...headers, 'webhook-id': 'x' }, body: message.body }, signatures.secretOf(seed)),
  ).toBe(false)
  expect(isSignedBy({ headers, body: message.body }, signatures.secretOf(signatures.newSeed()))).toBe(false)
})

it('derives the same secret from a seed, and another one with another pepper', () => {
  const seed = Buffer.alloc(32, 7)
  const secret = signatures.secretOf(seed)
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(signatures.secretOf(seed)).toBe(secret)
  expect(createWebhookSignatures('another pepper for tests, 32 characters').secretOf(seed)).not.toBe(secret)
  expect(secret).not.toContain(seed.toString('base64'))
})

describe('while the pepper is rotated', () => {
  const [OLD, NEW] = ['the pepper before, 32 characters or more', 'the pepper after, 32 characters or more']
  const before = createWebhookSignatures(OLD)
  const announced = createWebhookSignatures(OLD, { next: NEW, previous: null })
  const switched = createWebhookSignatures(NEW, { next: null, previous: OLD })
  const after = createWebhookSignatures(NEW)
  const resealed = (seed: Uint8Array) =>
    switched.reseal(seed) ?? expect.fail('the seed needs the new pepper only')

  it.each([
    ['of an earlier version', Buffer.alloc(32, 7)],
    ['of this version', before.newSeed()],
  ])('keeps the secret of a seed %s on every node, and after the rotation', (_, seed) => {
    const secret = before.secretOf(seed)
    expect([announced.secretOf(seed), switched.secretOf(seed)]).toEqual([secret, secret])
    expect(after.secretOf(seed)).not.toBe(secret)
    const stored = resealed(seed)
    expect([announced, switched, after].map((node) => node.secretOf(stored))).toEqual([
      secret,
      secret,
      secret,
    ])
    expect(before.secretOf(stored)).not.toBe(secret)
    expect([switched.reseal(stored), after.reseal(stored)]).toEqual([null, null])
    expect(stored.includes(Buffer.from(secret.slice('whsec_'.length), 'base64'))).toBe(false)
  })

  it('nodes with the old and the new pepper read the new secrets of each other', () => {
    const [byOld, byNew] = [announced.newSeed(), switched.newSeed()]
    expect(switched.secretOf(byOld)).toBe(announced.secretOf(byOld))
    expect(announced.secretOf(byNew)).toBe(switched.secretOf(byNew))
    expect(after.secretOf(byNew)).toBe(switched.secretOf(byNew))
    expect(switched.reseal(byNew)).toBeNull()
  })

  it('moves a secret from pepper to pepper again', () => {
    const seed = before.newSeed()
    const third = createWebhookSignatures('a third pepper, of 32 characters or more', {
      next: null,
      previous: NEW,
    })
    const stored = third.reseal(resealed(seed)) ?? expect.fail('the seed needs the second pepper')
    expect(third.secretOf(stored)).toBe(before.secretOf(seed))
  })

  it('derives another secret, and does not throw, where a stored one was changed or its pepper is missing', () => {
    const seed = before.newSeed()
    const stored = resealed(seed)
    for (let at = 0; at < stored.length; at += 1) {
      const changed = Buffer.from(stored)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(after.secretOf(changed)).not.toBe(before.secretOf(seed))
    }
    const secret = createWebhookSignatures('unrelated pepper, 32 characters or more').secretOf(stored)
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  })
})
