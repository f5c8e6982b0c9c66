import { execFile } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, START_MS } from '../process/gateway.js'
import { copyEmbeddedWorld } from '../support/database/database.js'
import { noteFigures } from '../support/figures.js'
import { faultOf } from '../support/processes/load.js'
import { type KilledWorld, newKilledWorldIn } from './killed-world.js'

// The disk of the embedded database is full: a small file system of its own, where this user may mount one.

const run = promisify(execFile)

/** The seeded world and its write-ahead log, with some space left. */
const DISK_BYTES = 192 * 1024 * 1024

/** Longest wait for an answer: a write waits behind an ingestion that fails. */
const ANSWERED_MS = 20_000
/** How long after there is space again writes succeed. */
const HEALTHY_MS = 5_000

const directory = mkdtempSync(join(tmpdir(), 'gateway-disk-'))
const isMounted = await run('mount', [
  '-t',
  'tmpfs',
  '-o',
  `size=${DISK_BYTES}`,
  'gateway-disk',
  directory,
]).then(
  () => true,
  () => false,
)
if (!isMounted) process.stderr.write('no file system can be mounted: the test of a full disk is skipped\n')

describe.skipIf(!isMounted)('a full disk under the embedded database', { timeout: 4 * START_MS }, () => {
  const filler = join(directory, 'filler')
  const findings: string[] = []
  let requests = 0
  let world: KilledWorld

  beforeAll(async () => {
    await copyEmbeddedWorld('seeded', join(directory, 'data'))
    world = newKilledWorldIn(join(directory, 'data'))
    await world.gateway()
  }, START_MS)
  afterAll(async () => {
    noteFigures({ part: 'disk full (tmpfs)', done: { requests }, findings })
    await cleanUp()
    await run('umount', ['-l', directory])
    rmSync(directory, { recursive: true, force: true })
  })

  const makeKey = async (label: string) => {
    requests += 1
    return world.ask('/auth/keys', world.keyOf('growth'), { method: 'POST', body: JSON.stringify({ label }) })
  }

  it('refuses what cannot be written, keeps what was acknowledged, and goes on once there is space', async () => {
    const first = await makeKey('before')
    expect(first.status).toBe(201)
    const made = [first]
    fill(filler)
    const ingestion = await world.ingest('1.2345')
    for (let at = 0; at < 20; at += 1) {
      const outcome = await makeKey(`full ${at}`)
      const wrong = faultOf(outcome, { statuses: [201, 503], withinMs: ANSWERED_MS })
      if (wrong !== null) findings.push(wrong)
      if (outcome.status === 201) made.push(outcome)
    }
    const ended = await ingestion.ended
    if (ended === 0) findings.push('an ingestion succeeded without space')
    const ready = await world.ask('/readyz', '')
    const read = await world.ask('/v1/forex?quote=USD&from=2026-11-03', world.keyOf('pro'))
    if (ready.status !== 200 || read.status !== 200) {
      findings.push(`/readyz is ${ready.status} and a read ${read.status} while there is no space to write`)
    }
    rmSync(filler)
    const roomAt = performance.now()
    await expect
      .poll(
        async () => {
          const outcome = await makeKey('after')
          if (outcome.status === 201) made.push(outcome)
          return outcome.status
        },
        { timeout: 4 * HEALTHY_MS },
      )
      .toBe(201)
    const healthyMs = performance.now() - roomAt
    if (healthyMs > HEALTHY_MS)
      findings.push(`writes succeed ${Math.round(healthyMs)} ms after there is space`)
    const again = await world.ingest('1.3456')
    if ((await again.ended) !== 0) findings.push(`with space again an ingestion fails: ${again.output()}`)
    for (const { text } of made) {
      const { raw_key } = JSON.parse(text) as { raw_key: string } // a 201
      const used = await world.ask('/auth/me', raw_key)
      if (used.status !== 200) findings.push(`a key that was shown is a ${used.status}`)
    }
    expect(findings).toEqual([])
  })
})

/** Until the disk is full. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (let bytes = 1024 * 1024; bytes >= 4096; ) {
      try {
        writeSync(descriptor, Buffer.alloc(bytes, 1))
      } catch {
        bytes /= 2
      }
    }
  } finally {
    closeSync(descriptor)
  }
}
