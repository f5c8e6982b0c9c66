/** What GraphQL gives to check a snapshot by. */
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
  /** Null: there was nothing to check. */
  readonly passed: boolean | null
  readonly note: string
}

/** Public keys as `/.well-known/jwks.json` gives them. */
export interface KeySet {
  readonly keys: readonly {
    readonly kty: string
    readonly crv?: string
    readonly x?: string
    readonly kid?: string
  }[]
}

/** What the first of a chain continues. */
const CHAIN_START = `sha256:${'0'.repeat(64)}`

/** Computes hash, chain and signature again in this browser; throws where it has no WebCrypto (plain HTTP). */
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
      note: 'The text is the one form that RFC 8785 gives its content.',
    },
    { name: 'Content hash', passed: found === content_hash, note: `SHA-256 of the text: ${found}` },
    {
      name: 'Chain',
      passed: chain === chain_hash && (proof.immutability.sequence === 1) === (previous_chain_hash === null),
      note: `SHA-256 of the hash before, the content hash, the UUID and the time: ${chain}`,
    },
    await checkSignature(proof, keySet),
  ]
}

async function checkSignature({ immutability }: SnapshotProof, keySet: KeySet): Promise<ProofCheck> {
  const name = 'Signature'
  const { signature, signing_key_id, chain_hash } = immutability
  if (signature === null) return { name, passed: null, note: 'The snapshot is not signed.' }
  const key = keySet.keys.find(({ kid }) => kid === signing_key_id)
  if (key === undefined) return { name, passed: false, note: `No published key is called ${signing_key_id}.` }
  const algorithm = { name: 'Ed25519' }
  const imported = await crypto.subtle.importKey('jwk', key, algorithm, false, ['verify'])
  const passed = await crypto.subtle.verify(
    algorithm,
    imported,
    bytesOf(signature),
    new TextEncoder().encode(chain_hash),
  )
  return { name, passed, note: `Ed25519 over the chain hash, by the published key ${signing_key_id}.` }
}

/** RFC 8785: members in the order of their UTF-16 units; numbers and texts as JSON.stringify writes them. */
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

/** The bytes of base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
