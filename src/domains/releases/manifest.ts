import { z } from 'zod'
import { canonicalJson, contentHash } from '../../core/canonical-json.js'

/** The form of manifests and files. It changes if the bytes of the same rows would change. */
export const RELEASE_FORMAT = 'market-data-gateway-release/1'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)

/** A file of a release: Apache Parquet. */
const ReleaseFileSchema = z.object({
  // A name, never a path: a manifest of somebody else must not lead to other files.
  name: z.string().regex(/^[\w-]+\.parquet$/),
  /** SHA-256, 64 lower-case hex digits. */
  sha256: Sha256,
  bytes: count,
  rows: count,
  /** The first and last day or instant that rows are about. */
  first_period: z.string(),
  last_period: z.string(),
})

export type ReleaseFile = z.infer<typeof ReleaseFileSchema>

/** Periods without a row. */
const ReleaseGapSchema = z.object({
  /** What lacks the periods, e.g. an asset_id with its timeframe; null for the whole dataset. */
  series: z.string().nullable(),
  from: z.string(),
  to: z.string(),
  /** Number of missing periods. */
  missing: count,
  reason: z.string(),
})

export type ReleaseGap = z.infer<typeof ReleaseGapSchema>

/** What a release is. Its canonical JSON (RFC 8785) is hashed and signed. */
const ReleaseManifestSchema = z.object({
  format: z.literal(RELEASE_FORMAT),
  dataset: z.string(),
  /** The release has what the gateway knew at this instant. */
  known_at: z.string(),
  is_dev_dataset: z.boolean(),
  rows: count,
  bytes: count,
  files: z.array(ReleaseFileSchema).readonly(),
  schema: z.array(
    z.object({ name: z.string(), type: z.string(), unit: z.string().nullable(), description: z.string() }),
  ),
  /** The rows of a file are sorted by these columns. */
  sorted_by: z.array(z.string()),
  gaps: z.array(ReleaseGapSchema).readonly(),
  /** Number of further gaps, which are not listed. */
  further_gaps: count,
  /** Providers of rows, with their terms. */
  sources: z.array(
    z.object({
      source: z.string(),
      rows: count,
      licence: z.string().nullable(),
      attribution: z.string().nullable(),
    }),
  ),
  /** Providers whose terms do not allow their rows to be passed on. */
  left_out: z.array(z.object({ source: z.string(), rows: count, reason: z.string() })),
  /** Versions of the rules that made rows. */
  methodology_versions: z.array(z.string()).readonly(),
  predecessor: z.object({ release_id: z.string().regex(/^[\w.-]+$/), content_hash: z.string() }).nullable(),
})

export type ReleaseManifest = z.infer<typeof ReleaseManifestSchema>

/** Identity and signature of a manifest. */
const ReleaseSealSchema = z.object({
  release_id: z.string(),
  /** `sha256:<64 hex>` of the canonical JSON of the manifest. */
  content_hash: z.string(),
  /** Ed25519 over the canonical JSON, base64url; null without a signing key. */
  signature: z.string().nullable(),
  signing_key_id: z.string().nullable(),
})

export type ReleaseSeal = z.infer<typeof ReleaseSealSchema>

/** File names in the directory of a release. The manifest is written in canonical JSON. */
export const MANIFEST_FILE = 'manifest.json'
export const SEAL_FILE = 'seal.json'

/** The instant and the first digits of the hash: 20261120T120000.000Z-0123456789ab. It sorts by instant. */
export function releaseIdOf(manifest: ReleaseManifest): string {
  const instant = manifest.known_at.replaceAll(/[-:]/g, '')
  return `${instant}-${contentHash(manifest).slice('sha256:'.length).slice(0, 12)}`
}

const RELEASE_ID = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{12}$/

export function isReleaseId(text: string): boolean {
  return RELEASE_ID.test(text)
}

/** Reads manifest and seal by their names. Throws for others than a gateway writes. */
export async function readManifest(textOf: (name: string) => Promise<string>) {
  const [manifestText, sealText] = await Promise.all([textOf(MANIFEST_FILE), textOf(SEAL_FILE)])
  return {
    manifestText,
    manifest: ReleaseManifestSchema.parse(JSON.parse(manifestText)),
    seal: ReleaseSealSchema.parse(JSON.parse(sealText)),
  }
}

export function sealOf(
  manifest: ReleaseManifest,
  signer: { readonly keyId: string; sign(text: string): string } | null,
): ReleaseSeal {
  return {
    release_id: releaseIdOf(manifest),
    content_hash: contentHash(manifest),
    signature: signer === null ? null : signer.sign(canonicalJson(manifest)),
    signing_key_id: signer?.keyId ?? null,
  }
}
