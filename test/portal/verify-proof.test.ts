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

/** A snapshot in the gateway's format, signed by key `one`. */
function signedSnapshot(): SnapshotProof {
  const content_text = '{"sentiment_score":null,"signals":[],"summary":"Bitcoin – 1,5 €"}'
  const [snapshot_id, generated_at] = ['8b1d36a5-3c0b-8f5c-8004-1d3f6f1b2a11', '2026-11-20T00:00:00.000Z']
  const previous_chain_hash = hashOf('the previous snapshot')
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

describe('verifyProof', () => {
  let proof: SnapshotProof
  beforeAll(() => {
    proof = signedSnapshot()
  })
  const changed = (immutability: Partial<SnapshotProof['immutability']>): SnapshotProof => ({
    ...proof,
    immutability: { ...proof.immutability, ...immutability },
  })

  it('accepts an unchanged snapshot', async () => {
    expect(await verdictOf(proof)).toEqual([true, true, true, true])
  })

  it('reports the signature of an unsigned snapshot as not checked', async () => {
    expect(await verdictOf(changed({ signature: null, signing_key_id: null }))).toEqual([
      true,
      true,
      true,
      null,
    ])
  })

  it.each([
    ['a changed text', { content_text: '{"summary":"x"}' }, [true, false, true, true]],
    [
      'a text whose members are not sorted',
      { content_text: '{"summary":"x","a":1}' },
      [false, false, true, true],
    ],
    ['a changed chain hash', { chain_hash: `sha256:${'1'.repeat(64)}` }, [true, true, false, false]],
    ['a missing previous chain hash', { previous_chain_hash: null }, [true, true, false, true]],
    ['a wrong signature', { signature: 'A'.repeat(86) }, [true, true, true, false]],
    ['an unpublished key', { signing_key_id: 'two' }, [true, true, true, false]],
  ])('rejects a snapshot with %s', async (_what, change, verdict) => {
    expect(await verdictOf(changed(change))).toEqual(verdict)
  })

  it('rejects a snapshot with another time or another UUID', async () => {
    expect(await verdictOf({ ...proof, generated_at: '2026-11-20T00:00:00.001Z' })).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect(await verdictOf({ ...proof, snapshot_id: 'x' })).toEqual([true, true, false, true])
  })

  it('computes the same canonical text as the gateway', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text)
        fc.pre(!text.includes('toJSON') && !text.includes('__proto__'))
        expect(canonicalText(value)).toBe(canonicalJson(value))
      }),
    )
  })
})
