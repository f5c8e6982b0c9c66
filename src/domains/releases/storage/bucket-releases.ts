import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../../../core/canonical-json.js'
import type { S3Bucket } from '../../../platform/object-store/s3-bucket.js'
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
} from './release-store.js'
import { beginWriting, writeFileOf } from './written-files.js'

// Keys of a dataset: releases/<release>/seal.json and manifest.json, files/<sha256>.parquet and pins/<release>. A file is
// stored once, whatever number of releases has it. The manifest is written last and removed first: without it a release
// is not visible.

const RELEASES = 'releases/'
const FILES = 'files/'
const PINS = 'pins/'

const PARQUET = 'application/vnd.apache.parquet'

/** Releases in a bucket. `workDirectory` holds one file while it is written, because its key is its hash. */
export function createBucketReleases(bucket: S3Bucket, workDirectory: string): ReleaseStore {
  const keyOf = (dataset: string, folder: string, name = '') => `${dataset}/${folder}${name}`
  const releaseKey = (dataset: string, id: string, name: string) => keyOf(dataset, RELEASES, `${id}/${name}`)
  const fileKey = (dataset: string, sha256: string) => keyOf(dataset, FILES, `${sha256}.parquet`)
  const placeOf = (dataset: string, id: string) => bucket.placeOf(keyOf(dataset, RELEASES, id))
  const read: ReleaseStore['read'] = async (dataset, releaseId) => {
    if (!isReleaseId(releaseId)) return null
    try {
      const found = await readManifest(async (name) => {
        const text = await bucket.getText(releaseKey(dataset, releaseId, name))
        if (text === null) throw new MissingKey(name)
        return text
      })
      return { releaseId, ...found }
    } catch (error) {
      if (error instanceof MissingKey) return null
      throw error
    }
  }

  /** Removes files and seals that belong to no release. */
  async function sweep(dataset: string): Promise<void> {
    const { manifests, seals } = await findReleases(bucket, keyOf(dataset, RELEASES))
    for (const id of seals.filter((sealed) => !manifests.has(sealed)))
      await bucket.delete(releaseKey(dataset, id, SEAL_FILE))
    const needed = new Set<string>()
    for (const id of manifests.keys()) {
      const release = await read(dataset, id)
      // A manifest that cannot be read may name any file.
      if (release === null) throw new Error(`${placeOf(dataset, id)} cannot be read`)
      for (const { sha256 } of release.manifest.files) needed.add(fileKey(dataset, sha256))
    }
    for await (const { key } of bucket.list(keyOf(dataset, FILES)))
      if (!needed.has(key)) await bucket.delete(key)
  }

  return {
    placeOf,
    read,
    async list(dataset) {
      const { manifests } = await findReleases(bucket, keyOf(dataset, RELEASES))
      const pins = new Set<string>()
      for await (const { key } of bucket.list(keyOf(dataset, PINS)))
        pins.add(key.slice(keyOf(dataset, PINS).length))
      const listed = [...manifests].map(([releaseId, createdAt]): ListedRelease => {
        return { releaseId, createdAt, isPinned: pins.has(releaseId) }
      })
      const newestFirst = listed.toSorted((a, b) => (a.releaseId < b.releaseId ? 1 : -1))
      return newestFirst.slice(0, MAX_LISTED_RELEASES)
    },
    givesAddresses: true,
    async openFile({ manifest }, name) {
      const file = manifest.files.find((known) => known.name === name)
      if (file === undefined) return null
      return { kind: 'address', url: await bucket.addressOf(fileKey(manifest.dataset, file.sha256), name) }
    },
    async begin(dataset) {
      await bucket.abortUploads(keyOf(dataset, FILES))
      await sweep(dataset)
      const stored = await sizesOf(bucket, keyOf(dataset, FILES))
      const directory = await beginWriting(join(workDirectory, dataset))
      return createDraft(bucket, {
        directory,
        stored,
        files: keyOf(dataset, FILES),
        fileKey: (sha256) => fileKey(dataset, sha256),
        releaseKey: (id, name) => releaseKey(dataset, id, name),
      })
    },
    async setPinned(dataset, releaseId, isPinned) {
      if ((await read(dataset, releaseId)) === null) return false
      const key = keyOf(dataset, PINS, releaseId)
      if (isPinned) await bucket.putText(key, '', 'text/plain')
      else await bucket.delete(key)
      return true
    },
    async remove(dataset, releaseIds) {
      for (const id of releaseIds.filter(isReleaseId)) {
        await bucket.delete(releaseKey(dataset, id, MANIFEST_FILE))
        await bucket.delete(releaseKey(dataset, id, SEAL_FILE))
        await bucket.delete(keyOf(dataset, PINS, id))
      }
      await sweep(dataset)
    },
  }
}

class MissingKey extends Error {
  override readonly name = 'MissingKey'
}

interface DraftPlaces {
  readonly directory: string
  /** Sizes of the stored files, by key. */
  readonly stored: Map<string, number>
  /** What the keys of all files begin with. */
  readonly files: string
  fileKey(sha256: string): string
  releaseKey(id: string, name: string): string
}

function createDraft(bucket: S3Bucket, places: DraftPlaces): ReleaseDraft {
  const { directory, stored, fileKey, releaseKey } = places
  return {
    async addFile(name, chunks) {
      const path = join(directory, name)
      const { sha256, bytes } = await writeFileOf(path, chunks)
      const key = fileKey(sha256)
      const isShared = stored.get(key) === bytes
      if (!isShared) await bucket.putFile(key, path, PARQUET)
      await rm(path)
      stored.set(key, bytes)
      return { sha256, bytes, isShared }
    },
    async publish(manifest: ReleaseManifest, seal: ReleaseSeal) {
      const sizes = await sizesOf(bucket, places.files)
      const lost = manifest.files.find(({ sha256, bytes }) => sizes.get(fileKey(sha256)) !== bytes)
      if (lost !== undefined)
        throw new Error(
          `${bucket.placeOf(fileKey(lost.sha256))} was removed meanwhile; give each installation its own prefix in RELEASES_LOCATION`,
        )
      const putJson = (name: string, value: unknown) =>
        bucket.putText(releaseKey(seal.release_id, name), canonicalJson(value), 'application/json')
      await putJson(SEAL_FILE, seal)
      await putJson(MANIFEST_FILE, manifest)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Sizes of the objects whose keys begin with this, by key. */
async function sizesOf(bucket: S3Bucket, prefix: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { key, bytes } of bucket.list(prefix)) sizes.set(key, bytes)
  return sizes
}

/** Ids with a manifest, with the time of its upload; and ids with a seal. */
async function findReleases(
  bucket: S3Bucket,
  prefix: string,
): Promise<{ readonly manifests: ReadonlyMap<string, Date>; readonly seals: readonly string[] }> {
  const manifests = new Map<string, Date>()
  const seals: string[] = []
  for await (const { key, modifiedAt } of bucket.list(prefix)) {
    const [id = '', name] = key.slice(prefix.length).split('/')
    if (!isReleaseId(id)) continue
    if (name === MANIFEST_FILE) manifests.set(id, modifiedAt)
    else if (name === SEAL_FILE) seals.push(id)
  }
  return { manifests, seals }
}
