import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeApiKey } from '../../src/platform/secrets/api-key-format.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { copyEmbeddedWorld } from '../support/database/database.js'
import { ask, cleanUp, newDataDir, runToEnd, START_MS, seededDataDir, startGateway } from './gateway.js'

afterAll(cleanUp)

describe('a start that cannot continue', { timeout: START_MS }, () => {
  let holder: Server
  let port: number
  beforeAll(async () => {
    holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    port = (holder.address() as AddressInfo).port // it listens on a TCP port
  })
  afterAll(() => holder.close())

  it.each(['PORT', 'METRICS_PORT'])(
    'names %s where another process listens, before it opens anything',
    async (name) => {
      const dataDir = newDataDir()
      const { code, stdout, stderr } = await runToEnd('src/main.ts', [], {
        DATA_DIR: dataDir,
        [name]: String(port),
      })
      expect(code).toBe(1)
      const [, free] =
        /^(?:METRICS_)?PORT \d+ on 127\.0\.0\.1 cannot be listened on: another process listens there; stop it, or set \w+=(\d+), which is free\n$/.exec(
          stderr,
        ) ?? []
      expect(stderr).toContain(`${name} ${port} on`)
      expect(Number(free), stderr).toBeGreaterThan(port)
      expect(messages(stdout)).toEqual(['starting'])
      expect(existsSync(dataDir)).toBe(false)
    },
  )

  it.each([
    [{ PORT: 'high' }, []],
    [{}, ['--sed']],
  ])(
    'exits with 78 for wrong settings, after which systemd starts nothing: %o %o',
    async (given, options) => {
      const { code, stderr } = await runToEnd('src/main.ts', options, { DATA_DIR: newDataDir(), ...given })
      expect(code).toBe(78)
      expect(stderr).toMatch(/PORT|--sed/)
      const unit = readFileSync('scripts/systemd/market-data-gateway.service', 'utf8')
      expect(unit).toContain('\nRestartPreventExitStatus=78\n')
    },
  )

  it('names HOST if this machine has no such address', async () => {
    const env = { ...OWN_SECRETS, DATA_DIR: newDataDir(), HOST: '192.0.2.1' }
    const { code, stderr } = await runToEnd('src/main.ts', [], env)
    expect([code, stderr]).toEqual([
      1,
      'PORT 0 on 192.0.2.1 cannot be listened on: this machine has no such address; set HOST\n',
    ])
  })

  it('says that no PostgreSQL answers and what to check, without the password', async () => {
    const DATABASE_URL = 'postgresql://gateway:hunter2@127.0.0.1:9/market'
    const env = { ...OWN_SECRETS, DATA_DIR: newDataDir(), DATABASE_URL }
    const { code, stdout, stderr } = await runToEnd('src/main.ts', [], env)
    expect(code).toBe(1)
    expect(stderr).toBe(
      'The database 127.0.0.1:9/market cannot be opened: it refused the connection, so no PostgreSQL listens there (connect ECONNREFUSED 127.0.0.1:9)\n' +
        '  → start PostgreSQL, or correct host and port in DATABASE_URL\n',
    )
    expect(messages(stdout)).toEqual([
      'starting',
      'opening the database',
      'the database is tried again for a while',
    ])
    expect(stdout + stderr).not.toContain('hunter2')
  })

  it('refuses a demo key that does not work, and says how to create one', async () => {
    const dataDir = newDataDir()
    await copyEmbeddedWorld('empty', dataDir)
    const env = { DATA_DIR: dataDir, DEMO_KEY: makeApiKey('test', randomBytes), SEED: 'off' }
    const { code, stderr } = await runToEnd('src/main.ts', [], env)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^DEMO_KEY is unknown; no account has this key\n {2}→ create a key without scopes: .+ --tier free --label demo --scopes none; or remove DEMO_KEY\n$/,
      ),
    ])
  })

  it('says that DATA_DIR cannot be written', async () => {
    const dataDir = newDataDir()
    const file = join(dirname(dataDir), 'file')
    writeFileSync(file, '')
    const inside = join(file, 'data')
    const { code, stderr } = await runToEnd('src/main.ts', [], { DATA_DIR: inside })
    expect([code, stderr]).toEqual([
      1,
      `The directory ${inside} cannot be written (ENOTDIR): let this user write there, or set DATA_DIR to another directory\n`,
    ])
  })
})

it(
  'shows no key on the pages where HOST lets other machines in, and says so where it prints them',
  async () => {
    const env = { ...OWN_SECRETS, DATA_DIR: await seededDataDir(), HOST: '0.0.0.0' }
    const gateway = await startGateway(env)
    for (const path of ['/graphql', '/docs']) {
      const page = await ask(gateway.url + path, null, { headers: { accept: 'text/html' } })
      expect([path, page.status]).toEqual([path, 200])
      expect(page.text).not.toContain('mdg_')
    }
    expect(gateway.stdout()).toContain('Other machines reach this gateway, and these keys open it')
    expect((await gateway.stop('SIGTERM')).code).toBe(0)
  },
  START_MS,
)

/** Of its log, in order. */
function messages(stdout: string): readonly string[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg) // our own log
}
