import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { type Times, timesOf } from './figures.js'

/** Responses to the health checks of a busy server. */
export interface Health {
  readonly path: string
  /** Milliseconds since a check was due, so that waiting for an earlier check counts. */
  readonly times: Times
  /** Responses other than 200 by status, and broken connections. */
  readonly failures: Readonly<Record<string, number>>
}

export interface HealthProbe {
  stop(): Promise<readonly Health[]>
}

/** Output of the prober for each path. */
export interface ProbeResult {
  readonly path: string
  readonly ms: readonly number[]
  readonly failures: Readonly<Record<string, number>>
}

const PROBER = resolve(import.meta.dirname, 'probe-health.ts')

/** Requests `/healthz` and `/readyz` from a separate process, so that the work of the load generator does not count. */
export async function probeHealth(port: number): Promise<HealthProbe> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROBER, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child.stdout, 'data') // it says when it begins
  return {
    stop: async () => {
      const ended = once(child, 'close')
      child.stdin.end()
      await ended
      const probed = JSON.parse(output.slice(output.indexOf('\n'))) as readonly ProbeResult[] // written by the prober
      return probed.map(({ path, ms, failures }) => ({ path, times: timesOf(ms), failures }))
    },
  }
}
