import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { addChanges, changesAfter, faultsOfDelivery, newestChangeId } from '../support/app/webhook-world.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { eventually } from '../support/eventually.js'
import { type Balancer, startBalancer } from '../support/peers/balancer.js'
import {
  RECEIVER_CERTIFICATE,
  startReceiver,
  type WebhookReceiver,
} from '../support/peers/webhook-receiver.js'
import { compileNextRelease } from '../support/processes/next-release.js'
import { ask, cleanUp, type Gateway, newDataDir, runToEnd, START_MS, startGateway } from './gateway.js'

const NEXT_VERSION = '99.0.0'

/** What a release may bring: columns of tables that every request reads, their values and index. Each locks one table. */
const EXPAND = [
  {
    name: '20990101000000_key_note',
    sql: `-- Locks: "api_key" against all while rows are filled and indexed, a second per million.
ALTER TABLE "api_key" ADD COLUMN "note" TEXT;
UPDATE "api_key" SET "note" = "label";
CREATE INDEX "api_key_note_idx" ON "api_key"("note");
`,
  },
  {
    name: '20990101000001_account_notes',
    sql: `-- Locks: "account" against all for milliseconds.
ALTER TABLE "account" ADD COLUMN "note_count" INTEGER NOT NULL DEFAULT 0;
CREATE TABLE "key_note" ("id" INTEGER NOT NULL, CONSTRAINT "key_note_pkey" PRIMARY KEY ("id"));
`,
  },
]

/** What no node reads any more. */
const CONTRACT = {
  name: '20990102000000_key_note_contract',
  sql: `-- Locks: "api_key" against all for milliseconds.
ALTER TABLE "api_key" DROP COLUMN "note";
`,
}

/** Clients, each with one connection that it keeps. */
const CLIENTS = 3

/** What a proxy needs to know that a node is going; the manifests wait five seconds. */
const LEAVE_MS = 500

interface Answered {
  readonly status: number
  readonly text: string
}

interface Load {
  readonly failures: string[]
  readonly versions: Set<string>
  answered: number
  longestMs: number
  isOver: boolean
}

/** One client: its requests follow each other on connections that are kept as long as the server keeps them. */
async function runClient(url: string, key: string, load: Load): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = async (expected: number, method: string, path: string, body?: object): Promise<string> => {
    const startedAt = performance.now()
    const outcome = await exchange(agent, url + path, method, key, body)
    load.longestMs = Math.max(load.longestMs, performance.now() - startedAt)
    load.answered += 1
    if (outcome.status !== expected)
      load.failures.push(`${method} ${path}: ${outcome.status} ${outcome.text.slice(0, 200)}`)
    return outcome.text
  }
  while (!load.isOver) {
    load.versions.add(versionIn(await send(200, 'GET', '/healthz')))
    await send(200, 'GET', `/v1/forex?quote=USD&from=${someDay()}`)
    await send(200, 'GET', '/v1/usage')
    const answer = await send(200, 'POST', '/graphql', {
      query: `{ forex(quote: "JPY", from: "${someDay()}") { rows } }`,
    })
    if (answer.includes('"errors"')) load.failures.push(answer.slice(0, 200))
    const made = await send(201, 'POST', '/auth/keys', { label: 'rolling' })
    const id = /"key_id":"([^"]+)"/.exec(made)?.[1]
    if (id !== undefined) await send(204, 'DELETE', `/auth/keys/${id}`)
    await sleep(50)
  }
  agent.destroy()
}

/** Few requests repeat each other, so most are read from the database. */
const someDay = () => new Date(Date.now() - (1 + Math.random() * 700) * 86_400_000).toISOString().slice(0, 10)

const versionIn = (text: string) => /"version":"([^"]+)"/.exec(text)?.[1] ?? ''

/** Status 0: the connection broke before there was an answer. */
function exchange(
  agent: Agent,
  url: string,
  method: string,
  key: string,
  body: object | undefined,
): Promise<Answered> {
  return new Promise((resolve) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const asked = request(url, { agent, method, headers: { 'x-api-key': key, ...json } }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', (error) => resolve({ status: 0, text: String(error) }))
    })
    asked.on('error', (error) => resolve({ status: 0, text: String(error) }))
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

describe.skipIf(!availableDatabases().includes('postgres'))('a rolling update on one database', () => {
  let url: string
  let directory: string
  let database: Database
  let balancer: Balancer
  let receiver: WebhookReceiver
  beforeAll(async () => {
    url = await copyPostgresWorld('current')
    directory = mkdtempSync(join(tmpdir(), 'mdg-next-'))
    database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
    ;[balancer, receiver] = await Promise.all([startBalancer(), startReceiver()])
  }, START_MS)
  afterAll(async () => {
    await cleanUp()
    await Promise.all([balancer?.close(), receiver?.close(), database?.close()])
    await dropPostgresDatabase(url)
    rmSync(directory, { recursive: true, force: true })
  })

  it('fails no request: two nodes, a migration between, and a contract migration behind', {
    timeout: 900_000,
  }, async () => {
    const release = await compileNextRelease(join(directory, 'next'), NEXT_VERSION, [...EXPAND, CONTRACT])
    const env = {
      DATABASE_URL: url,
      ...OWN_SECRETS,
      ...{
        WEBHOOK_PRIVATE_HOSTS: 'localhost',
        NODE_EXTRA_CA_CERTS: RECEIVER_CERTIFICATE,
        BURST_PER_MINUTE: '100000',
      },
    }
    const nodes: Gateway[] = []
    const start = async (options: { readonly release?: string } = {}, seed = 'off') => {
      const gateway = await startGateway({ ...env, DATA_DIR: newDataDir(), SEED: seed }, options)
      nodes.push(gateway)
      await balancer.add(gateway.url)
      return gateway
    }
    const stop = async (gateway: Gateway) => {
      balancer.remove(gateway.url)
      await sleep(LEAVE_MS)
      expect((await gateway.stop('SIGTERM')).code).toBe(0)
    }
    const migrate = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runToEnd('src/cli.ts', ['admin', 'migrate', ...args], env, {
        release,
      })
      expect([code, stderr]).toEqual([0, ''])
      return stdout
    }

    const first = await start({}, 'on')
    const second = await start()
    const key = /^ +enterprise +(mdg_test_\w+)$/m.exec(first.stdout())?.[1] ?? ''
    const registered = await ask(`${balancer.url}/v1/webhooks`, key, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.url}/changes` }),
    })
    expect(registered.status).toBe(201)
    const before = await newestChangeId(database)

    const load: Load = { failures: [], versions: new Set(), answered: 0, longestMs: 0, isOver: false }
    const clients = Array.from({ length: CLIENTS }, () => runClient(balancer.url, key, load))
    const some = async () => {
      const until = load.answered + 100
      await addChanges(database, 10)
      await eventually(() => expect(load.answered).toBeGreaterThan(until))
    }
    await some()
    expect(await migrate()).toBe(
      `${EXPAND.map(({ name }) => `applied ${name}\n`).join('')}${CONTRACT.name}: when every node runs this version, run npm run admin -- migrate --contract\n`,
    )
    const doctor = await runToEnd('src/cli.ts', ['admin', 'doctor'], env, { release })
    expect(doctor.stdout).toContain(`contract migrations wait: ${CONTRACT.name}`)
    await some()
    const third = await start({ release })
    await stop(first)
    await some()
    const fourth = await start({ release })
    await stop(second)
    await some()
    expect(await migrate('--contract')).toBe(`applied ${CONTRACT.name}\n`)
    await some()
    load.isOver = true
    await Promise.all(clients)

    process.stdout.write(
      `rolling update: ${load.answered} requests, ${load.failures.length} failed, longest ${Math.round(load.longestMs)} ms\n`,
    )
    const lines = nodes.flatMap((node) => node.stdout().split('\n'))
    const logged = load.failures.slice(0, 3).map((failure) => {
      const id = /"request_id":"([^"]+)"/.exec(failure)?.[1] ?? 'none'
      return [failure, ...lines.filter((line) => line.includes(id))]
    })
    expect(logged).toEqual([])
    expect(load.answered).toBeGreaterThan(500)
    expect([...load.versions].sort()).toEqual([expect.stringMatching(/^0\./), NEXT_VERSION])
    const changes = await changesAfter(database, before)
    expect(changes).toHaveLength(50)
    await eventually(() => expect(faultsOfDelivery(changes, receiver.events)).toEqual([]))
    await Promise.all([stop(third), stop(fourth)])
  })
})
