import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/core/canonical-json.js'
import {
  canonicalText,
  type KeySet,
  type SnapshotProof,
  verifyProof,
} from '../../src/portal/evidence/verify-proof.js'

const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const KEYS: KeySet = { keys: [{ ...publicKey.export({ format: 'jwk' }), kty: 'OKP', kid: 'one' }] }

/** A snapshot as the gateway writes it, signed by key `one`. */
function signedSnapshot(): SnapshotProof {
  const content_text = '{"sentiment_score":null,"signals":[],"summary":"Bitcoin – 1,5 €"}'
  const [snapshot_id, generated_at] = ['8b1d36a5-3c0b-8f5c-8004-1d3f6f1b2a11', '2026-11-20T00:00:00.000Z']
  const previous_chain_hash = hashOf('the one before')
  const content_hash = hashOf(content_text)
  const chain_hash = hashOf([previous_chain_hash, content_hash, snapshot_id, generated_at].join('\n'))
  const signature = sign(null, Buffer.from(chain_hash), privateKey).toString('base64url')
  return {
    snapshot_id,
    generated_at,
    immutability: {
      ...{ content_text, content_hash, chain_hash, previous_chain_hash, sequence: 2 },
      ...{ signature, signing_key_id: 'one' },
    },
  }
}

async function verdictOf(proof: SnapshotProof, keys = KEYS): Promise<readonly (boolean | null)[]> {
  return (await verifyProof(proof, keys)).map(({ passed }) => passed)
}

describe('a snapshot checked in the browser', () => {
  let proof: SnapshotProof
  beforeAll(() => {
    proof = signedSnapshot()
  })
  const changed = (immutability: Partial<SnapshotProof['immutability']>): SnapshotProof => ({
    ...proof,
    immutability: { ...proof.immutability, ...immutability },
  })

  it('is as it was written', async () => {
    expect(await verdictOf(proof)).toEqual([true, true, true, true])
  })

  it('may be unsigned, which is no fault and no proof', async () => {
    expect(await verdictOf(changed({ signature: null, signing_key_id: null }))).toEqual([
      true,
      true,
      true,
      null,
    ])
  })

  it.each([
    ['another text', { content_text: '{"summary":"x"}' }, [true, false, true, true]],
    ['a text in another order', { content_text: '{"summary":"x","a":1}' }, [false, false, true, true]],
    ['another chain hash', { chain_hash: `sha256:${'1'.repeat(64)}` }, [true, true, false, false]],
    ['nothing before it', { previous_chain_hash: null }, [true, true, false, true]],
    ['a signature of something else', { signature: 'A'.repeat(86) }, [true, true, true, false]],
    ['a key that is not published', { signing_key_id: 'two' }, [true, true, true, false]],
  ])('is not, with %s', async (_what, change, verdict) => {
    expect(await verdictOf(changed(change))).toEqual(verdict)
  })

  it('is not, with another time or another UUID', async () => {
    expect(await verdictOf({ ...proof, generated_at: '2026-11-20T00:00:00.001Z' })).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect(await verdictOf({ ...proof, snapshot_id: 'x' })).toEqual([true, true, false, true])
  })

  it('is compared with the canonical text that the gateway writes', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text)
        fc.pre(!text.includes('toJSON') && !text.includes('__proto__'))
        expect(canonicalText(value)).toBe(canonicalJson(value))
      }),
    )
  })
})
