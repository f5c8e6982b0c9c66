import { z } from 'zod'
import { canonicalJson, sha256Hex } from '../../core/canonical-json.js'
import { CHAIN_START, computeChainHash } from '../../domains/analysis/model.js'
import { isValidSignature, type PublicKey } from '../../platform/secrets/signing.js'

/** The members of a snapshot from GraphQL that the checks need. Other members are ignored. */
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

/** The Ed25519 keys of a key set. Ignores other kinds of keys (RFC 7517 §5). Throws for a text that is not a key set. */
export function parseKeySet(json: unknown): readonly PublicKey[] {
  const { keys } = z.object({ keys: z.array(z.unknown()) }).parse(json)
  return keys.flatMap((key) => {
    const parsed = Ed25519Key.safeParse(key)
    return parsed.success ? [parsed.data] : []
  })
}

const CHECKS = ['content', 'content_hash', 'chain_hash', 'signature'] as const

interface CheckResult {
  readonly check: (typeof CHECKS)[number]
  readonly passed: boolean
  /** The problem, or a note about a passed check; null without either. */
  readonly note: string | null
}

/**
 * Checks the hashes and the signature of a snapshot. A snapshot without a signature passes only if `mustBeSigned` is false,
 * with a note.
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
  return result('content', 'content differs from content_text')
}

function canonicalOrNull(read: () => unknown): string | null {
  try {
    return canonicalJson(read())
  } catch {
    return null // the caller reports the text as not canonical
  }
}

function checkChain({ snapshot_id, generated_at, immutability }: SnapshotRecord): CheckResult {
  const { content_hash, chain_hash, previous_chain_hash, sequence } = immutability
  const generatedAt = new Date(generated_at)
  if (Number.isNaN(generatedAt.getTime()) || generatedAt.toISOString() !== generated_at) {
    return result('chain_hash', 'generated_at must be an instant with milliseconds and Z')
  }
  if ((sequence === 1) !== (previous_chain_hash === null)) {
    return result('chain_hash', 'only the first snapshot of a chain has no previous_chain_hash')
  }
  const previous = previous_chain_hash ?? CHAIN_START
  const found = computeChainHash({
    previous,
    contentHash: content_hash,
    snapshotId: snapshot_id,
    generatedAt,
  })
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
    return result('signature', 'signature and signing_key_id must both be set, or neither')
  }
  const key = keys.find(({ kid }) => kid === signing_key_id)
  if (key === undefined) {
    return result(
      'signature',
      `the key set has no key ${JSON.stringify(signing_key_id)}; give a key set that has it by --jwks`,
    )
  }
  const isRight = isValidSignature(chain_hash, signature, key)
  return result('signature', isRight ? null : `key ${key.kid} did not sign this chain_hash`)
}
