import { existsSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
  seededDataDir,
  startGateway,
} from './gateway.js'

describe('a gateway on an embedded directory', () => {
  let dataDir: string
  let gateway: Gateway
  let pro: string
  let rows: number
  beforeAll(async () => {
    dataDir = await seededDataDir()
  })
  afterAll(cleanUp)

  it(
    'answers what is in flight when it is asked to stop, takes nothing new, and ends with 0',
    async () => {
      gateway = await startGateway({ DATA_DIR: dataDir })
      const keys = JSON.parse(await readFile(join(dataDir, 'dev-keys.json'), 'utf8')) as { pro: string }
      pro = keys.pro
      const agent = new Agent({ keepAlive: true }) // such a connection stays open after its answer
      const first = beginRequest(gateway, pro, agent)
      await first.isTaken
      const stopped = gateway.stop('SIGTERM')
      await expect.poll(() => gateway.stdout()).toContain('"msg":"stopping"')
      await expect(ask(`${gateway.url}/healthz`, null)).rejects.toThrow('fetch failed')
      first.finish()
      const { status, text } = await first.answer
      expect(status).toBe(200)
      rows = (JSON.parse(text) as { data: { forex: { rows: number } } }).data.forex.rows
      expect(rows).toBeGreaterThan(1_000)
      // A process that could not stop within 9.5 s ends with 1.
      const { code, stderr, stdout } = await stopped
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain('"msg":"stopped"')
      expect(existsSync(`${dataDir}.lock`)).toBe(false)
      agent.destroy()
    },
    START_MS,
  )

  it(
    'opens again with all its data, and keeps a write that it acknowledged just before it was killed',
    async () => {
      gateway = await startGateway({ DATA_DIR: dataDir })
      const { body } = await ask<{ rows: number }>(`${gateway.url}/v1/forex?quote=USD&from=2000-01-01`, pro)
      expect(body.rows).toBe(rows)
      const created = await ask<{ raw_key: string; key_id: string }>(`${gateway.url}/auth/keys`, pro, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ label: 'made in time' }),
      })
      const killed = gateway.stop('SIGKILL')
      expect(created.status).toBe(201)
      expect((await killed).code).toBeNull()
      expect(existsSync(`${dataDir}.lock`)).toBe(true)

      gateway = await startGateway({ DATA_DIR: dataDir })
      expect((await ask(`${gateway.url}/v1/usage`, created.body.raw_key)).status).toBe(200)
      const found = await ask<{ label: string }>(`${gateway.url}/auth/keys/${created.body.key_id}`, pro)
      expect([found.status, found.body.label]).toEqual([200, 'made in time'])
      const again = await ask<{ rows: number }>(`${gateway.url}/v1/forex?quote=USD&from=2000-01-01`, pro)
      expect(again.body.rows).toBe(rows)
    },
    2 * START_MS,
  )

  it('cuts off what never finishes, and still ends with 0', async () => {
    const agent = new Agent({ keepAlive: true })
    const never = beginRequest(gateway, pro, agent)
    const outcome = never.answer.then(
      () => 'answered',
      (error: Error) => error.message,
    )
    await never.isTaken
    const began = performance.now()
    const { code, stdout } = await gateway.stop('SIGINT')
    expect(code).toBe(0)
    expect(performance.now() - began).toBeGreaterThan(5_000)
    expect(await outcome).toBe('socket hang up')
    expect(stdout).toContain('"msg":"stopped"')
    expect(existsSync(`${dataDir}.lock`)).toBe(false)
    agent.destroy()
  }, 60_000)
})

describe('a process that is interrupted when it reports that it listens', () => {
  afterAll(cleanUp)

  /** Loaded before the gateway: interrupts the first process that writes the line, while it does. */
  const interruptedAt = (line: string) => {
    const file = join(dirname(newDataDir()), 'interrupt.mjs')
    writeFileSync(
      file,
      `import fs from 'node:fs'
       const { write } = fs
       const isFirst = () => {
         try {
           fs.closeSync(fs.openSync('${file}.done', 'wx'))
           return true
         } catch {
           return false
         }
       }
       fs.write = (fd, text, ...rest) => {
         const isDue = fd === 1 && String(text).includes('"msg":"${line}"')
         if (isDue && isFirst()) process.kill(process.pid, 'SIGINT')
         return write(fd, text, ...rest)
       }`,
    )
    return `--import=${file}`
  }

  it(
    'stops in order',
    async () => {
      const dataDir = await seededDataDir()
      const env = { DATA_DIR: dataDir, NODE_OPTIONS: interruptedAt('listening') }
      const { code, stderr, stdout } = await runToEnd('src/main.ts', [], env)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain('"msg":"stopped"')
      expect(existsSync(`${dataDir}.lock`)).toBe(false)
    },
    START_MS,
  )

  it.runIf(availableDatabases().includes('postgres'))(
    'stops in order as a worker too, and is replaced',
    async () => {
      const url = await copyPostgresWorld('current')
      const gateway = await startGateway({
        DATA_DIR: newDataDir(),
        DATABASE_URL: url,
        WORKERS: '2',
        NODE_OPTIONS: interruptedAt('worker listening'),
        ...OWN_SECRETS,
      })
      const ended = () => gateway.log('worker ended unexpectedly')
      await expect.poll(ended, { timeout: START_MS }).toMatchObject([{ code: 0, signal: null }])
      await expect.poll(() => gateway.log('worker listening'), { timeout: START_MS }).toHaveLength(3)
      expect(gateway.log('stopped')).toHaveLength(1)
      const { code, stderr } = await gateway.stop('SIGTERM')
      expect([code, stderr]).toEqual([0, ''])
      await dropPostgresDatabase(url)
    },
    START_MS,
  )
})
