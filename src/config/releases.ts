import { join, resolve } from 'node:path'
import type { z } from 'zod'
import { S3_ADDRESS, type S3Target } from '../platform/object-store/s3-target.js'
import type { Environment } from './environment.js'

/** Where releases are, and which of them stay. */
export interface ReleaseSettings {
  /** Directory of the releases, or of a file that is being written to the bucket. */
  readonly directory: string
  /** Null: they are in the directory. */
  readonly bucket: S3Target | null
  /** Number of newest releases of a dataset that stay; null without a limit. */
  readonly keep: number | null
}

export function parseReleaseSettings(env: z.infer<typeof Environment>): ReleaseSettings {
  const { RELEASES_LOCATION: place = join(env.DATA_DIR, 'releases'), RELEASES_KEEP: keep = null } = env
  const [isBucket, bucket = '', path = ''] = S3_ADDRESS.exec(place) ?? []
  if (isBucket === undefined) return { directory: resolve(place), bucket: null, keep }
  const prefix = path === '' ? '' : `${path.slice(1)}/`
  return { directory: resolve(env.DATA_DIR, 'releases'), bucket: { bucket, prefix }, keep }
}
