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
  /** At least this number of releases of a dataset stays; null without a limit. */
  readonly keep: number | null
  /** Releases of this number of days stay; null without a limit. */
  readonly keepDays: number | null
  /** Whether the schedule writes a release of each dataset that changed in the week. */
  readonly isWeekly: boolean
}

export function parseReleaseSettings(env: z.infer<typeof Environment>): ReleaseSettings {
  return {
    directory: resolve(env.RELEASES_DIR ?? join(env.DATA_DIR, 'releases')),
    bucket: env.RELEASES_URL === undefined ? null : parseBucket(env.RELEASES_URL, env),
    keep: env.RELEASES_KEEP ?? null,
    keepDays: env.RELEASES_KEEP_DAYS ?? null,
    isWeekly: env.RELEASES_WEEKLY === 'on',
  }
}

function parseBucket(address: string, env: z.infer<typeof Environment>): S3Target {
  const [, bucket = '', path = ''] = S3_ADDRESS.exec(address) ?? []
  return {
    endpoint: env.AWS_ENDPOINT_URL ?? `https://s3.${env.AWS_REGION}.amazonaws.com`,
    bucket,
    prefix: path === '' ? '' : `${path.slice(1)}/`,
    region: env.AWS_REGION,
    accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
    sessionToken: env.AWS_SESSION_TOKEN ?? null,
  }
}
