import { canonicalJson, contentHash } from '../../core/canonical-json.js'

/** The form of manifests and files. It changes if the bytes of the same rows would change. */
export const RELEASE_FORMAT = 'market-data-gateway-release/1'

/** A file of a release: Apache Parquet. */
export interface ReleaseFile {
  readonly name: string
  /** SHA-256, 64 lower-case hex digits. */
  readonly sha256: string
  readonly bytes: number
  readonly rows: number
  /** The first and last day or instant that rows are about. */
  readonly first_period: string
  readonly last_period: string
}

/** Periods without a row. */
export interface ReleaseGap {
  /** What lacks the periods, e.g. an asset_id with its timeframe; null for the whole dataset. */
  readonly series: string | null
  readonly from: string
  readonly to: string
  /** Number of missing periods. */
  readonly missing: number
  readonly reason: string
}

/** A provider of rows. */
export interface ReleaseSource {
  readonly source: string
  readonly rows: number
  readonly licence: string | null
  readonly attribution: string | null
}

/** What a release is. Its canonical JSON (RFC 8785) is hashed and signed. */
export interface ReleaseManifest {
  readonly format: typeof RELEASE_FORMAT
  readonly dataset: string
  /** The release has what the gateway knew at this instant. */
  readonly known_at: string
  readonly is_dev_dataset: boolean
  readonly rows: number
  readonly bytes: number
  readonly files: readonly ReleaseFile[]
  readonly schema: readonly {
    readonly name: string
    readonly type: string
    readonly unit: string | null
    readonly description: string
  }[]
  /** The rows of a file are sorted by these columns. */
  readonly sorted_by: readonly string[]
  readonly gaps: readonly ReleaseGap[]
  /** Number of further gaps, which are not listed. */
  readonly further_gaps: number
  readonly sources: readonly ReleaseSource[]
  /** Providers whose terms do not allow their rows to be passed on. */
  readonly left_out: readonly { readonly source: string; readonly rows: number; readonly reason: string }[]
  /** Versions of the rules that made rows. */
  readonly methodology_versions: readonly string[]
  readonly predecessor: { readonly release_id: string; readonly content_hash: string } | null
}

/** Identity and signature of a manifest. */
export interface ReleaseSeal {
  readonly release_id: string
  /** `sha256:<64 hex>` of the canonical JSON of the manifest. */
  readonly content_hash: string
  /** Ed25519 over the canonical JSON, base64url; null without a signing key. */
  readonly signature: string | null
  readonly signing_key_id: string | null
}

/** File names in the directory of a release. The manifest is written in canonical JSON. */
export const MANIFEST_FILE = 'manifest.json'
export const SEAL_FILE = 'seal.json'

/** The instant and the first digits of the hash: 20261120T120000.000Z-0123456789ab. It sorts by instant. */
export function releaseIdOf(manifest: ReleaseManifest): string {
  const instant = manifest.known_at.replaceAll(/[-:]/g, '')
  return `${instant}-${contentHash(manifest).slice('sha256:'.length).slice(0, 12)}`
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
