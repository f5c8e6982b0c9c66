import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { pepperId } from '../../src/platform/secrets/peppers.js'
import { parseSigningKey } from '../../src/platform/secrets/signing.js'
import { runAdmin } from '../commands/admin-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { blocksOfGuide } from '../support/guides/blocks.js'
import {
  isSignedBy,
  RECEIVER_CERTIFICATE,
  startReceiver,
  type WebhookReceiver,
} from '../support/peers/webhook-receiver.js'
import { compiled } from '../support/processes/compiled.js'
import { ask, cleanUp, type Gateway, newDataDir, runToEnd, START_MS } from './gateway.js'
import { type RollingNodes, startNodes } from './rolling-nodes.js'

const OLD = OWN_SECRETS.KEY_PEPPER
const NEW = 'the pepper that replaces it, 32 characters or more'
const BLOCKS = blocksOfGuide('rotation')
/** The settings of each step of KEY_PEPPER, as the guide shows them. */
const STEPS = BLOCKS.filter(({ language }) => language === 'ini').map(({ text }) =>
  Object.fromEntries(
    Array.from(text.matchAll(/^(\w+)=(\w+)$/gm), ([, name = '', value = '']) => [
      name,
      value.replace('OLD', OLD).replace('NEW', NEW),
    ]),
  ),
)
/** The words of the command in the guide that contains the text. */
function commandOf(text: string): readonly string[] {
  const block = BLOCKS.find((one) => one.language === 'sh' && one.text.includes(text))
  const [, words = ''] = /npm run admin -- (secrets rotate \w+)/.exec(block?.text ?? '') ?? []
  return words.split(' ')
}

interface Key {
  readonly raw_key: string
  readonly key_id: string
  readonly account_id: string
}

const LOGIN = { email: 'ada@example.org', password: 'correct horse battery' }

const jwtKey = (kid: string, byte: number) => `${kid}:${Buffer.alloc(32, byte).toString('base64url')}`

describe.runIf(availableDatabases().includes('postgres'))(
  'two nodes under requests',
  { timeout: 6 * START_MS },
  () => {
    let url: string
    let database: Database
    let receiver: WebhookReceiver
    let base: Readonly<Record<string, string>>
    let nodes: RollingNodes
    const used: Key[] = []
    let unused: Key
    let hook: { readonly webhook: { readonly webhook_id: string }; readonly secret: string }
    let token: string

    beforeAll(async () => {
      url = await copyPostgresWorld('seeded')
      receiver = await startReceiver()
      database = await openDatabase({ kind: 'postgres', url, poolSize: 3 })
      base = {
        ...OWN_SECRETS,
        ...{ DATABASE_URL: url, DATA_DIR: newDataDir(), NODE_ENV: 'production', SCHEDULE: 'off' },
        ...{ PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9', BURST_PER_MINUTE: '1000000' },
        ...{ WEBHOOK_PRIVATE_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: RECEIVER_CERTIFICATE },
      }
      nodes = await startNodes(base)
      for (const label of ['one', 'two', 'three']) used.push(await newAccount(label))
      unused = await newAccount('unused')
      hook = await post(gateway(0), '/v1/webhooks', { url: `${receiver.url}/changes` })
      for (const path of ['second', 'third'])
        await post(gateway(1), '/v1/webhooks', { url: `${receiver.url}/${path}` })
      token = (await post<{ access_token: string }>(gateway(0), '/auth/register', LOGIN)).access_token
    }, 3 * START_MS)
    afterAll(async () => {
      await cleanUp()
      await receiver?.close()
      await database?.close()
      await dropPostgresDatabase(url)
    })

    const gateway = (at: number): Gateway => nodes.gateways[at] ?? expect.fail('there are two nodes')
    const admin = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      runAdmin({ PATH: process.env.PATH, ...base, ...env }, ...args)
    const newAccount = async (label: string): Promise<Key> =>
      JSON.parse((await admin({}, 'users', 'create', '--tier', 'pro', '--label', label, '--json')).out) as Key
    async function post<T>(
      node: Gateway,
      path: string,
      body: object,
      key = used[0]?.raw_key ?? null,
    ): Promise<T> {
      const headers = { 'content-type': 'application/json' }
      const answer = await ask<T>(node.url + path, key, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      expect([path, answer.status, answer.text]).toEqual([path, expect.toBeOneOf([200, 201]), answer.text])
      return answer.body
    }
    const statusOf = async (node: Gateway, key: string) => (await ask(`${node.url}/auth/me`, key)).status
    let turn = 0
    /** Any key that is in use, or the token. */
    const askAnything = async (node: Gateway) => {
      turn += 1
      const key = used[turn % (used.length + 1)]
      const answer =
        key === undefined
          ? await ask(`${node.url}/auth/me`, null, { headers: { authorization: `Bearer ${token}` } })
          : await ask(`${node.url}/auth/me`, key.raw_key)
      expect([turn, answer.status, answer.text]).toEqual([turn, 200, answer.text])
    }
    /** Keys that either node makes work on both at once, and events are signed with the secret that the receiver knows. */
    const allWorksEverywhere = async () => {
      for (const node of nodes.gateways) {
        const made = await post<Key>(node, '/auth/keys', { label: `of step ${used.length}` })
        for (const other of nodes.gateways) expect(await statusOf(other, made.raw_key)).toBe(200)
        used.push(made)
        const before = receiver.events.length
        await post(node, `/v1/webhooks/${hook.webhook.webhook_id}/test`, {})
        const event = receiver.events[before] ?? expect.fail('no event came')
        expect(isSignedBy(event, hook.secret)).toBe(true)
      }
    }
    const refusedStart = async (env: Readonly<Record<string, string>>) => {
      const { code, stderr } = await runToEnd('src/main.ts', [], { ...base, ...env })
      expect(code).toBe(1)
      return stderr
    }

    const seedOf = (byte: number) => Buffer.alloc(32, byte).toString('base64url')

    it('rotate SIGNING_KEY as the guide says: each public key is published before a node signs with it', async () => {
      const first = { SIGNING_KEY: seedOf(7) }
      const second = { SIGNING_KEY: seedOf(8) }
      const ids = [first, second].map(({ SIGNING_KEY }) => parseSigningKey(SIGNING_KEY).keyId)
      const idsOn = async (node: Gateway) => {
        const { body } = await ask<{ keys: { kid: string }[] }>(`${node.url}/.well-known/jwks.json`, null)
        return body.keys.map(({ kid }) => kid)
      }
      await nodes.underRequests(askAnything, async () => {
        await nodes.restart({ ...base, ...first })
        const { code, out } = await admin(second, ...commandOf('SIGNING_KEY'))
        expect([code, out]).toEqual([
          0,
          expect.stringContaining(`the public key ${ids[1]} is published beside 1 others`),
        ])
        // Nodes read the keys once a minute.
        for (const node of nodes.gateways)
          await expect.poll(() => idsOn(node), { timeout: 90_000, interval: 1_000 }).toEqual(ids)
        await nodes.restart({ ...base, ...second }, async () => {
          for (const node of nodes.gateways) expect((await idsOn(node)).toSorted()).toEqual(ids.toSorted())
        })
      })
    })

    it('rotate JWT_KEYS as the guide says: tokens of the old and the new key work everywhere', async () => {
      const [older, newer] = [base.JWT_KEYS ?? '', jwtKey('newer', 2)]
      const tokens = [token]
      const loggedIn = async (node: Gateway) => {
        tokens.push((await post<{ access_token: string }>(node, '/auth/login', LOGIN)).access_token)
        token = tokens.at(-1) ?? token
        for (const other of nodes.gateways)
          for (const one of tokens.slice(-4)) {
            const headers = { authorization: `Bearer ${one}` }
            expect((await ask(`${other.url}/auth/me`, null, { headers })).status).toBe(200)
          }
      }
      await nodes.underRequests(askAnything, async () => {
        expect(await refusedStart({ JWT_KEYS: `${newer},${older}` })).toContain(
          'start every node with this key behind the old one first',
        )
        await nodes.restart({ ...base, JWT_KEYS: `${older},${newer}` }, loggedIn)
        await nodes.restart({ ...base, JWT_KEYS: `${newer},${older}` }, loggedIn)
        // The test waits no hour: only tokens of the new key are in use from here on.
        tokens.splice(0, tokens.length, token)
        await nodes.restart({ ...base, JWT_KEYS: newer }, loggedIn)
      })
      expect(await refusedStart({})).toContain('JWT_KEYS is not the one that this installation uses')
      base = { ...base, JWT_KEYS: newer }
    })

    it('rotate KEY_PEPPER as the guide says: every request is answered, and a killed command goes on', async () => {
      expect(STEPS).toEqual([{ KEY_PEPPER: NEW, KEY_PEPPER_PREVIOUS: OLD }, { KEY_PEPPER: NEW }])
      const [switched = {}, finished = {}] = STEPS
      await nodes.underRequests(askAnything, async () => {
        const wrong = { ...switched, KEY_PEPPER_PREVIOUS: `${OLD}, but another one` }
        expect(await refusedStart(wrong)).toContain('KEY_PEPPER is not the one that this installation uses')
        await nodes.restart({ ...base, ...switched }, allWorksEverywhere)
        await killedOnce(switched)
        const { code, out } = await admin(switched, ...commandOf('KEY_PEPPER'))
        expect([code, out]).toEqual([
          0,
          expect.stringContaining('0 webhooks and 0 public keys of snapshots need another'),
        ])
        await allWorksEverywhere()
        await nodes.restart({ ...base, ...finished }, allWorksEverywhere)
      })
      expect(nodes.answered()).toBeGreaterThan(500)
      for (const node of nodes.gateways) {
        expect(await statusOf(node, unused.raw_key)).toBe(200)
        expect(node.stdout()).not.toContain(OLD)
        expect(node.stdout()).not.toContain(NEW)
      }
      expect(await refusedStart({})).toContain('KEY_PEPPER is not the one that this installation uses')
    })

    it('go on after the loss of KEY_PEPPER as the guide on recovery says, with the same keys and new secrets', async () => {
      const fresh = { KEY_PEPPER: 'a pepper in the place of a lost one, 32 characters or more' }
      expect(await refusedStart(fresh)).toContain(
        'if the old value is lost, run npm run admin -- secrets forget KEY',
      )
      const { code, out } = await admin(fresh, 'secrets', 'forget', 'KEY_PEPPER')
      expect([code, out]).toEqual([
        0,
        expect.stringContaining('KEY_PEPPER is forgotten; the next start records its own'),
      ])
      const [owner] = used
      if (owner === undefined) throw new Error('no account has a key')
      await nodes.restart({ ...base, ...fresh })
      const [node] = nodes.gateways
      if (node === undefined) throw new Error('no node runs')
      expect(await statusOf(node, owner.raw_key)).toBe(200)
      const path = `/v1/webhooks/${hook.webhook.webhook_id}`
      const { secret } = await post<{ secret: string }>(node, `${path}/rotate-secret`, {}, owner.raw_key)
      const before = receiver.events.length
      await post(node, `${path}/test`, {}, owner.raw_key)
      expect(isSignedBy(receiver.events[before] ?? expect.fail('no event came'), secret)).toBe(true)
    })

    /** Starts the command while a transaction holds the last of three webhooks, and kills it when it has moved the others. */
    async function killedOnce(settings: Readonly<Record<string, string>>): Promise<void> {
      const moved = async () =>
        (
          await database.rows('select 1 as moved from webhook where substr(seed, 1, 8) = $1', [
            Buffer.from(pepperId(NEW), 'hex'),
          ])
        ).length
      await database.transaction(async (tx) => {
        await tx.rows('select 1 as held from webhook order by webhook_id desc limit 1 for update')
        const child = spawn(
          process.execPath,
          [await compiled('src/commands/admin.ts'), ...commandOf('KEY_PEPPER')],
          {
            env: { PATH: process.env.PATH, ...base, ...settings },
          },
        )
        const ended = once(child, 'close')
        await expect.poll(moved, { timeout: START_MS }).toBe(2)
        child.kill('SIGKILL')
        expect(await ended).toEqual([null, 'SIGKILL'])
        // The server may still run the statement that waits for the third one, once this transaction ends.
        expect(await moved()).toBe(2)
      })
    }
  },
)
