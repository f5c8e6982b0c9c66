/** A bucket of an S3-compatible object store, and the credentials for it. */
export interface S3Target {
  /** The address of the service; the bucket is the first part of the path. */
  readonly endpoint: string
  readonly bucket: string
  /** Keys begin with it; empty, or ends with a slash. */
  readonly prefix: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials; null for lasting ones. */
  readonly sessionToken: string | null
}

/** s3://bucket or s3://bucket/prefix. */
export const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w-][\w.-]*){0,10})\/?$/
