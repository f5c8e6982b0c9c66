// The package has no types.
declare module '@20minutes/s3rver/lib/models/account.js' {
  /** The account that everything belongs to. */
  export const DUMMY_ACCOUNT: {
    createKeyPair(accessKeyId: string, secretAccessKey: string): void
    revokeAccessKey(accessKeyId: string): void
  }
}

declare module '@20minutes/s3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** Of Koa. */
  interface Context {
    readonly path: string
    mountPath?: string
    readonly state: object
  }

  class S3rver {
    constructor(options: {
      readonly directory: string
      readonly silent: boolean
      readonly configureBuckets: readonly { readonly name: string }[]
    })
    configureBuckets(): Promise<unknown>
    readonly middleware: ((context: Context, next: () => Promise<void>) => Promise<void>)[]
    callback(): (request: IncomingMessage, response: ServerResponse) => void
  }
  // As CommonJS has it.
  export = S3rver
}
