import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { eventually } from '../support/eventually.js'
import { ask, cleanUp, type Gateway, newDataDir, runToEnd, START_MS, startGateway } from './gateway.js'

type Name = 'LOG_LEVEL' | 'CORS_ORIGINS' | 'SCHEDULE' | 'DEMO_KEY'

describe.runIf(availableDatabases().includes('postgres')).each([
  ['one process', '1'],
  ['two workers', '2'],
])('SIGHUP to a gateway of %s', (_what, WORKERS) => {
  let gateway: Gateway
  let url: string
  let directory: string
  let env: Readonly<Record<string, string>>
  const setting = (name: Name, value: string) => writeFileSync(join(directory, name), `${value}\n`)
  const newKey = async (...options: readonly string[]) => {
    const made = await runToEnd('src/commands/key.ts', ['--label', 'test', ...options], env)
    expect([made.code, made.stderr]).toEqual([0, ''])
    return (JSON.parse(made.stdout) as { raw_key: string }).raw_key // the command's own line
  }
  beforeAll(async () => {
    url = await createPostgresDatabase()
    directory = dirname(newDataDir())
    env = { NODE_ENV: 'production', DATABASE_URL: url, WORKERS, ...OWN_SECRETS }
    expect((await runToEnd('src/commands/admin.ts', ['migrate'], env)).code).toBe(0)
    setting('LOG_LEVEL', 'info')
    setting('CORS_ORIGINS', 'https://first.example')
    setting('SCHEDULE', 'off')
    setting('DEMO_KEY', await newKey('--tier', 'free', '--scopes', 'none'))
    const files = ['LOG_LEVEL', 'CORS_ORIGINS', 'SCHEDULE', 'DEMO_KEY'].map((name) => [
      `${name}_FILE`,
      join(directory, name),
    ])
    gateway = await startGateway({ ...env, ...Object.fromEntries(files) })
  }, START_MS)
  afterAll(async () => {
    await gateway?.stop('SIGTERM')
    await cleanUp()
    await dropPostgresDatabase(url)
  })

  const hangUp = () => process.kill(gateway.pid, 'SIGHUP')
  const allowed = async () => {
    const { headers } = await ask(`${gateway.url}/v1/datasets`, null, {
      headers: { origin: 'https://second.example' },
    })
    return headers.get('access-control-allow-origin')
  }
  const isTimes = (msg: string, times: number) =>
    eventually(() => expect(gateway.log(msg)).toHaveLength(times))
  const pageText = async () =>
    (
      await ask(`${gateway.url}/graphql`, null, {
        headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' },
      })
    ).text
  const processes = Number(WORKERS) === 1 ? 1 : 1 + Number(WORKERS)

  it('takes over origins and the demo key in every process', async () => {
    expect(await allowed()).toBeNull()
    const key = await newKey('--tier', 'free', '--scopes', 'none')
    expect(await pageText()).not.toContain(key)
    setting('CORS_ORIGINS', 'https://second.example')
    setting('DEMO_KEY', key)
    hangUp()
    await isTimes('settings were read again', processes)
    for (let request = 0; request < 6; request++) {
      expect(await allowed()).toBe('https://second.example')
      expect(await pageText()).toContain(key)
    }
    const { status } = await ask(`${gateway.url}/v1/assets?limit=1`, key)
    expect([200, 503]).toContain(status)
  })

  it('keeps what it has if a file is wrong, and names the fault without the value', async () => {
    setting('CORS_ORIGINS', 'not an origin')
    hangUp()
    await isTimes('the settings have faults, so the former ones stay', 1)
    expect(await allowed()).toBe('https://second.example')
    setting('CORS_ORIGINS', 'https://second.example')
    setting('DEMO_KEY', await newKey('--tier', 'pro'))
    hangUp()
    await isTimes('the settings have faults, so the former ones stay', 2)
    expect(gateway.stdout()).not.toContain('not an origin')
    setting('DEMO_KEY', await newKey('--tier', 'free', '--scopes', 'none'))
  })

  it('starts and ends the schedule', async () => {
    const metrics = async () => (await ask(`${gateway.metricsUrl}/metrics`, null)).text
    expect(await metrics()).not.toContain('job_name="forex"')
    setting('SCHEDULE', 'reference')
    hangUp()
    await isTimes('the schedule has its own process', 1)
    await eventually(async () => expect(await metrics()).toContain('job_name="reference"'))
    setting('SCHEDULE', 'off')
    hangUp()
    await eventually(async () => expect(await metrics()).not.toContain('job_name="reference"'))
    expect((await ask(`${gateway.url}/healthz`, null)).status).toBe(200)
  })

  it('changes the log level in every process', async () => {
    setting('LOG_LEVEL', 'error')
    hangUp()
    await eventually(async () => {
      await ask(`${gateway.url}/v1/datasets`, null)
      const before = gateway.log('request').length
      for (let request = 0; request < 6; request++) await ask(`${gateway.url}/v1/datasets`, null)
      expect(gateway.log('request')).toHaveLength(before)
    })
  })
})
