import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { type Times, timesOf } from './figures.js'

/** How the health checks of a server were answered while it was busy. */
export interface Health {
  readonly path: string
  /** Milliseconds from when a check was due, so that one that waits for another counts its waiting. */
  readonly times: Times
  /** Answers other than 200 by status, and connections that broke. */
  readonly failures: Readonly<Record<string, number>>
}

export interface HealthProbe {
  stop(): Promise<readonly Health[]>
}

/** What the prober writes for each path. */
export interface ProbeResult {
  readonly path: string
  readonly ms: readonly number[]
  readonly failures: Readonly<Record<string, number>>
}

const PROBER = resolve(import.meta.dirname, 'probe-health.ts')

/** Asks for `/healthz` and `/readyz` from a process of its own, so that the load's own work does not count. */
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
