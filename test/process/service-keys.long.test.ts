import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lastWholeWeek } from '../../src/domains/newsletter/issues/issue-week.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { createMailTransport } from '../../src/platform/mail/mail-transport.js'
import { parseSmtpUrl } from '../../src/platform/mail/smtp-url.js'
import { runAdmin } from '../commands/admin-world.js'
import { openNode, type PlayedNode } from '../ingest/chains/chain-world.js'
import { openNameServices, type PlayedNameServices } from '../ingest/chains/name-services.js'
import { ChatServer } from '../ingest/datasets/analysis/words/chat-server.js'
import { OpenFigiStage } from '../ingest/providers/openfigi/stage.js'
import { addresses, addSubscribers } from '../support/app/newsletter-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { type LocalS3, startLocalS3 } from '../support/object-store/local-s3.js'
import { type MailServer, startMailServer } from '../support/peers/mail-server.js'
import { type OtlpReceiver, startOtlpReceiver } from '../support/peers/otlp-receiver.js'
import { faultOf, outcomeOf } from '../support/processes/load.js'
import { ask, cleanUp, type Gateway, newDataDir, runToEnd, START_MS } from './gateway.js'
import { type RollingNodes, startNodes } from './rolling-nodes.js'

const [OLD, NEW, LAST] = [
  'first-secret-of-a-service',
  'second-secret-of-a-service',
  'third-secret-of-a-service',
]

/** Of a temporary key. */
const TOKEN = 'token-of-a-temporary-key'

/** Two connections would need more mails a minute. One has at most 100 mails, so this takes three logins. */
const READERS = addresses(220)

const ANSWERED_MS = 30_000

const PAUSE_MS = 30

describe.runIf(availableDatabases().includes('postgres'))(
  'two nodes under requests get other keys of services as the guide says',
  { timeout: 4 * START_MS },
  () => {
    let url: string
    let database: Database
    let mail: MailServer
    let s3: LocalS3
    let receiver: OtlpReceiver
    let chain: PlayedNode
    let names: PlayedNameServices
    const model = new ChatServer()
    const figi = new OpenFigiStage()
    /** What each service accepts now. */
    const allowed = new Set([OLD])
    const logins: string[] = []
    let credentials: string
    let env: Readonly<Record<string, string>>
    let nodes: RollingNodes
    let key: string
    let release: string
    const paths: string[] = ['/auth/me', '/v1/datasets']

    const setting = (name: string, value: string) => writeFileSync(join(credentials, name), `${value}\n`)
    const awsKey = (id: string, secret: string, token?: string) => {
      const keys = { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token }
      const lines = Object.entries(keys).flatMap(([name, value]) => (value ? [`${name} = ${value}`] : []))
      writeFileSync(`${credentials}.aws`, `[default]\n${lines.join('\n')}\n`)
    }
    const smtpUrl = (password: string) => mail.url.replace('//', `//news:${password}@`)
    const admin = async (...args: readonly string[]) => {
      const { code, out, err } = await runAdmin({ PATH: process.env.PATH, ...env }, ...args)
      expect([code, err]).toEqual([0, ''])
      return out
    }
    const newKey = async (label: string) => {
      const out = await admin('users', 'create', '--tier', 'enterprise', '--label', label, '--json')
      const account = JSON.parse(out) as { raw_key: string; account_id: string }
      await admin('grants', 'add', account.account_id, 'admin')
      return account.raw_key
    }
    const gateway = (at: number): Gateway => nodes.gateways[at] ?? expect.fail('there are two nodes')

    beforeAll(async () => {
      url = await copyPostgresWorld('current')
      database = await openDatabase({ kind: 'postgres', url, poolSize: 2 })
      mail = await startMailServer({
        options: {
          ...{ authOptional: false, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] },
          onAuth: (login, _session, done) => {
            const password = login.password ?? ''
            if (!allowed.has(password)) return done(new Error('wrong password'))
            logins.push(password)
            done(null, { user: 'news' })
          },
        },
      })
      s3 = await startLocalS3()
      s3.addKey('first', OLD)
      receiver = await startOtlpReceiver({
        isAllowed: ({ authorization = '' }) => allowed.has(authorization.replace('Bearer ', '')),
      })
      chain = await openNode(1, new Date())
      names = await openNameServices()
      figi.play((response, body) => {
        const asked = JSON.parse(body) as unknown[] // the gateway's own request
        response.writeHead(200).end(JSON.stringify(asked.map(() => ({ warning: 'No identifier found.' }))))
      })
      model.play({ kind: 'slow', ms: ANSWERED_MS })
      const home = dirname(newDataDir())
      credentials = join(home, 'credentials')
      mkdirSync(credentials)
      setting('SMTP_URL', smtpUrl(OLD))
      awsKey('first', OLD)
      setting('AI_API_KEY', OLD)
      setting('OTEL_EXPORTER_OTLP_HEADERS', `authorization=Bearer%20${OLD}`)
      const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...bucket } = s3.env
      env = {
        ...OWN_SECRETS,
        ...{ DATABASE_URL: url, DATA_DIR: join(home, 'data'), NODE_ENV: 'production' },
        ...{ BURST_PER_MINUTE: '1000000', CREDENTIALS_DIRECTORY: credentials },
        ...{ AWS_SHARED_CREDENTIALS_FILE: `${credentials}.aws`, ...bucket },
        ...{ PUBLIC_URL: 'https://gateway.example', NEWSLETTER_FROM: 'news@gateway.example' },
        ...{ NEWSLETTER_RATE: '600', PROVIDER_URL_OPENFIGI: await figi.open() },
        ...{ AI_BASE_URL: await model.open(), AI_MODEL: 'test-model', AI_CALLS_PER_RUN: '4' },
        ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
        ...{ RPC_URLS_1: chain.url, PROVIDER_URL_SOURCIFY: names.urls.sourcify },
        ...{ PROVIDER_URL_ETHERSCAN: names.urls.etherscan, SCHEDULE: 'figi-symbols,analysis-tier-1' },
      }
      await addSubscribers(database, READERS)
      const { code, stderr } = await runToEnd('src/cli.ts', ['release', '--dataset', 'forex'], env)
      expect([code, stderr]).toEqual([0, ''])
      nodes = await startNodes(env)
      key = await newKey('first')
      const listed = await ask<{ data: { release_id: string }[] }>(`${gateway(0).url}/v1/releases`, key)
      release = `/v1/releases/forex/${listed.body.data[0]?.release_id}`
      const manifest = await ask<{ files: { name: string }[] }>(
        `${gateway(0).url}${release}/files/manifest.json`,
        key,
      )
      paths.push(
        '/v1/releases?dataset=forex',
        `${release}/files/${manifest.body.files[0]?.name ?? expect.fail('the release has no file')}`,
      )
    }, 4 * START_MS)
    afterAll(async () => {
      await cleanUp()
      for (const id of ['first', 'second', 'temporary']) s3?.removeKey(id)
      await Promise.all([mail?.close(), s3?.close(), receiver?.close(), model.close(), figi.close()])
      await Promise.all([chain?.close(), names?.close()])
      await database?.close()
      await dropPostgresDatabase(url)
    })

    // The requests of one test cost less than an account has in an hour.
    beforeEach(async ({ task }) => {
      key = await newKey(task.name.slice(0, 20))
    })

    let turn = 0
    /** Does the work while requests go on, also for files in the bucket: each is answered with 200. */
    const underRequests = (work: () => Promise<void>) =>
      nodes.underRequests(async (node) => {
        turn += 1
        const path = paths[turn % paths.length] ?? '/auth/me'
        const headers = { 'x-api-key': key, connection: 'close' }
        const outcome = await outcomeOf(path, node.url + path, { headers })
        expect(faultOf(outcome, { statuses: [200], withinMs: ANSWERED_MS })).toBeNull()
        await sleep(PAUSE_MS)
      }, work)
    /** Every node starts again, one after the other, with the settings that the files have now. */
    const restart = () => nodes.restart(env)
    /** As if its time had come again. */
    const forgetRun = (job: string) => database.rows('delete from job_run where job = $1', [job])
    const runOf = async (job: string) => {
      const run = () => database.rows<{ status: string }>('select status from job_run where job = $1', [job])
      await expect.poll(run, { timeout: START_MS }).toEqual([{ status: 'succeeded' }])
    }
    const discover = async (node: Gateway, ticker: string) => {
      expect((await ask(`${node.url}/v1/discover/${ticker}`, key)).status).toBe(404)
      return figi.asked.findLast(({ body }) => body.includes(`"${ticker}"`))?.key
    }

    it('OPENFIGI_API_KEY: the next look-up and the next job use it, with the rate of a key', async () => {
      const ofJobs = () => figi.asked.filter(({ body }) => body.includes('ID_BB_GLOBAL'))
      const sizes = () => ofJobs().map(({ body }) => (JSON.parse(body) as unknown[]).length)
      await runOf('figi-symbols')
      expect(Math.max(...sizes())).toBe(10)
      const figis = sizes().reduce((sum, size) => sum + size, 0)
      expect(figis).toBeGreaterThan(10)
      for (const node of nodes.gateways) expect(await discover(node, 'QQQA')).toBeUndefined()
      for (const one of [OLD, NEW]) {
        const before = figi.asked.length
        await underRequests(async () => {
          setting('OPENFIGI_API_KEY', one)
          await restart()
          await forgetRun('figi-symbols')
          for (const [at, node] of nodes.gateways.entries())
            expect(await discover(node, `QQ${one === OLD ? 'B' : 'C'}${at === 0 ? 'X' : 'Y'}`)).toBe(one)
          await runOf('figi-symbols')
        })
        const asked = figi.asked.slice(before)
        expect(asked.map((request) => request.key)).toEqual(asked.map(() => one))
        expect(sizes().slice(-Math.ceil(figis / 100))).toEqual([Math.min(figis, 100)])
      }
    })

    it('ETHERSCAN_API_KEY: the next look-up of the name of a contract uses it', async () => {
      let contracts = 0
      /** The key with which Etherscan was asked for the name of a new contract; null without a request. */
      const lookUp = async (node: Gateway, name: string | null) => {
        contracts += 1
        const address = `0x${String(contracts).padStart(40, '0')}`
        chain.time = new Date()
        chain.accounts.set(address, { balance: 1n, nonce: 1, code: '0x6001600155' })
        names.etherscan.set(address, 'Token')
        const answer = await ask<{ data: { contract_name: string } }>(
          `${node.url}/v1/onchain/1/${address}`,
          key,
        )
        expect([answer.status, answer.body.data.contract_name]).toEqual([200, name])
        const asked = names.asked.find((path) => path.startsWith('/etherscan/') && path.includes(address))
        return asked === undefined ? null : new URLSearchParams(asked).get('apikey')
      }
      for (const node of nodes.gateways) expect(await lookUp(node, null)).toBeNull()
      for (const one of [OLD, NEW])
        await underRequests(async () => {
          setting('ETHERSCAN_API_KEY', one)
          await restart()
          for (const node of nodes.gateways) expect(await lookUp(node, 'Token')).toBe(one)
        })
    })

    it('AI_API_KEY: a run begins again with the new one', async () => {
      const keysOfCalls = () => model.calls.map(({ authorization }) => authorization)
      await expect.poll(() => model.calls.length, { timeout: START_MS }).toBeGreaterThan(0)
      expect(new Set(keysOfCalls())).toEqual(new Set([`Bearer ${OLD}`]))
      await underRequests(async () => {
        setting('AI_API_KEY', NEW)
        await restart()
        await expect.poll(() => keysOfCalls().at(-1), { timeout: START_MS }).toBe(`Bearer ${NEW}`)
        await runOf('analysis-tier-1')
      })
      const withNew = keysOfCalls().slice(keysOfCalls().indexOf(`Bearer ${NEW}`))
      expect(new Set(withNew)).toEqual(new Set([`Bearer ${NEW}`]))
    })

    it('SMTP_URL: an issue that is being sent reaches each reader once, and confirmations use it too', async () => {
      const post = <Body>(path: string, body: unknown, token: string | null = null) =>
        ask<Body>(gateway(0).url + path, token === null ? key : null, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify(body),
        })
      const refusals = () =>
        nodes.gateways.flatMap((node) => node.log('the mail server did not accept a mail'))
      const send = async () => {
        const { body } = await post<{ data: object }>('/v1/newsletter/send', {
          issue_id: lastWholeWeek(new Date()).issueId,
        })
        return body.data
      }
      await underRequests(async () => {
        await send()
        await expect.poll(() => mail.mails.length, { timeout: START_MS }).toBeGreaterThan(10)
        allowed.add(NEW)
        setting('SMTP_URL', smtpUrl(NEW))
        await restart()
        allowed.delete(OLD)
        await expect.poll(() => logins, { timeout: START_MS }).toContain(NEW)
        expect(refusals()).toEqual([])
        // Too early: the nodes do not have the third password yet.
        allowed.add(LAST).delete(NEW)
        await expect.poll(refusals, { timeout: START_MS }).not.toEqual([])
        setting('SMTP_URL', smtpUrl(LAST))
        await restart()
        await expect
          .poll(send, { timeout: START_MS })
          .toMatchObject({ accepted: READERS.length, failed: 0, unconfirmed: 0, pending: 0 })
      })
      expect(mail.mails.map(({ to }) => to).sort()).toEqual([...READERS].sort())
      expect([...new Set(logins)]).toEqual([OLD, NEW, LAST])
      const login = { email: 'ada@example.org', password: 'correct horse battery' }
      const { body } = await post<{ access_token: string }>('/auth/register', login)
      expect((await post('/auth/me/newsletter', {}, body.access_token)).status).toBe(200)
      expect(mail.mails.at(-1)?.to).toBe('ada@example.org')
      const old = createMailTransport(parseSmtpUrl(smtpUrl(OLD)))
      const envelope = { from: 'news@gateway.example', to: 'ada@example.org', message: Buffer.from('x') }
      expect(await old.send(envelope)).toMatchObject({ kind: 'unsent', codes: '535' })
      old.close()
      allowed.add(OLD).delete(LAST)
    })

    it('keys of the object store: downloads go on, and addresses that the first one signed end with it', async () => {
      const file = () => `${gateway(0).url}${paths.at(-1)}`
      const before = await fetch(file(), { headers: { 'x-api-key': key }, redirect: 'manual' })
      const signedBefore = before.headers.get('location') ?? ''
      expect(signedBefore).toContain('Credential=first')
      await underRequests(async () => {
        s3.addKey('second', NEW)
        awsKey('second', NEW)
        await restart()
        expect((await fetch(signedBefore)).status).toBe(200)
        await sleep(1_000) // in place of ten minutes
        s3.removeKey('first')
        // Lists are kept for ten seconds, and then come from the bucket.
        await sleep(12_000)
        expect((await fetch(signedBefore)).status).toBe(403)
        s3.addKey('temporary', LAST, TOKEN)
        awsKey('temporary', LAST, TOKEN)
        await restart()
        s3.removeKey('second')
        await sleep(12_000)
        const { headers } = await fetch(file(), { headers: { 'x-api-key': key }, redirect: 'manual' })
        expect((await fetch(headers.get('location') ?? '')).status).toBe(200)
      })
      const { code, stderr } = await runToEnd('src/cli.ts', ['release', '--dataset', 'forex'], env)
      expect([code, stderr]).toEqual([0, ''])
    })

    it('OTEL_EXPORTER_OTLP_HEADERS: traces and metrics go on after a restart', async () => {
      const outputs: string[] = []
      const sent = (one: string) =>
        receiver.headers.filter(({ authorization }) => authorization === `Bearer ${one}`).length
      expect(sent(OLD)).toBeGreaterThan(0)
      await underRequests(async () => {
        allowed.add(NEW)
        setting('OTEL_EXPORTER_OTLP_HEADERS', `authorization=Bearer%20${NEW}`)
        const stopped = [...nodes.gateways]
        await nodes.restart(env)
        for (const { ended } of stopped) {
          const { stdout, stderr } = await ended
          outputs.push(stdout, stderr)
        }
        allowed.delete(OLD)
        const [before, beforeOld] = [sent(NEW), sent(OLD)]
        await expect.poll(() => sent(NEW), { timeout: START_MS }).toBeGreaterThan(before + 4)
        expect(sent(OLD)).toBe(beforeOld)
      })
      for (const node of nodes.gateways) {
        expect(node.log('telemetry cannot be sent')).toEqual([])
        const { stdout, stderr } = await node.stop('SIGTERM')
        outputs.push(stdout, stderr)
      }
      expect(outputs).toHaveLength(8)
      for (const output of outputs)
        for (const one of [OLD, NEW, LAST, TOKEN]) expect(output).not.toContain(one)
    })
  },
)
