import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { DUMMY_ACCOUNT } from '@20minutes/s3rver/lib/models/account.js'
import type { S3Target } from '../../../src/platform/object-store/s3-target.js'

export interface LocalS3 {
  readonly target: S3Target
  /** Variables of a process that uses it, with the prefix of the target. */
  readonly env: Readonly<Record<string, string>>
  /** Method and path of each request. */
  readonly requests: string[]
  /** Answers the next requests instead of the store; null: the store answers. */
  intercept:
    | ((request: IncomingMessage) => { readonly status: number; readonly body?: string } | 'silence' | null)
    | null
  /** Ids of uploads in parts that have not ended. */
  openUploads(): readonly string[]
  /** A further key of its account, or the end of one. A key with a token is refused without it. */
  addKey(accessKeyId: string, secretAccessKey: string, sessionToken?: string): void
  removeKey(accessKeyId: string): void
  close(): Promise<void>
}

const BUCKET = 'releases'

/** An S3 server of this process, which checks signatures. It also lists and ends uploads in parts, which s3rver cannot. */
export async function startLocalS3(): Promise<LocalS3> {
  const directory = await mkdtemp(join(tmpdir(), 'mdg-s3-'))
  const store = new S3rver({ directory, silent: true, configureBuckets: [{ name: BUCKET }] })
  await store.configureBuckets()
  // The SDK ends the path of a bucket with a slash and signs it, which s3rver expects only of hosts that name a bucket.
  store.middleware.unshift((context, next) => {
    if (context.path === `/${BUCKET}/`) {
      context.mountPath = '/'
      Object.defineProperty(context.state, 'vhost', { get: () => true, set: () => {} })
    }
    return next()
  })
  const handle = store.callback()
  const uploads = join(directory, BUCKET, '._S3rver_uploads')
  const tokens = new Map<string, string>()
  const openUploads = () => (existsSync(uploads) ? readdirSync(uploads) : [])
  const local: { -readonly [Key in keyof LocalS3]: LocalS3[Key] } = {
    target: { bucket: BUCKET, prefix: 'market-data/' },
    env: {},
    requests: [],
    intercept: null,
    openUploads,
    addKey: (id, secret, token) => {
      DUMMY_ACCOUNT.createKeyPair(id, secret)
      if (token !== undefined) tokens.set(id, token)
    },
    removeKey: (id) => {
      DUMMY_ACCOUNT.revokeAccessKey(id)
      tokens.delete(id)
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    local.requests.push(`${request.method} ${url.pathname}`)
    const failure = local.intercept?.(request) ?? null
    if (failure === 'silence') return
    if (failure !== null) {
      response.writeHead(failure.status).end(failure.body)
      return
    }
    const { keyId, token } = signatureOf(request, url)
    if (tokens.has(keyId) && tokens.get(keyId) !== token) {
      response.writeHead(403).end('<Error><Code>InvalidToken</Code></Error>')
      return
    }
    if (request.method === 'GET' && url.searchParams.has('uploads')) {
      const found = openUploads().map((id) => {
        const key = readFileSync(join(uploads, id, 'key'), 'utf8')
        return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`
      })
      response.end(`<ListMultipartUploadsResult>${found.join('')}</ListMultipartUploadsResult>`)
      return
    }
    const id = url.searchParams.get('uploadId')
    if (request.method === 'DELETE' && id !== null) {
      rmSync(join(uploads, id), { recursive: true })
      response.writeHead(204).end()
      return
    }
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { endpoint, region: 'us-east-1', credentials: CREDENTIALS }
  local.target = { ...local.target, client }
  local.env = {
    RELEASES_LOCATION: `s3://${BUCKET}/market-data`,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  }
  return local
}

/** The key and the token of a signed request or a signed address. */
function signatureOf({ headers }: IncomingMessage, { searchParams }: URL) {
  const credential = searchParams.get('X-Amz-Credential') ?? headers.authorization?.split('Credential=')[1]
  const token = searchParams.get('X-Amz-Security-Token') ?? headers['x-amz-security-token']
  return { keyId: credential?.split('/')[0] ?? '', token }
}

/** The ones that s3rver knows. */
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
