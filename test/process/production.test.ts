import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { ask, cleanUp, type Gateway, newDataDir, runToEnd, START_MS, startGateway } from './gateway.js'

interface ErrorBody {
  readonly error: string
  readonly message: string
}
interface GraphBody {
  readonly data: Record<string, unknown> | null
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
}

afterAll(cleanUp)

it(
  'refuses to start in production without its secrets, with one message that lists them and what else is wrong',
  async () => {
    const dataDir = newDataDir()
    const { code, stdout, stderr } = await runToEnd('src/main.ts', [], {
      NODE_ENV: 'production',
      DATA_DIR: dataDir,
      METRICS_PORT: 'many',
      REDIS_URL: 'localhost',
    })
    expect([code, stdout]).toEqual([78, ''])
    expect(stderr.split('\n')).toEqual([
      'The configuration has errors:',
      '  - DATABASE_URL is missing: the PostgreSQL database, postgresql://…',
      '  - KEY_PEPPER is missing: the secret that seals secrets of webhooks and signs links in mails, at least 32 random characters',
      '  - JWT_KEYS is missing: the signing keys of access tokens, kid:base64url[,kid:base64url…]',
      expect.stringMatching(/^ {2}- METRICS_PORT: /),
      '  - REDIS_URL: must begin with redis://; a cluster is redis+cluster://host:6379,host:6379',
      '',
    ])
    expect(existsSync(dataDir)).toBe(false)
  },
  START_MS,
)

describe.runIf(availableDatabases().includes('postgres'))('production on an empty PostgreSQL', () => {
  const dataDir = newDataDir()
  const secret = (bytes: number) => randomBytes(bytes).toString('base64url')
  let env: Record<string, string>
  let gateway: Gateway
  let key: { raw_key: string; key_prefix: string }

  const graphql = (query: string, withKey: string | null) =>
    ask<GraphBody>(`${gateway.url}/graphql`, withKey, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })

  beforeAll(async () => {
    env = {
      NODE_ENV: 'production',
      SCHEDULE: 'off',
      DATA_DIR: dataDir,
      DATABASE_URL: await createPostgresDatabase(),
      KEY_PEPPER: secret(32),
      JWT_KEYS: `k1:${secret(32)}`,
    }
    gateway = await startGateway(env)
    const made = await runToEnd('src/commands/key.ts', ['--tier', 'pro', '--label', 'operations'], env)
    expect([made.code, made.stderr]).toEqual([0, ''])
    key = JSON.parse(made.stdout) as typeof key // the script's own line
  }, START_MS)
  afterAll(async () => {
    await gateway?.stop('SIGTERM')
    await dropPostgresDatabase(env.DATABASE_URL ?? '')
  })

  it('creates no development keys, prints no welcome and does not use DATA_DIR', () => {
    expect(existsSync(dataDir)).toBe(false)
    expect(gateway.stdout()).not.toContain('mdg_')
    expect(gateway.stdout()).not.toContain('development')
  })

  it('logs in JSON, without warnings', () => {
    const levels = gateway
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).level)
    expect([...new Set(levels)]).toEqual([30])
  })

  it('is ready, and accepts a live key that a command created', async () => {
    expect((await ask(`${gateway.url}/readyz`, null)).status).toBe(200)
    expect(key.raw_key).toMatch(/^mdg_live_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}$/)
    expect(key.key_prefix).toBe(key.raw_key.slice(0, 16))
    expect((await ask(`${gateway.url}/v1/usage`, key.raw_key)).status).toBe(200)
  })

  it.each(['/v1/forex?quote=USD', '/v1/assets'])(
    'holds no seed: %s is 503 and says that the data is not there yet',
    async (path) => {
      const { status, body } = await ask<ErrorBody>(gateway.url + path, key.raw_key)
      expect([status, body.error]).toEqual([503, 'service_unavailable'])
      expect(body.message).toMatch(/no data|not.*(loaded|ingested|there)|yet/i)
    },
  )

  it('shows its schema to callers with a key only', async () => {
    const ask = '{ __schema { queryType { name } } }'
    const anonymous = await graphql(ask, null)
    expect([anonymous.status, anonymous.body.errors?.[0]?.extensions.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(anonymous.text).not.toContain('Query')
    const type = await graphql('{ __type(name: "AssetCard") { name } }', null)
    expect(type.status).toBe(401)
    const hidden = await graphql(
      'query { ...F } fragment F on Query { __schema { queryType { name } } }',
      null,
    )
    expect(hidden.status).toBe(401)
    // An alias is refused for everybody.
    const renamed = await graphql('{ hidden: __schema { queryType { name } } }', null)
    expect(renamed.status).toBe(400)
    expect(renamed.text).not.toContain('Query"')
    const caller = await graphql(ask, key.raw_key)
    expect([caller.status, caller.body.data]).toEqual([200, { __schema: { queryType: { name: 'Query' } } }])
  })

  it('embeds no key in its pages', async () => {
    for (const path of ['/graphql', '/docs']) {
      const page = await ask(gateway.url + path, null, { headers: { accept: 'text/html' } })
      expect([path, page.status]).toEqual([path, 200])
      expect(page.text).not.toContain('mdg_')
    }
  })

  it('serves metrics on their own port only', async () => {
    const own = await ask(`${gateway.metricsUrl}/metrics`, null)
    expect(own.status).toBe(200)
    expect(own.text).toContain('gateway_request_duration_seconds_count')
    const main = await ask(`${gateway.url}/metrics`, key.raw_key)
    expect(main.status).toBe(404)
    expect(main.text).not.toContain('gateway_')
    expect((await ask(`${gateway.metricsUrl}/v1/usage`, key.raw_key)).status).toBe(404)
  })

  it.each(['[', 'a b', 'x:port'])(
    'tells nothing of the inside to a request for the host "%s"',
    async (host) => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      let answer = ''
      for await (const chunk of socket) answer += String(chunk)
      expect(answer).not.toMatch(/node_modules|TypeError|\n {4}at /)
      expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /)
      expect((await ask(`${gateway.url}/healthz`, null)).status).toBe(200)
    },
  )
})
