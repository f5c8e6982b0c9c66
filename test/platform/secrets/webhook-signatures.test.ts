import { expect, it } from 'vitest'
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
