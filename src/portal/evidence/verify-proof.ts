/** The fields of a snapshot that verification needs. */
export interface SnapshotProof {
  readonly snapshot_id: string
  readonly generated_at: string
  readonly immutability: {
    readonly content_text: string
    readonly content_hash: string
    readonly chain_hash: string
    readonly previous_chain_hash: string | null
    readonly sequence: number
    readonly signature: string | null
    readonly signing_key_id: string | null
  }
}

export interface ProofCheck {
  readonly name: string
  /** Null: not checked. */
  readonly passed: boolean | null
  readonly note: string
}

/** The public keys of `/.well-known/jwks.json` (RFC 7517). */
export interface KeySet {
  readonly keys: readonly {
    readonly kty: string
    readonly crv?: string
    readonly x?: string
    readonly kid?: string
  }[]
}

/** The first snapshot of a chain has this as its previous hash. */
const CHAIN_START = `sha256:${'0'.repeat(64)}`

/** Recomputes hash and chain and verifies the signature. Throws without WebCrypto, which browsers lack over plain HTTP. */
export async function verifyProof(proof: SnapshotProof, keySet: KeySet): Promise<readonly ProofCheck[]> {
  const { content_text, content_hash, chain_hash, previous_chain_hash } = proof.immutability
  const found = await sha256(content_text)
  const chain = await sha256(
    [previous_chain_hash ?? CHAIN_START, content_hash, proof.snapshot_id, proof.generated_at].join('\n'),
  )
  return [
    {
      name: 'Canonical text',
      passed: canonicalText(JSON.parse(content_text)) === content_text,
      note: 'The text is canonical JSON (RFC 8785).',
    },
    { name: 'Content hash', passed: found === content_hash, note: `SHA-256 of the text: ${found}` },
    {
      name: 'Chain',
      passed: chain === chain_hash && (proof.immutability.sequence === 1) === (previous_chain_hash === null),
      note: `SHA-256 of the previous chain hash, the content hash, the snapshot's UUID and its time: ${chain}`,
    },
    await checkSignature(proof, keySet),
  ]
}

async function checkSignature({ immutability }: SnapshotProof, keySet: KeySet): Promise<ProofCheck> {
  const name = 'Signature'
  const { signature, signing_key_id, chain_hash } = immutability
  if (signature === null) return { name, passed: null, note: 'The snapshot is not signed.' }
  const key = keySet.keys.find(({ kid }) => kid === signing_key_id)
  if (key === undefined)
    return { name, passed: false, note: `The gateway publishes no key ${signing_key_id}.` }
  const algorithm = { name: 'Ed25519' }
  const imported = await crypto.subtle.importKey('jwk', key, algorithm, false, ['verify'])
  const passed = await crypto.subtle.verify(
    algorithm,
    imported,
    decodeBase64Url(signature),
    new TextEncoder().encode(chain_hash),
  )
  return { name, passed, note: `Ed25519 signature of the chain hash by the published key ${signing_key_id}.` }
}

/** RFC 8785 sorts members by UTF-16 code units and writes numbers and strings as JSON.stringify does. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`)
  return `{${members.join(',')}}`
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `sha256:${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
