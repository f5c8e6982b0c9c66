import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, describe, expect, it } from 'vitest'
import { cpuMicroseconds } from '../../../scripts/bench/shared/cpu.js'

/** CPU time that a process uses up before it says so, in microseconds. */
const BURNT = 300_000

/** What /proc counts may be less by: a tick at each of its readings. */
const GRAIN = 20_000

const BURN = `while (process.cpuUsage().user < ${BURNT}); process.stdout.write('burnt'); setInterval(() => {}, 1000)`

const started: ChildProcess[] = []

function start(script: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  return child
}

async function burnt(child: ChildProcess): Promise<number> {
  if (child.stdout === null || child.pid === undefined) throw new Error('it did not start')
  await once(child.stdout, 'data')
  return child.pid
}

// Each waits for a process.
describe.runIf(process.platform === 'linux')('CPU time of a server', { concurrent: true }, () => {
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL')
  })

  it('is what its process has used', async () => {
    const pid = await burnt(start(BURN))
    expect(cpuMicroseconds(pid)).toBeGreaterThan(BURNT - GRAIN)
  })

  it('includes what its children use', async () => {
    const parent = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(BURN)}])
      child.stdout.pipe(process.stdout)
      process.on('SIGTERM', () => { child.kill('SIGKILL'); process.exit() })`
    const child = start(parent)
    const pid = await burnt(child)
    expect(cpuMicroseconds(pid)).toBeGreaterThan(BURNT - GRAIN)
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  it('is unknown for a process that has ended', async () => {
    const child = start('')
    await once(child, 'exit')
    expect(cpuMicroseconds(child.pid ?? 0)).toBeNull()
  })
})
