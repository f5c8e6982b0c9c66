import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** URL and key of a gateway. */
export interface Asked {
  readonly url: string
  readonly key: string
}

interface OwnGateway extends Asked {
  stop(): Promise<void>
}

/** Longest start. Compiling and seeding take half a minute on an idle machine, and many times that on a busy one. */
const START_MS = 600_000

/**
 * Starts the compiled gateway in development mode, with seed data and ports that the system chooses, and waits until it
 * listens. Throws the end of its output if it ends before that. It always ends with this process.
 */
export async function startOwnGateway(root: string, dataDir: string): Promise<OwnGateway> {
  const child = spawn(process.execPath, [join(root, 'scripts/clients/held-gateway.mjs'), 'start'], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: '0', METRICS_PORT: '0', DATA_DIR: dataDir },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const late = setTimeout(() => child.kill('SIGTERM'), START_MS)
  const lines: string[] = []
  let found: Partial<Asked> = {}
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    found = { ...found, ...factOf(line) }
    const { url, key } = found
    if (url === undefined || key === undefined) continue
    clearTimeout(late)
    child.stdout.resume() // further output is discarded
    const stop = async () => {
      child.kill('SIGTERM')
      await ended
    }
    return { url, key, stop }
  }
  clearTimeout(late)
  throw new Error(`the gateway ended:\n${lines.slice(-10).join('\n')}`)
}

/** Finds the port or a key in a line of the gateway's output. The log has the port; the list of keys is text. */
function factOf(line: string): Partial<Asked> {
  const key = /^ +pro +(\S+)$/.exec(line)?.[1]
  if (key !== undefined) return { key }
  if (!line.includes('"msg":"listening"')) return {}
  const { port } = JSON.parse(line) as { port: number } // a line of the gateway's own log
  return { url: `http://127.0.0.1:${port}` }
}
