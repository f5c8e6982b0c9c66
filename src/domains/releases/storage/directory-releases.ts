import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { canonicalJson } from '../../../core/canonical-json.js'
import { syncDirectory } from '../../../platform/sync-directory.js'
import { unlessMissing } from '../../../platform/unless-missing.js'
import {
  isReleaseId,
  MANIFEST_FILE,
  type ReleaseManifest,
  type ReleaseSeal,
  readManifest,
  SEAL_FILE,
} from '../manifest.js'
import {
  type ListedRelease,
  MAX_LISTED_RELEASES,
  type ReleaseDraft,
  type ReleaseStore,
  type StoredRelease,
} from './release-store.js'
import { beginWriting, removeUnfinished, UNFINISHED, writeFileOf } from './written-files.js'

// A dataset has one directory, with a directory for each release. A release is written under a name that begins with a
// point and renamed when it is complete, so that a killed process leaves nothing visible.

/** Has an empty file for each pinned release of the dataset. */
const PINS = '.pins'

const NO_NAMES: readonly string[] = []

/** Releases in a directory. Equal files of two releases in a row are one file with two links. */
export function createDirectoryReleases(root: string): ReleaseStore {
  const parentOf = (dataset: string) => join(root, dataset)
  const placeOf = (dataset: string, releaseId: string) => join(root, dataset, releaseId)
  return {
    placeOf,
    list: (dataset) => listDirectory(parentOf(dataset)),
    async read(dataset, releaseId) {
      if (!isReleaseId(releaseId)) return null
      const textOf = (name: string) => readFile(join(placeOf(dataset, releaseId), name), 'utf8')
      const read = await unlessMissing(readManifest(textOf), null)
      return read === null ? null : { releaseId, ...read }
    },
    async openFile({ manifest, releaseId }, name, range) {
      if (!manifest.files.some((file) => file.name === name)) return null
      const file = await unlessMissing(open(join(placeOf(manifest.dataset, releaseId), name)), null)
      if (file === null) return null
      const part = range === undefined ? {} : { start: range.first, end: range.last }
      const body = Readable.toWeb(file.createReadStream(part)) as ReadableStream<Uint8Array> // chunks are buffers
      return { kind: 'bytes', body }
    },
    async begin(dataset, previous) {
      const parent = parentOf(dataset)
      const before = previous === null ? null : { previous, directory: join(parent, previous.releaseId) }
      return beginDirectory(parent, before)
    },
    async setPinned(dataset, releaseId, isPinned) {
      if (!isReleaseId(releaseId)) return false
      if ((await unlessMissing(stat(placeOf(dataset, releaseId)), null)) === null) return false
      const pins = join(parentOf(dataset), PINS)
      if (!isPinned) await rm(join(pins, releaseId), { force: true })
      else {
        await mkdir(pins, { recursive: true })
        await writeFile(join(pins, releaseId), '')
      }
      return true
    },
    async remove(dataset, releaseIds) {
      const parent = parentOf(dataset)
      // Renamed first: no reader finds a part of a release.
      for (const id of releaseIds.filter(isReleaseId)) {
        await unlessMissing(rename(join(parent, id), join(parent, `${UNFINISHED}${id}`)), null)
        await rm(join(parent, PINS, id), { force: true })
      }
      await removeUnfinished(parent)
    },
  }
}

async function listDirectory(parent: string): Promise<readonly ListedRelease[]> {
  const [names, pins] = await Promise.all([
    unlessMissing(readdir(parent), NO_NAMES),
    unlessMissing(readdir(join(parent, PINS)), NO_NAMES),
  ])
  const newest = names.filter(isReleaseId).toSorted().toReversed().slice(0, MAX_LISTED_RELEASES)
  const listed: ListedRelease[] = []
  for (const releaseId of newest) {
    // Missing if it was removed meanwhile.
    const written = await unlessMissing(stat(join(parent, releaseId, MANIFEST_FILE)), null)
    if (written === null) continue
    listed.push({ releaseId, createdAt: written.mtime, isPinned: pins.includes(releaseId) })
  }
  return listed
}

interface Before {
  readonly previous: StoredRelease
  readonly directory: string
}

async function beginDirectory(parent: string, before: Before | null): Promise<ReleaseDraft> {
  const written = await beginWriting(parent)
  return {
    async addFile(name, chunks) {
      const path = join(written, name)
      const stored = await writeFileOf(path, chunks)
      const isEqual = before?.previous.manifest.files.some(
        (file) => file.name === name && file.sha256 === stored.sha256,
      )
      if (before === null || isEqual !== true) return { ...stored, isShared: false }
      await shareFile(path, join(before.directory, name))
      return { ...stored, isShared: true }
    },
    publish: (manifest, seal) => publishDirectory(written, parent, manifest, seal),
  }
}

/** Replaces a file by a hard link to an equal one, so that both are stored once. Keeps the file where links do not work. */
async function shareFile(path: string, equal: string): Promise<void> {
  const linked = `${path}.link`
  try {
    await link(equal, linked)
  } catch {
    return // another volume, a file system without links, or the older file was removed
  }
  await rename(linked, path)
}

/** Writes manifest and seal, and makes the release visible. */
async function publishDirectory(
  written: string,
  parent: string,
  manifest: ReleaseManifest,
  seal: ReleaseSeal,
): Promise<void> {
  await writeText(join(written, MANIFEST_FILE), canonicalJson(manifest))
  await writeText(join(written, SEAL_FILE), canonicalJson(seal))
  await rename(written, join(parent, seal.release_id))
  await syncDirectory(parent)
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
