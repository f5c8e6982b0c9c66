import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createDirectoryReleases } from '../../../src/domains/releases/storage/directory-releases.js'
import type { ReleaseTable } from '../../../src/domains/releases/tables/release-table.js'
import { RELEASE_TABLES } from '../../../src/domains/releases/tables/release-tables.js'
import { type WrittenRelease, writeRelease } from '../../../src/domains/releases/write-release.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createSigner, parseSigningKey, publicKeySet } from '../../../src/platform/secrets/signing.js'

const KEY = parseSigningKey(Buffer.alloc(32, 7).toString('base64url'))

/** Options that check a release of `writeTo`. */
export const SIGNED = { keys: publicKeySet([KEY]).keys, mustBeSigned: true }

export const newPlace = () => mkdtemp(join(tmpdir(), 'releases-'))

export const tableOf = (dataset: string): ReleaseTable =>
  RELEASE_TABLES.find((table) => table.dataset === dataset) ?? expect.fail(`no table of ${dataset}`)

/** Writes a signed release of a dataset into a directory. */
export function writeTo(place: string, database: Database, dataset: string): Promise<WrittenRelease> {
  const { signal } = new AbortController()
  const releases = createDirectoryReleases(place)
  return writeRelease({ database, releases, signer: createSigner(KEY), signal }, tableOf(dataset))
}
