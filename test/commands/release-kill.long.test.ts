import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRelease } from '../../src/domains/releases/check-release.js'
import { createBucketReleases } from '../../src/domains/releases/storage/bucket-releases.js'
import { S3Bucket } from '../../src/platform/object-store/s3-bucket.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { type LocalS3, startLocalS3 } from '../support/object-store/local-s3.js'
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

/** Where the killed commands write. */
interface Place {
  readonly env: Readonly<Record<string, string>>
  /** Names or keys of everything that is stored. */
  names(): Promise<readonly string[]>
  /** Names or keys of the complete releases; fails for one that lacks a file or has another one. */
  whole(): Promise<readonly string[]>
  empty(): Promise<void>
}

function directoryPlace(): Place {
  const parent = join(home, 'candles')
  const names = () => (existsSync(parent) ? readdirSync(parent) : [])
  return {
    env: { RELEASES_LOCATION: home },
    names: async () => names(),
    async whole() {
      const visible = names().filter((name) => !name.startsWith('.'))
      for (const name of visible) {
        const checks = await checkRelease(join(parent, name), { keys: [], mustBeSigned: false })
        expect(checks.filter(({ passed }) => !passed)).toEqual([])
      }
      return visible
    },
    empty: () => rm(parent, { recursive: true, force: true }),
  }
}

function bucketPlace(s3: LocalS3): Place {
  const bucket = new S3Bucket(s3.target, { timeoutMs: 10_000, attempts: 3 })
  const store = createBucketReleases(bucket, home)
  const sizes = async () => {
    const found = new Map<string, number>()
    for await (const { key, bytes } of bucket.list('candles/')) found.set(key, bytes)
    return found
  }
  return {
    env: s3.env,
    names: async () => [...(await sizes()).keys()],
    async whole() {
      const stored = await sizes()
      const whole: string[] = []
      for (const { releaseId } of await store.list('candles')) {
        const { manifest } =
          (await store.read('candles', releaseId)) ?? expect.fail(`no seal of ${releaseId}`)
        const start = `candles/releases/${releaseId}`
        const files = manifest.files.map(({ sha256 }) => `candles/files/${sha256}.parquet`)
        expect(files.map((key) => stored.get(key))).toEqual(manifest.files.map(({ bytes }) => bytes))
        whole.push(...files, `${start}/manifest.json`, `${start}/seal.json`)
      }
      return whole
    },
    async empty() {
      for (const key of (await sizes()).keys()) await bucket.delete(key)
    },
  }
}

describe.skipIf(!HAS_POSTGRES)(`a command killed at ${KILLS} moments leaves no part of a release`, () => {
  let s3: LocalS3
  beforeAll(async () => {
    s3 = await startLocalS3()
  })
  afterAll(() => s3.close())

  it.each(['a directory', 'a bucket'])(
    'in %s, and the next run writes it whole',
    async (kind) => {
      const script = await compiled('src/cli.ts')
      const place = kind === 'a bucket' ? bucketPlace(s3) : directoryPlace()
      const start = () => {
        const env = { ...OWN_SECRETS, DATABASE_URL: databaseUrl, DATA_DIR: home, ...place.env }
        return spawn(process.execPath, [script, 'release', '--dataset', 'candles'], { env, stdio: 'ignore' })
      }
      let left = 0
      for (let kill = 0; kill < KILLS; kill++) {
        await place.empty()
        const child = start()
        const ended = once(child, 'close')
        while ((await place.names()).length === 0 && child.exitCode === null) await wait(2)
        await wait(kill * STEP_MS)
        child.kill('SIGKILL')
        await ended
        left += (await place.names()).length - (await place.whole()).length
      }
      expect(left).toBeGreaterThan(0)
      const child = start()
      expect(await once(child, 'close')).toEqual([0, null])
      const whole = await place.whole()
      expect(whole.length).toBeGreaterThan(0)
      expect((await place.names()).toSorted()).toEqual(whole.toSorted())
    },
    180_000,
  )
})
