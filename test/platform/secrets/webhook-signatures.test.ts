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

it('stores a secret encrypted, and never twice alike', () => {
  const seed = signatures.newSeed()
  const secret = signatures.secretOf(seed)
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(signatures.secretOf(seed)).toBe(secret)
  expect(signatures.newSeed()).not.toEqual(seed)
  expect(seed.includes(Buffer.from(secret.slice('whsec_'.length), 'base64'))).toBe(false)
})

describe('while the pepper is rotated', () => {
  const [OLD, NEW] = ['the pepper before, 32 characters or more', 'the pepper after, 32 characters or more']
  const before = createWebhookSignatures(OLD)
  const switched = createWebhookSignatures(NEW, OLD)
  const after = createWebhookSignatures(NEW)
  const resealed = (seed: Uint8Array) =>
    switched.reseal(seed) ?? expect.fail('the seed needs the new pepper only')

  it('keeps the secret of a seed, and after the rotation', () => {
    const seed = before.newSeed()
    const secret = before.secretOf(seed)
    expect(switched.secretOf(seed)).toBe(secret)
    expect(after.secretOf(seed)).not.toBe(secret)
    const stored = resealed(seed)
    expect([switched, after].map((node) => node.secretOf(stored))).toEqual([secret, secret])
    expect(before.secretOf(stored)).not.toBe(secret)
    expect([switched.reseal(stored), after.reseal(stored)]).toEqual([null, null])
    expect(stored.includes(Buffer.from(secret.slice('whsec_'.length), 'base64'))).toBe(false)
  })

  it('makes new secrets with the new pepper', () => {
    const seed = switched.newSeed()
    expect(after.secretOf(seed)).toBe(switched.secretOf(seed))
    expect(switched.reseal(seed)).toBeNull()
  })

  it('moves a secret from pepper to pepper again', () => {
    const seed = before.newSeed()
    const third = createWebhookSignatures('a third pepper, of 32 characters or more', NEW)
    const stored = third.reseal(resealed(seed)) ?? expect.fail('the seed needs the second pepper')
    expect(third.secretOf(stored)).toBe(before.secretOf(seed))
  })

  it('gives another secret, and does not throw, where a stored one was changed or its pepper is missing', () => {
    const seed = before.newSeed()
    const stored = resealed(seed)
    for (let at = 0; at < stored.length; at += 1) {
      const changed = Buffer.from(stored)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(after.secretOf(changed)).not.toBe(before.secretOf(seed))
      expect(switched.reseal(changed)).toBeNull()
    }
    const secret = createWebhookSignatures('unrelated pepper, 32 characters or more').secretOf(stored)
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  })
})
