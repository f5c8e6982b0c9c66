import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { ACCESS_PARTS } from '../../src/access.js'
import { systemClock } from '../../src/core/time.js'
import { createAccountWithKey } from '../../src/domains/access/operator.js'
import { createAccess } from '../../src/domains/access/service.js'
import { lastWholeWeek } from '../../src/domains/newsletter/issues/issue-week.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { addresses, addSubscribers } from '../support/app/newsletter-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { type MailRules, type MailServer, startMailServer } from '../support/peers/mail-server.js'
import { ask, cleanUp, type Gateway, START_MS, seededDataDir, startGateway } from './gateway.js'

/** A kill, a start and the end of a lease that nobody released, three times, and twenty seconds of mails. */
const TEST_MS = 4 * START_MS

const READERS = addresses(200)
const ISSUE = lastWholeWeek(new Date()).issueId

let mail: MailServer | undefined
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await cleanUp()
  for (const close of closing.splice(0).reverse()) await close()
  await mail?.close()
})
afterAll(cleanUp)

interface Progress {
  readonly recipients: number
  readonly accepted: number
  readonly rejected: number
  readonly failed: number
  readonly unconfirmed: number
  readonly pending: number
  readonly sent_at: string | null
}

async function send({ url }: Gateway, key: string): Promise<Progress> {
  const { status, body } = await ask<{ data: Progress }>(`${url}/v1/newsletter/send`, key, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ issue_id: ISSUE }),
  })
  expect([status, body]).toMatchObject([200, { data: {} }])
  return body.data
}

/** Subscribers and a key with the scope admin, in a database that no gateway has open just now. */
async function prepared(database: Database, pepper: string): Promise<string> {
  const options = { database, clock: systemClock, log: { warn: () => {} }, pepper, mode: 'test' } as const
  const access = createAccess({ ...options, tokenKeys: OWN_SECRETS.JWT_KEYS, ...ACCESS_PARTS })
  await addSubscribers(database, READERS)
  const { raw_key } = await createAccountWithKey(access, {
    tier: 'enterprise',
    label: 'admin',
    grants: ['admin'],
  })
  await access.close()
  return raw_key
}

/** Runs gateways one after another, each killed by the moment that the mail server calls it. */
async function startedMail(
  onMoment: (name: 'recipient' | 'mail' | 'answered', count: number) => void,
): Promise<MailServer> {
  const rules: MailRules = {
    onRecipient: (_, asked) => onMoment('recipient', asked),
    onMail: (_, taken) => {
      onMoment('mail', taken)
      setImmediate(() => onMoment('answered', taken))
    },
  }
  mail = await startMailServer(rules)
  return mail
}

function mailEnv(url: string, rate: number) {
  return { SMTP_URL: url, NEWSLETTER_FROM: 'news@gateway.example', NEWSLETTER_RATE: String(rate) }
}

/** Mails after which a node is killed. */
const KILLS = [30, 80, 130]
/** One for each 600 mails per minute. */
const CONNECTIONS = 4

describe('an issue for 200 recipients', () => {
  it(
    'reaches each though the gateway is killed three times, and twice only one that was taken when it was killed, with one Message-ID',
    async () => {
      const dataDir = await seededDataDir()
      const database = await openDatabase({ kind: 'embedded', directory: dataDir })
      const key = await prepared(database, OWN_SECRETS.KEY_PEPPER)
      await database.close()
      // One connection at this rate, so that no other mail is under way when a moment comes.
      const moments = [
        ['recipient', 40],
        ['mail', 90],
        ['answered', 140],
      ] as const
      let next = 0
      let gateway: Gateway | undefined
      const server = await startedMail((name, count) => {
        const [wanted, from] = moments[next] ?? []
        if (name !== wanted || count < (from ?? 0) || gateway === undefined) return
        next += 1
        process.kill(gateway.pid, 'SIGKILL')
      })
      const env = { DATA_DIR: dataDir, ...OWN_SECRETS, ...mailEnv(server.url, 600) }
      let progress: Progress | undefined
      for (const killed of [0, 1, 2, 3]) {
        gateway = await startGateway(env)
        // A restart needs no second request: it goes on by itself.
        if (killed === 0) progress = await send(gateway, key)
        if (killed < moments.length) {
          await gateway.ended
          expect(next).toBe(killed + 1)
          continue
        }
        while (progress?.sent_at === null) {
          await sleep(1_000)
          progress = await send(gateway, key)
        }
      }
      expect(new Set(server.mails.map(({ to }) => to))).toEqual(new Set(READERS))
      expect(new Set(server.mails.map(({ headers }) => headers.get('message-id'))).size).toBe(200)
      // The one that was taken and not answered; of the one that was answered the answer may have been stored in time.
      expect([1, 2]).toContain(server.mails.length - 200)
      expect(progress).toMatchObject({ recipients: 200, accepted: 200 })
    },
    TEST_MS,
  )

  it.skipIf(!availableDatabases().includes('postgres'))(
    'reaches each though nodes are killed at any moment, and twice at most one for each connection of a killed node',
    async () => {
      const url = await copyPostgresWorld('current')
      closing.push(() => dropPostgresDatabase(url))
      const database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
      closing.push(() => database.close())
      const key = await prepared(database, OWN_SECRETS.KEY_PEPPER)
      const server = await startedMail(() => {})
      const env = { DATABASE_URL: url, ...OWN_SECRETS, ...mailEnv(server.url, 600 * CONNECTIONS) }
      let nodes = await Promise.all([startGateway(env), startGateway(env)])
      await Promise.all(nodes.map((node) => send(node, key)))
      for (const [at, mails] of KILLS.entries()) {
        while (server.mails.length < mails) await sleep(5)
        // Whichever of the two sends: both are killed in turn.
        const [killed, other] = at % 2 === 0 ? nodes : nodes.toReversed()
        if (killed === undefined || other === undefined) throw new Error('there are two nodes')
        await killed.stop('SIGKILL')
        nodes = [other, await startGateway(env)]
      }
      const [node] = nodes
      if (node === undefined) throw new Error('there are two nodes')
      let progress = await send(node, key)
      while (progress.sent_at === null) {
        await sleep(1_000)
        progress = await send(node, key)
      }
      expect(new Set(server.mails.map(({ to }) => to))).toEqual(new Set(READERS))
      expect(new Set(server.mails.map(({ headers }) => headers.get('message-id'))).size).toBe(200)
      expect(server.mails.length - READERS.length).toBeLessThanOrEqual(KILLS.length * CONNECTIONS)
      expect(progress).toMatchObject({ recipients: 200, accepted: 200 })
    },
    TEST_MS,
  )
})
