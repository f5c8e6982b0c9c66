import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  RELEASE_FORMAT,
  type ReleaseFile,
  type ReleaseManifest,
  sealOf,
} from '../../../src/domains/releases/manifest.js'
import { createDirectoryReleases } from '../../../src/domains/releases/storage/directory-releases.js'
import type { ReleaseStore, StoredRelease } from '../../../src/domains/releases/storage/release-store.js'

/** A directory with a release of forex, for `RELEASES_LOCATION`, and how it is named. */
export async function exampleReleases() {
  const directory = await mkdtemp(join(tmpdir(), 'releases-'))
  const manifest = exampleRelease('2026-11-19T00:00:00.000Z')
  const releaseId = await publishExample(createDirectoryReleases(directory), manifest)
  return {
    env: { RELEASES_LOCATION: directory },
    named: { dataset: manifest.dataset, release_id: releaseId },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** The manifest of a release without files. */
export function exampleRelease(knownAt: string, predecessor: StoredRelease | null = null): ReleaseManifest {
  return {
    format: RELEASE_FORMAT,
    dataset: 'forex',
    known_at: knownAt,
    is_dev_dataset: true,
    rows: 0,
    bytes: 0,
    files: [],
    schema: [],
    sorted_by: [],
    gaps: [],
    further_gaps: 0,
    sources: [],
    left_out: [],
    methodology_versions: [],
    predecessor:
      predecessor === null
        ? null
        : { release_id: predecessor.releaseId, content_hash: predecessor.seal.content_hash },
  }
}

/** Publishes a release with files of these texts, by period, and returns its id. */
export async function publishExample(
  store: ReleaseStore,
  manifest: ReleaseManifest,
  texts: Readonly<Record<string, string>> = {},
  previous: StoredRelease | null = null,
): Promise<string> {
  const draft = await store.begin(manifest.dataset, previous)
  const files: ReleaseFile[] = []
  for (const [period, text] of Object.entries(texts)) {
    const { sha256, bytes } = await draft.addFile(`${period}.parquet`, chunksOf(text))
    const name = `${period}.parquet`
    files.push({ name, sha256, bytes, rows: 1, first_period: period, last_period: period })
  }
  const complete = { ...manifest, files, rows: files.length }
  const seal = sealOf(complete, null)
  await draft.publish(complete, seal)
  return seal.release_id
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  for (const character of text) yield Buffer.from(character)
}
