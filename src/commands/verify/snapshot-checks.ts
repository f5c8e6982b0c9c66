import { z } from 'zod'
import { canonicalJson, sha256Hex } from '../../core/canonical-json.js'
import { CHAIN_START, chainHashOf } from '../../domains/analysis/model.js'
import { isValidSignature, type PublicKey } from '../../platform/secrets/signing.js'

/** What GraphQL gives for a snapshot, as far as it proves something; the rest of the file is not looked at. */
export const SnapshotRecord = z.object({
  snapshot_id: z.string(),
  generated_at: z.string(),
  content: z.unknown(),
  immutability: z.object({
    content_text: z.string(),
    content_hash: z.string(),
    sequence: z.int().min(1),
    chain_hash: z.string(),
    previous_chain_hash: z.string().nullable(),
    signature: z.string().nullable(),
    signing_key_id: z.string().nullable(),
  }),
})

export type SnapshotRecord = z.infer<typeof SnapshotRecord>

const Ed25519Key = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  use: z.literal('sig').default('sig'),
  alg: z.literal('EdDSA').default('EdDSA'),
})

/** The Ed25519 keys of a key set; keys of other kinds are left out, as RFC 7517 §5 asks. Throws for what is no set. */
export function parseKeySet(json: unknown): readonly PublicKey[] {
  const { keys } = z.object({ keys: z.array(z.unknown()) }).parse(json)
  return keys.flatMap((key) => {
    const parsed = Ed25519Key.safeParse(key)
    return parsed.success ? [parsed.data] : []
  })
}

export const CHECKS = ['content', 'content_hash', 'chain_hash', 'signature'] as const

interface CheckResult {
  readonly check: (typeof CHECKS)[number]
  readonly passed: boolean
  /** What is wrong, or what there is to know though it passed; null: nothing. */
  readonly note: string | null
}

/**
 * Checks a snapshot against itself and the keys. A snapshot without a signature passes only where none is due
 * (`mustBeSigned` false), and the note says so.
 */
export function checkSnapshot(
  record: SnapshotRecord,
  keys: readonly PublicKey[],
  mustBeSigned: boolean,
): readonly CheckResult[] {
  const { content_text, content_hash } = record.immutability
  const found = `sha256:${sha256Hex(content_text)}`
  return [
    checkContent(record),
    result('content_hash', found === content_hash ? null : `the content's hash is ${found}`),
    checkChain(record),
    checkSignature(record, keys, mustBeSigned),
  ]
}

function result(check: CheckResult['check'], fault: string | null): CheckResult {
  return { check, passed: fault === null, note: fault }
}

function checkContent({ content, immutability: { content_text } }: SnapshotRecord): CheckResult {
  const canonical = canonicalOrNull(() => JSON.parse(content_text))
  if (canonical !== content_text) return result('content', 'content_text is not canonical JSON (RFC 8785)')
  if (content === undefined || content_text === canonicalOrNull(() => content)) return result('content', null)
  return result('content', 'content says something else than content_text')
}

function canonicalOrNull(read: () => unknown): string | null {
  try {
    return canonicalJson(read())
  } catch {
    return null // not JSON and so not canonical: the caller reports it
  }
}

function checkChain({ snapshot_id, generated_at, immutability }: SnapshotRecord): CheckResult {
  const { content_hash, chain_hash, previous_chain_hash, sequence } = immutability
  const generatedAt = new Date(generated_at)
  if (Number.isNaN(generatedAt.getTime()) || generatedAt.toISOString() !== generated_at) {
    return result('chain_hash', 'generated_at is not an instant with milliseconds and Z')
  }
  if ((sequence === 1) !== (previous_chain_hash === null)) {
    return result('chain_hash', 'only the first of a chain has nothing before it')
  }
  const previous = previous_chain_hash ?? CHAIN_START
  const found = chainHashOf({ previous, contentHash: content_hash, snapshotId: snapshot_id, generatedAt })
  return result('chain_hash', found === chain_hash ? null : `the chain continues with ${found}`)
}

function checkSignature(
  { immutability: { chain_hash, signature, signing_key_id } }: SnapshotRecord,
  keys: readonly PublicKey[],
  mustBeSigned: boolean,
): CheckResult {
  if (signature === null && signing_key_id === null) {
    return { check: 'signature', passed: !mustBeSigned, note: 'the snapshot is not signed' }
  }
  if (signature === null || signing_key_id === null) {
    return result('signature', 'signature and signing_key_id are given together or not at all')
  }
  const key = keys.find(({ kid }) => kid === signing_key_id)
  if (key === undefined) {
    return result(
      'signature',
      `the key set has no key ${JSON.stringify(signing_key_id)}; give one with --jwks`,
    )
  }
  const isRight = isValidSignature(chain_hash, signature, key)
  return result('signature', isRight ? null : `key ${key.kid} did not sign this chain_hash`)
}
