import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../../core/canonical-json.js'
import {
  MANIFEST_FILE,
  type ReleaseManifest,
  ReleaseManifestSchema,
  type ReleaseSeal,
  ReleaseSealSchema,
  SEAL_FILE,
} from './manifest.js'

// A dataset has one directory, with a directory for each release. A release is written under a name that begins with a
// point and renamed when it is complete, so that a killed process leaves nothing visible.

const WRITING = '.writing-'

/** A release on disk. */
export interface StoredRelease {
  readonly directory: string
  readonly manifest: ReleaseManifest
  readonly seal: ReleaseSeal
}

/** Removes what killed processes left, and creates an empty directory for a new release. */
export async function beginRelease(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true })
  for (const name of await readdir(parent))
    if (name.startsWith(WRITING)) await rm(join(parent, name), { recursive: true, force: true })
  const directory = join(parent, `${WRITING}${process.pid}-${Date.now()}`)
  await mkdir(directory)
  return directory
}

/** Writes chunks to a new file, as fast as the disk takes them, and returns its size and hash. */
export async function writeFileOf(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path, 'wx')
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      await file.writeFile(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Replaces a file by a hard link to an equal one, so that both are stored once. Keeps the file where links do not work. */
export async function shareFile(path: string, equal: string): Promise<void> {
  const linked = `${path}.link`
  try {
    await link(equal, linked)
  } catch {
    return // another volume, a file system without links, or the older file was removed
  }
  await rename(linked, path)
}

/** Writes manifest and seal, and makes the release visible. */
export async function publishRelease(
  written: string,
  parent: string,
  manifest: ReleaseManifest,
  seal: ReleaseSeal,
): Promise<string> {
  await writeText(join(written, MANIFEST_FILE), canonicalJson(manifest))
  await writeText(join(written, SEAL_FILE), canonicalJson(seal))
  const directory = join(parent, seal.release_id)
  await rename(written, directory)
  await syncDirectory(parent)
  return directory
}

async function writeText(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the rename durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** The newest release of a dataset; null before the first one. */
export async function newestRelease(parent: string): Promise<StoredRelease | null> {
  const names = await readdir(parent).catch(() => [])
  const newest = names
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .at(-1)
  return newest === undefined ? null : readRelease(join(parent, newest))
}

/** Reads manifest and seal. Throws for a directory without both, or with others than a gateway writes. */
export async function readRelease(
  directory: string,
): Promise<StoredRelease & { readonly manifestText: string }> {
  const [manifestText, sealText] = await Promise.all([
    readFile(join(directory, MANIFEST_FILE), 'utf8'),
    readFile(join(directory, SEAL_FILE), 'utf8'),
  ])
  return {
    directory,
    manifestText,
    manifest: ReleaseManifestSchema.parse(JSON.parse(manifestText)),
    seal: ReleaseSealSchema.parse(JSON.parse(sealText)),
  }
}

/** Size and hash of a file. */
export async function hashFile(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  return { bytes, sha256: hash.digest('hex') }
}
