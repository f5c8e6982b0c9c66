// Asks a server for its health checks 20 times a second each until standard input ends, then writes how long each took
// as JSON. Started by health-probe.ts.
// node --import tsx scripts/bench/shared/probe-health.ts PORT
import { Agent, get } from 'node:http'
import { setPriority } from 'node:os'
import type { ProbeResult } from './health-probe.js'

const INTERVAL_MS = 50
const PATHS = ['/healthz', '/readyz']

/** A check without a response for this long has failed. */
const ANSWER_MS = 120_000

/** A higher priority than the load generator, so that waiting for a core does not count. */
const PRIORITY = -15

const port = Number(process.argv[2])
const open = new Set<Promise<void>>()

function raisePriority(): void {
  try {
    setPriority(PRIORITY)
  } catch {
    // Without the permission, the times include waiting for a core.
  }
}

function probe(path: string): { readonly stop: () => ProbeResult } {
  // Each open check has its own connection, so that a check that hangs delays no other.
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const ms: number[] = []
  const failures: Record<string, number> = {}
  let due = performance.now()
  let timer: NodeJS.Timeout | undefined
  const fail = (what: string) => {
    failures[what] = (failures[what] ?? 0) + 1
  }
  const checkDue = () => {
    for (; due <= performance.now(); due += INTERVAL_MS) check(due)
    timer = setTimeout(checkDue, due - performance.now())
  }
  checkDue()

  function check(at: number): void {
    const work = new Promise<void>((resolve) => {
      const request = get({ port, path, agent, timeout: ANSWER_MS }, (response) => {
        response.resume()
        response.on('end', () => {
          ms.push(performance.now() - at)
          if (response.statusCode !== 200) fail(String(response.statusCode))
          resolve()
        })
        response.on('error', () => resolve())
      })
      request.on('timeout', () => request.destroy(new Error('timeout')))
      request.on('error', (error: NodeJS.ErrnoException) => {
        ms.push(performance.now() - at)
        fail(error.code ?? error.message)
        resolve()
      })
    })
    open.add(work)
    work.finally(() => open.delete(work))
  }

  return {
    stop: () => {
      clearTimeout(timer)
      return { path, ms, failures }
    },
  }
}

raisePriority()
const probes = PATHS.map(probe)
process.stdout.write('begun\n')
process.stdin.resume()
process.stdin.on('end', async () => {
  const probed = probes.map(({ stop }) => stop())
  await Promise.all(open)
  process.stdout.write(JSON.stringify(probed), () => process.exit())
})
