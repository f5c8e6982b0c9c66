import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { canonicalJson } from '../../core/canonical-json.js'
import { withoutTrailing } from '../../core/without-trailing.js'
import type { DownloadClient, HttpClient } from '../../platform/http-client/http-client.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { isReleaseId, MANIFEST_FILE, type ReleaseFile, readManifest, SEAL_FILE } from './manifest.js'

const MAX_MANIFEST_BYTES = 8 * 2 ** 20

const MANIFEST_MS = 60_000

/** A slower transfer is abandoned. */
const BYTES_PER_MS = 50

const RETRIES = 2

/** The address of a release at a gateway; the files are below it. */
const AT_GATEWAY = /\/v1\/releases\/[^/]+\/[^/]+$/

/** The answer of a gateway for one release. */
const GatewayAnswer = z.object({
  release_id: z.string(),
  content_hash: z.string(),
  signature: z.string().nullable(),
  signing_key_id: z.string().nullable(),
  canonical_manifest: z.string(),
})

export interface ReleaseAddress {
  /** Of a release at a gateway, or of a directory that a web server shows. */
  readonly url: string
  /** Key of the gateway; null: none is sent. Another host than the one of the address never gets it. */
  readonly key: string | null
}

/**
 * Downloads a release into a directory, and manifest and seal of the one before beside it, for `checkRelease`. Memory holds
 * no file. Files that the server lacks are left out, and one that is longer than the manifest says is empty. Throws if the
 * server does not answer or refuses. Returns the directory of the release.
 */
export async function downloadRelease(
  http: HttpClient & DownloadClient,
  address: ReleaseAddress,
  directory: string,
): Promise<string> {
  const url = withoutTrailing(address.url, '/')
  const at = { http, key: address.key }
  const place = join(directory, 'release')
  const manifest = await downloadManifest(at, url, place)
  if (manifest === null) throw new Error(`${url}: there is no release`)
  for (const file of manifest.files) await downloadFile(at, { url, file, path: join(place, file.name) })
  const before = manifest.predecessor?.release_id
  if (before !== undefined && isReleaseId(before))
    await downloadManifest(at, `${url.slice(0, url.lastIndexOf('/') + 1)}${before}`, join(directory, before))
  return place
}

interface Server {
  readonly http: HttpClient & DownloadClient
  readonly key: string | null
}

/** Writes manifest and seal to a new directory; null, and no directory, if the server has none. */
async function downloadManifest(at: Server, url: string, place: string) {
  const texts = AT_GATEWAY.test(new URL(url).pathname)
    ? await gatewayTexts(at, url)
    : {
        manifest: await getText(at, `${url}/${MANIFEST_FILE}`),
        seal: await getText(at, `${url}/${SEAL_FILE}`),
      }
  const { manifest, seal } = texts
  if (manifest === null || seal === null) return null
  await mkdir(place)
  await writeFile(join(place, MANIFEST_FILE), manifest)
  await writeFile(join(place, SEAL_FILE), seal)
  return (await readManifest(async (name) => (name === MANIFEST_FILE ? manifest : seal))).manifest
}

async function gatewayTexts(at: Server, url: string) {
  const text = await getText(at, url)
  if (text === null) return { manifest: null, seal: null }
  const { canonical_manifest: manifest, ...seal } = GatewayAnswer.parse(JSON.parse(text))
  return { manifest, seal: canonicalJson(seal) }
}

async function getText({ http, key }: Server, url: string): Promise<string | null> {
  const { status, body } = await http.request({
    url,
    headers: headersOf(key),
    timeoutMs: MANIFEST_MS,
    maxBytes: MAX_MANIFEST_BYTES,
    retries: RETRIES,
  })
  return isFound(url, status) ? Buffer.from(body).toString('utf8') : null
}

interface FileDownload {
  readonly url: string
  readonly file: ReleaseFile
  readonly path: string
}

async function downloadFile(at: Server, { url, file, path }: FileDownload): Promise<void> {
  const isGateway = AT_GATEWAY.test(new URL(url).pathname)
  const addresses = isGateway
    ? [`${url}/files/${file.name}`]
    : // A bucket has each file once, by its hash.
      [`${url}/${file.name}`, new URL(`../../files/${file.sha256}.parquet`, `${url}/`).href]
  for (const candidate of addresses) if (await isDownloaded(at, candidate, file, path)) return
}

async function isDownloaded(
  { http, key }: Server,
  url: string,
  { bytes }: ReleaseFile,
  path: string,
): Promise<boolean> {
  const request = {
    url,
    headers: headersOf(key),
    timeoutMs: MANIFEST_MS + bytes / BYTES_PER_MS,
    maxBytes: bytes,
    retries: RETRIES,
  }
  try {
    const { status } = await http.download(request, path)
    if (isFound(url, status)) return true
    await rm(path, { force: true }) // the text of the 404
    return false
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'too_large') throw error
    await writeFile(path, '')
    return true
  }
}

function headersOf(key: string | null): Readonly<Record<string, string>> {
  return key === null ? {} : { 'x-api-key': key }
}

/** False for 404. Throws for any other status than 200. */
function isFound(url: string, status: number): boolean {
  if (status === 404) return false
  if (status === 200) return true
  const hint =
    status === 401 || status === 403 ? '; files of a gateway need --key with the scope bulk:read' : ''
  throw new Error(`${url}: the server answered ${status}${hint}`)
}
