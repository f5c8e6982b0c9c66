import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A gateway and a key of it. */
export interface Asked {
  readonly url: string
  readonly key: string
}

interface OwnGateway extends Asked {
  stop(): Promise<void>
}

/**
 * Starts the compiled gateway with the synthetic world on ports that the system chooses, in development mode, and waits
 * until it listens. Throws with the last it wrote when it ends before that.
 */
export async function startOwnGateway(root: string, dataDir: string): Promise<OwnGateway> {
  const child = spawn(process.execPath, [join(root, 'scripts/run.mjs'), 'start'], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: '0', METRICS_PORT: '0', DATA_DIR: dataDir, LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines: string[] = []
  let url: string | undefined
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (line.includes('"msg":"listening"')) {
      const { port } = JSON.parse(line) as { port: number } // a line of the gateway's own log
      url = `http://127.0.0.1:${port}`
    }
    const key = /^ +pro +(\S+)$/.exec(line)?.[1]
    if (url === undefined || key === undefined) continue
    child.stdout.resume() // what it writes from now on is not read
    return {
      url,
      key,
      stop: async () => {
        child.kill('SIGTERM')
        await ended
      },
    }
  }
  throw new Error(`the gateway ended:\n${lines.slice(-10).join('\n')}`)
}
