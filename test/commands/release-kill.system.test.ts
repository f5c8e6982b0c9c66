import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkRelease } from '../../src/domains/releases/check-release.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { compiled } from '../support/processes/compiled.js'

const KILLS = 20
/** A release of the seeded candles takes several times as long. */
const STEP_MS = 20

const HAS_POSTGRES = availableDatabases().includes('postgres')

let home: string
let databaseUrl: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mdg-release-kill-'))
  if (HAS_POSTGRES) databaseUrl = await copyPostgresWorld('seeded')
})
afterAll(async () => {
  await rm(home, { recursive: true, force: true })
  if (HAS_POSTGRES) await dropPostgresDatabase(databaseUrl)
})

it.skipIf(!HAS_POSTGRES)(
  `a command killed at ${KILLS} moments leaves no part of a release, and the next run writes it whole`,
  async () => {
    const script = await compiled('src/cli.ts')
    const parent = join(home, 'candles')
    const names = () => (existsSync(parent) ? readdirSync(parent) : [])
    const visible = () => names().filter((name) => !name.startsWith('.'))
    const start = () => {
      const env = { ...OWN_SECRETS, DATABASE_URL: databaseUrl, DATA_DIR: home, RELEASES_DIR: home }
      return spawn(process.execPath, [script, 'release', '--dataset', 'candles'], { env, stdio: 'ignore' })
    }
    let left = 0
    for (let kill = 0; kill < KILLS; kill++) {
      await rm(parent, { recursive: true, force: true })
      const child = start()
      const ended = once(child, 'close')
      while (names().length === 0 && child.exitCode === null) await wait(2)
      await wait(kill * STEP_MS)
      child.kill('SIGKILL')
      await ended
      left += names().length - visible().length
      for (const name of visible()) {
        const checks = await checkRelease(join(parent, name), { keys: [], mustBeSigned: false })
        expect(checks.filter(({ passed }) => !passed)).toEqual([])
      }
    }
    expect(left).toBeGreaterThan(0)
    const child = start()
    expect(await once(child, 'close')).toEqual([0, null])
    expect(names()).toHaveLength(1)
    expect(visible()).toHaveLength(1)
  },
  180_000,
)
