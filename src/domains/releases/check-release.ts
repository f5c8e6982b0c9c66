import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { canonicalJson, sha256Hex } from '../../core/canonical-json.js'
import { isValidSignature, type PublicKey } from '../../platform/secrets/signing.js'
import { MANIFEST_FILE, type ReleaseManifest, type ReleaseSeal, readManifest } from './manifest.js'
import { DEFAULT_PRICES, recomputePrices } from './recompute-prices.js'

export const RELEASE_CHECKS = [
  'manifest',
  'content_hash',
  'signature',
  'files',
  'rows',
  'prices',
  'predecessor',
] as const

export interface ReleaseCheck {
  readonly check: (typeof RELEASE_CHECKS)[number]
  readonly passed: boolean
  /** The problem, or a note about a passed check; null without either. */
  readonly note: string | null
}

interface CheckOptions {
  readonly keys: readonly PublicKey[]
  /** Whether a release without a signature fails. */
  readonly mustBeSigned: boolean
  /** Number of consensus prices to compute again. */
  readonly prices?: number
}

/**
 * Checks a release in a directory: canonical form and hash of the manifest, its signature, hash, size and row count of each
 * file, a sample of the consensus prices, and the hash of the release before, where that one is in the same place. Throws for a directory without a manifest
 * that can be read.
 */
export async function checkRelease(
  directory: string,
  options: CheckOptions,
): Promise<readonly ReleaseCheck[]> {
  const { manifestText: text, manifest, seal } = await readManifest(textsIn(directory))
  const found = `sha256:${sha256Hex(text)}`
  const fileChecks = await checkFiles(directory, manifest)
  return [
    result(
      'manifest',
      canonicalJson(JSON.parse(text)) === text ? null : `${MANIFEST_FILE} is not canonical JSON (RFC 8785)`,
    ),
    result('content_hash', found === seal.content_hash ? null : `the hash of ${MANIFEST_FILE} is ${found}`),
    checkSignature(text, seal, options),
    ...fileChecks,
    ...(fileChecks.every(({ passed }) => passed) ? await checkPrices(directory, manifest, options) : []),
    await checkPredecessor(directory, manifest),
  ]
}

function textsIn(directory: string) {
  return (name: string) => readFile(join(directory, name), 'utf8')
}

function result(check: ReleaseCheck['check'], fault: string | null): ReleaseCheck {
  return { check, passed: fault === null, note: fault }
}

function checkSignature(
  text: string,
  { signature, signing_key_id }: ReleaseSeal,
  { keys, mustBeSigned }: CheckOptions,
): ReleaseCheck {
  if (signature === null)
    return { check: 'signature', passed: !mustBeSigned, note: 'the release is not signed' }
  const key = keys.find(({ kid }) => kid === signing_key_id)
  if (key === undefined) return result('signature', `no key ${signing_key_id} in the key set`)
  return result('signature', isValidSignature(text, signature, key) ? null : 'the signature is not valid')
}

async function checkFiles(
  directory: string,
  { files, rows, bytes }: ReleaseManifest,
): Promise<readonly ReleaseCheck[]> {
  const broken: string[] = []
  const miscounted: string[] = []
  for (const file of files) {
    const path = join(directory, file.name)
    const stored = await hashFile(path).catch(() => null)
    if (stored === null) broken.push(`${file.name} is missing`)
    else if (stored.sha256 !== file.sha256 || stored.bytes !== file.bytes) broken.push(`${file.name} differs`)
    else if ((await rowCount(path)) !== file.rows) miscounted.push(`${file.name} has another number of rows`)
  }
  const sumOf = (member: 'rows' | 'bytes') => files.reduce((total, file) => total + file[member], 0)
  if (sumOf('rows') !== rows) miscounted.push(`the files have ${sumOf('rows')} rows together`)
  if (sumOf('bytes') !== bytes) broken.push(`the files have ${sumOf('bytes')} bytes together`)
  return [result('files', textOf(broken)), result('rows', textOf(miscounted))]
}

/** Files that differ from the manifest are not read. */
async function checkPrices(
  directory: string,
  manifest: ReleaseManifest,
  { prices = DEFAULT_PRICES }: CheckOptions,
): Promise<readonly ReleaseCheck[]> {
  if (manifest.dataset !== 'candles') return []
  const open = (name: string) => asyncBufferFromFile(join(directory, name))
  const { checked, faults } = await recomputePrices(manifest, open, prices)
  const note = textOf(faults) ?? `${checked} of ${manifest.rows} rows computed again`
  return [{ check: 'prices', passed: faults.length === 0, note }]
}

/** At most ten faults. */
function textOf(faults: readonly string[]): string | null {
  if (faults.length === 0) return null
  const further = faults.length > 10 ? `; and ${faults.length - 10} more` : ''
  return faults.slice(0, 10).join('; ') + further
}

async function hashFile(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  return { bytes, sha256: hash.digest('hex') }
}

async function rowCount(path: string): Promise<number> {
  const { num_rows } = await parquetMetadataAsync(await asyncBufferFromFile(path))
  return Number(num_rows)
}

async function checkPredecessor(directory: string, { predecessor }: ReleaseManifest): Promise<ReleaseCheck> {
  if (predecessor === null) return { check: 'predecessor', passed: true, note: 'this is the first release' }
  const before = await readManifest(textsIn(join(dirname(directory), predecessor.release_id))).catch(
    () => null,
  )
  if (before === null)
    return { check: 'predecessor', passed: true, note: `not checked: ${predecessor.release_id} is not here` }
  const found = `sha256:${sha256Hex(canonicalJson(JSON.parse(before.manifestText)))}`
  return result(
    'predecessor',
    found === predecessor.content_hash ? null : `its manifest has the hash ${found}`,
  )
}
