import type { S3ClientConfig } from '@aws-sdk/client-s3'

/** A bucket of an S3-compatible object store. */
export interface S3Target {
  readonly bucket: string
  /** Keys begin with it; empty, or ends with a slash. */
  readonly prefix: string
  /** Replaces what the SDK finds in the variables and files of AWS. */
  readonly client?: Pick<S3ClientConfig, 'endpoint' | 'region' | 'credentials'>
}

/** s3://bucket or s3://bucket/prefix. */
export const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w-][\w.-]*){0,10})\/?$/
