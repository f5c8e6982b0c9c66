import { existsSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MAX_FAILED_STARTS } from '../../src/process/restart.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import {
  ask,
  beginRequest,
  cleanUp,
  type Gateway,
  newDataDir,
  runToEnd,
  START_MS,
  startGateway,
  workersOf,
} from './gateway.js'

/** Quick ends in a row: more than what ends a primary none of whose workers ever listened. */
const ENDS = MAX_FAILED_STARTS + 1

afterAll(cleanUp)

it(
  'refuses several workers on the embedded database, with one line, and leaves its directory alone',
  async () => {
    const dataDir = newDataDir()
    const { code, stdout, stderr } = await runToEnd('src/main.ts', [], { WORKERS: '2', DATA_DIR: dataDir })
    expect([code, stdout]).toEqual([78, ''])
    expect(stderr.split('\n')).toEqual([
      'The configuration has errors:',
      '  - WORKERS: more than 1 needs DATABASE_URL, because only one process can open the embedded database',
      '',
    ])
    expect([existsSync(dataDir), existsSync(`${dataDir}.lock`)]).toEqual([false, false])
  },
  START_MS,
)

describe.runIf(availableDatabases().includes('postgres'))('two workers and their primary', () => {
  const dataDir = newDataDir()
  let env: Record<string, string>
  let gateway: Gateway
  let agent: Agent

  const begin = async () => {
    const keys = JSON.parse(readFileSync(join(dataDir, 'dev-keys.json'), 'utf8')) as { pro: string }
    const first = beginRequest(gateway, keys.pro, agent)
    await first.isTaken
    return first
  }

  /** node:cluster leaves a connection open that it gave to a worker just before its end: clients need a deadline. */
  const expectAnswer = async (path: string) => {
    const answered = async () => {
      const init = { signal: AbortSignal.timeout(2_000) }
      return (await ask(gateway.url + path, null, init).catch(() => null))?.status
    }
    await expect.poll(answered, { timeout: START_MS }).toBe(200)
  }

  beforeAll(async () => {
    env = {
      DATA_DIR: dataDir,
      DATABASE_URL: await copyPostgresWorld('current'),
      WORKERS: '2',
      ...OWN_SECRETS,
    }
  })
  beforeEach(() => {
    agent = new Agent({ keepAlive: true }) // such a connection stays open after its answer
    return () => agent.destroy()
  })
  afterAll(async () => {
    await cleanUp()
    await dropPostgresDatabase(env.DATABASE_URL ?? '')
  })

  it(
    'answer what is in flight when the primary is asked to stop, once each, and all end with 0',
    async () => {
      gateway = await startGateway(env)
      const first = await begin()
      const stopped = gateway.stop('SIGTERM')
      await expect.poll(() => gateway.log('stopping'), { timeout: START_MS }).toHaveLength(3)
      await expect(ask(`${gateway.url}/healthz`, null)).rejects.toThrow('fetch failed')
      await expect(ask(`${gateway.metricsUrl}/metrics`, null)).rejects.toThrow('fetch failed')
      first.finish()
      expect((await first.answer).status).toBe(200)
      const { code, stderr } = await stopped
      expect([code, stderr]).toEqual([0, ''])
      expect(gateway.log('stopped').map(({ worker }) => worker)).toHaveLength(3)
      expect(gateway.log('stopped').at(-1)?.worker).toBeUndefined()
    },
    START_MS,
  )

  it(
    'stop once each when the whole process group is interrupted, and what is in flight is answered',
    async () => {
      gateway = await startGateway(env, { isGroup: true })
      const first = await begin()
      process.kill(-gateway.pid, 'SIGINT')
      await expect.poll(() => gateway.log('stopping'), { timeout: START_MS }).toHaveLength(3)
      process.kill(-gateway.pid, 'SIGINT')
      first.finish()
      expect((await first.answer).status).toBe(200)
      const { code, stderr } = await gateway.ended
      expect([code, stderr]).toEqual([0, ''])
      expect(gateway.log('stopping')).toHaveLength(3)
      expect(gateway.log('stopped')).toHaveLength(3)
      expect(gateway.log('worker ended unexpectedly')).toEqual([])
    },
    START_MS,
  )

  it(
    'end themselves when the primary is killed, after what is in flight',
    async () => {
      gateway = await startGateway(env)
      const first = await begin()
      const killed = gateway.stop('SIGKILL')
      await expect.poll(() => gateway.log('stopping'), { timeout: START_MS }).toHaveLength(2)
      expect(gateway.log('stopping').map(({ cause }) => cause)).toEqual(Array(2).fill('the primary is gone'))
      first.finish()
      expect((await first.answer).status).toBe(200)
      await killed // their output is closed when they are gone
      expect(workersOf(gateway.log('stopped'))).toEqual([1, 2])
    },
    START_MS,
  )

  it(
    'are replaced however often one ends right after its start, while the other answers',
    async () => {
      gateway = await startGateway(env)
      const starts = () => gateway.log('worker started').filter(({ worker }) => worker === 2)
      for (let end = 1; end <= ENDS; end += 1) {
        await expect.poll(starts, { timeout: START_MS }).toHaveLength(end)
        process.kill(starts().at(-1)?.pid ?? 0, 'SIGKILL')
        await expectAnswer('/healthz')
      }
      await expect.poll(starts, { timeout: START_MS }).toHaveLength(ENDS + 1)
      await expectAnswer('/readyz')
      const { code, stderr } = await gateway.stop('SIGTERM')
      expect([code, stderr]).toEqual([0, ''])
    },
    // The starts, and the waits between them.
    4 * START_MS,
  )

  it(
    'when killed, fail the requests in flight, which a client repeats with success',
    async () => {
      gateway = await startGateway(env)
      const first = await begin()
      const failed = expect(first.answer).rejects.toThrow()
      for (const { pid } of gateway.log('worker started')) process.kill(pid ?? 0, 'SIGKILL')
      await failed
      await expectAnswer('/healthz')
      await gateway.stop('SIGTERM')
    },
    START_MS,
  )

  it(
    'that can never start end the primary: 1, with their reason and one line',
    async () => {
      // Only what answers requests reads the trusted documents.
      const { code, stderr } = await runToEnd('src/main.ts', [], {
        ...env,
        TRUSTED_DOCUMENTS: join(dataDir, 'not-there.json'),
      })
      expect(code).toBe(1)
      const lines = stderr.trimEnd().split('\n')
      expect(new Set(lines)).toEqual(
        new Set([
          expect.stringMatching(/^TRUSTED_DOCUMENTS: .*not-there\.json cannot be read: ENOENT/),
          'No worker could start: each ended 3 times before it listened.',
        ]),
      )
      expect(lines.at(-1)).toBe('No worker could start: each ended 3 times before it listened.')
    },
    START_MS,
  )

  it(
    'are not started where the port is taken: one line says so',
    async () => {
      const holder = createServer()
      const port = await new Promise<number>((resolve) => {
        holder.listen(0, '127.0.0.1', () => resolve((holder.address() as { port: number }).port)) // a TCP port
      })
      const { code, stdout, stderr } = await runToEnd('src/main.ts', [], { ...env, PORT: String(port) })
      holder.close()
      expect(code).toBe(1)
      expect(stdout).not.toContain('worker started')
      expect(stderr).toContain(
        `PORT ${port} on 127.0.0.1 cannot be listened on: another process listens there; stop it, or set PORT=`,
      )
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    },
    START_MS,
  )
})
