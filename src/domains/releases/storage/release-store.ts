import { definePort } from '../../../platform/request/ports.js'
import type { ReleaseManifest, ReleaseSeal } from '../manifest.js'

/** Releases of a dataset that a list has at most: the newest ones. */
export const MAX_LISTED_RELEASES = 5_000

/** A release in the list of its dataset. */
export interface ListedRelease {
  readonly releaseId: string
  /** When the store got it. */
  readonly createdAt: Date
  /** Whether the operator keeps it whatever its age. */
  readonly isPinned: boolean
}

/** Manifest and seal of a release. They never change. */
export interface StoredRelease {
  readonly releaseId: string
  /** The canonical JSON of the manifest, byte by byte: the text that was hashed and signed. */
  readonly manifestText: string
  readonly manifest: ReleaseManifest
  readonly seal: ReleaseSeal
}

/** The first and the last byte of a part of a file; both belong to it. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** How a client gets a file: as bytes of this process, or from an address that is valid for minutes. */
export type ReleaseFileSource =
  | { readonly kind: 'bytes'; readonly body: ReadableStream<Uint8Array> }
  | { readonly kind: 'address'; readonly url: string }

/** A release that is being written. It is not visible before it is published. */
export interface ReleaseDraft {
  /** Stores a file, as fast as the store takes its chunks. `isShared`: the store has had these bytes before. */
  addFile(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly sha256: string; readonly bytes: number; readonly isShared: boolean }>
  /** Makes the release visible, in one step. */
  publish(manifest: ReleaseManifest, seal: ReleaseSeal): Promise<void>
}

/**
 * Where releases are. A dataset without releases has an empty list. An id or a file name that does not exist, in whatever form,
 * is null. Throws if the store cannot be reached. Who writes, pins or removes holds the lock of the dataset's releases.
 */
export interface ReleaseStore {
  /** Whether files are addresses, where a client can read all of a file whatever range it requested. */
  readonly givesAddresses?: true
  /** Newest first. */
  list(dataset: string): Promise<readonly ListedRelease[]>
  read(dataset: string, releaseId: string): Promise<StoredRelease | null>
  /** A file that the manifest names; without a range the whole of it. Sizes are in the manifest. */
  openFile(release: StoredRelease, name: string, range?: ByteRange): Promise<ReleaseFileSource | null>
  /** For people: the directory or s3:// address of a release. */
  placeOf(dataset: string, releaseId: string): string
  /** Removes what killed processes left, and begins a release. `previous`: whose files may be shared. */
  begin(dataset: string, previous: StoredRelease | null): Promise<ReleaseDraft>
  /** False if there is no such release. */
  setPinned(dataset: string, releaseId: string, isPinned: boolean): Promise<boolean>
  /** Removes releases, and the files that no other release has. */
  remove(dataset: string, releaseIds: readonly string[]): Promise<void>
}

/** The lock of a dataset's releases in the database. */
export function releaseLock(dataset: string): string {
  return `release ${dataset}`
}

export const releaseStorePort = definePort<ReleaseStore>('release store')
