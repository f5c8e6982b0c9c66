import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlCredentialCreated } from '../../src/domains/access/sql-credentials/sql-credential-model.js'
import { runAdmin } from '../commands/admin-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { connectAs } from '../support/database/sql-world.js'
import {
  isSignedBy,
  RECEIVER_CERTIFICATE,
  startReceiver,
  type WebhookReceiver,
} from '../support/peers/webhook-receiver.js'
import { runScript } from '../support/processes/run-script.js'
import { ask, cleanUp, type Gateway, newDataDir, START_MS } from './gateway.js'
import { type RollingNodes, startNodes } from './rolling-nodes.js'

interface Key {
  readonly raw_key: string
  readonly key_id: string
  readonly account_id: string
}

interface Hook {
  readonly webhook: { readonly webhook_id: string }
  readonly secret: string
}

/** How soon every node refuses a revoked key, as the guide says. */
const REVOKED_MS = 500
/** How long the old key works beside the new one: long enough for two requests on a busy machine. */
const GRACE_SECONDS = 15
const NOBODY_GETS_IN = /is not permitted to log in|does not exist|authentication failed/

describe.runIf(availableDatabases().includes('postgres'))(
  'callers of two nodes under requests rotate as the guide says',
  { timeout: 3 * START_MS },
  () => {
    let url: string
    let receiver: WebhookReceiver
    let directory: string
    let env: Readonly<Record<string, string>>
    let nodes: RollingNodes
    let demo: Key
    let account: Key
    /** The keys of the requests that go on all the time. */
    let inUse: string[]

    const setDemoKey = (key: Key) => writeFileSync(join(directory, 'DEMO_KEY'), `${key.raw_key}\n`)
    const ofNodes = () => ({ ...env, DEMO_KEY_FILE: join(directory, 'DEMO_KEY') })
    const admin = async <T>(...args: readonly string[]): Promise<T> => {
      const { code, out, err } = await runAdmin({ PATH: process.env.PATH, ...env }, ...args, '--json')
      expect([code, err]).toEqual([0, ''])
      return JSON.parse(out) as T // the caller names what it asserts
    }
    const newAccount = () => admin<Key>('users', 'create', '--tier', 'pro', '--label', 'caller')
    const newDemoKey = async (): Promise<Key> => {
      const args = ['--tier', 'free', '--label', 'demo', '--scopes', 'none']
      const { out } = await runScript('src/commands/key.ts', args, { PATH: process.env.PATH, ...env })
      return JSON.parse(out) as Key // the command's own line
    }

    beforeAll(async () => {
      url = await copyPostgresWorld('empty')
      receiver = await startReceiver()
      directory = dirname(newDataDir())
      env = {
        ...OWN_SECRETS,
        ...{ DATABASE_URL: url, DATA_DIR: join(directory, 'data'), NODE_ENV: 'production', SCHEDULE: 'off' },
        ...{ PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9', BURST_PER_MINUTE: '1000000' },
        ...{ WEBHOOK_PRIVATE_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: RECEIVER_CERTIFICATE },
      }
      ;[demo, account] = [await newDemoKey(), await newAccount()]
      inUse = [account.raw_key]
      setDemoKey(demo)
      nodes = await startNodes(ofNodes())
    }, 3 * START_MS)
    afterAll(async () => {
      await cleanUp()
      await receiver?.close()
      await dropPostgresDatabase(url)
    })

    const node = (at: number): Gateway => nodes.gateways[at] ?? expect.fail('there are two nodes')
    async function send<T>(at: number, method: string, path: string, key: string, body?: object): Promise<T> {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const init = { method, headers: { 'content-type': 'application/json' }, ...json }
      const answer = await ask<T>(node(at).url + path, key, init)
      expect([path, answer.status, answer.text]).toEqual([
        path,
        expect.toBeOneOf([200, 201, 204]),
        answer.text,
      ])
      return answer.body
    }
    /** Statuses of a request with the key to each node. */
    const statuses = (key: string, path = '/auth/me') =>
      Promise.all(nodes.gateways.map(async ({ url: base }) => (await ask(base + path, key)).status))
    let turn = 0
    /** Does the work while requests with the keys in use go on, and are answered. */
    const underRequests = (work: () => Promise<void>) =>
      nodes.underRequests(async (gateway) => {
        turn += 1
        const { status, text } = await ask(`${gateway.url}/auth/me`, inUse[turn % inUse.length] ?? null)
        expect([turn, status, text]).toEqual([turn, 200, text])
      }, work)
    /** The event that a test of the webhook sends. */
    const eventFrom = async (at: number, { webhook }: Hook, key: string) => {
      const before = receiver.events.length
      await send(at, 'POST', `/v1/webhooks/${webhook.webhook_id}/test`, key, {})
      return receiver.events[before] ?? expect.fail('no event came')
    }
    const runsSql = async (login: SqlCredentialCreated) => {
      const session = await connectAs(login)
      expect(await session.run('select count(*)::int from dim_asset')).toEqual([[expect.any(Number)]])
      return session
    }

    it('an API key: both work during the grace, then only the new one, with the webhook and the SQL login', async () => {
      const old = account
      const hook = await send<Hook>(0, 'POST', '/v1/webhooks', old.raw_key, { url: `${receiver.url}/own` })
      const login = await send<SqlCredentialCreated>(
        0,
        'POST',
        '/v1/billing/sql-credentials',
        old.raw_key,
        {},
      )
      const session = await runsSql(login)
      await underRequests(async () => {
        const path = `/auth/keys/${old.key_id}/rotate`
        account = await send<Key>(0, 'POST', path, old.raw_key, { grace_seconds: GRACE_SECONDS })
        expect([await statuses(old.raw_key), await statuses(account.raw_key)]).toEqual([
          [200, 200],
          [200, 200],
        ])
        inUse = [account.raw_key]
        await expect.poll(() => statuses(old.raw_key), { timeout: START_MS }).toEqual([401, 401])
        expect(await statuses(account.raw_key)).toEqual([200, 200])
      })
      for (const at of nodes.gateways.keys())
        expect(isSignedBy(await eventFrom(at, hook, account.raw_key), hook.secret)).toBe(true)
      expect(await session.run('select 1')).toEqual([[1]])
      await session.close()
      await (await runsSql(login)).close()
    })

    it('a leaked API key: every node refuses it half a second after it was revoked', async () => {
      const leaked = await send<Key>(1, 'POST', '/auth/keys', account.raw_key, { label: 'leaked' })
      await underRequests(async () => {
        expect(await statuses(leaked.raw_key)).toEqual([200, 200])
        await send(0, 'DELETE', `/auth/keys/${leaked.key_id}`, account.raw_key)
        await sleep(REVOKED_MS)
        expect(await statuses(leaked.raw_key)).toEqual([401, 401])
      })
    })

    it('the key of a program that cannot log in: the operator creates another one and revokes the old one', async () => {
      const old = await newAccount()
      await underRequests(async () => {
        const created = await admin<Key>('keys', 'create', old.account_id, '--label', 'program')
        expect([await statuses(created.raw_key), await statuses(old.raw_key)]).toEqual([
          [200, 200],
          [200, 200],
        ])
        await admin('keys', 'revoke', old.key_id)
        await sleep(REVOKED_MS)
        expect([await statuses(created.raw_key), await statuses(old.raw_key)]).toEqual([
          [200, 200],
          [401, 401],
        ])
      })
    })

    it('the secret of a webhook: events of every node have both signatures during the overlap', async () => {
      const hook = await send<Hook>(0, 'POST', '/v1/webhooks', account.raw_key, {
        url: `${receiver.url}/two`,
      })
      const path = `/v1/webhooks/${hook.webhook.webhook_id}/rotate-secret`
      const rotated = await send<Hook>(1, 'POST', path, account.raw_key, { overlap_hours: 1 })
      for (const at of nodes.gateways.keys()) {
        const event = await eventFrom(at, hook, account.raw_key)
        expect(String(event.headers['webhook-signature']).split(' ')).toHaveLength(2)
        expect([isSignedBy(event, hook.secret), isSignedBy(event, rotated.secret)]).toEqual([true, true])
      }
      const last = await send<Hook>(0, 'POST', path, account.raw_key, { overlap_hours: 0 })
      for (const at of nodes.gateways.keys()) {
        const event = await eventFrom(at, hook, account.raw_key)
        expect([hook, rotated, last].map(({ secret }) => isSignedBy(event, secret))).toEqual([
          false,
          false,
          true,
        ])
      }
    })

    it('an SQL login: programs use both until the old one is deleted, which ends its sessions', async () => {
      const path = '/v1/billing/sql-credentials'
      const create = (at: number) => send<SqlCredentialCreated>(at, 'POST', path, account.raw_key, {})
      const old = await create(0)
      const before = await runsSql(old)
      const created = await create(1)
      const session = await runsSql(created)
      expect(await before.run('select 1')).toEqual([[1]])
      await send(1, 'DELETE', `${path}/${old.credential_id}`, account.raw_key)
      await before.endsWithin(START_MS)
      await expect(connectAs(old)).rejects.toThrow(NOBODY_GETS_IN)
      expect(await session.run('select 1')).toEqual([[1]])
      await session.close()
      await (await runsSql(created)).close()
    })

    it('DEMO_KEY: pages have the new one after a rolling restart, then the old one is revoked', async () => {
      const pagesShow = (key: Key) =>
        Promise.all(
          nodes.gateways.map(async ({ url: base }) => {
            const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
            return (await ask(`${base}/graphql`, null, { headers })).text.includes(key.raw_key)
          }),
        )
      /** The demo key of the pages may not ask for its account. */
      const works = async ({ raw_key }: Key) =>
        (await statuses(raw_key, '/v1/assets?limit=1')).map((status) => status !== 401)
      expect([await pagesShow(demo), await works(demo)]).toEqual([
        [true, true],
        [true, true],
      ])
      const next = await newDemoKey()
      await underRequests(async () => {
        setDemoKey(next)
        await nodes.restart(ofNodes())
        expect(await pagesShow(next)).toEqual([true, true])
        expect([await pagesShow(demo), await works(demo)]).toEqual([
          [false, false],
          [true, true],
        ])
        await admin('keys', 'revoke', demo.key_id)
        await sleep(REVOKED_MS)
        expect([await works(next), await works(demo)]).toEqual([
          [true, true],
          [false, false],
        ])
      })
    })
  },
)
