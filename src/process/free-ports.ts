import { createServer } from 'node:http'
import type { Config } from '../config.js'
import { closeServer, listen } from './listen.js'
import { StartError } from './start-error.js'

/** Throws StartError that names the variable if another process listens on the port or this user may not. */
export async function assertPortsFree(config: Config): Promise<void> {
  await assertFree('PORT', config.port, config.host)
  await assertFree('METRICS_PORT', config.metricsPort, config.metricsHost)
}

async function assertFree(variable: 'PORT' | 'METRICS_PORT', port: number, host: string): Promise<void> {
  const probe = createServer()
  try {
    await listen(probe, port, host)
  } catch (error) {
    throw new StartError(
      `${variable} ${port} on ${host} cannot be listened on: ${adviceFor(error, variable)}`,
      {
        cause: error,
      },
    )
  }
  await closeServer(probe)
}

function adviceFor(error: unknown, variable: 'PORT' | 'METRICS_PORT'): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EADDRINUSE') return `another process listens there; stop it, or set ${variable}`
  if (code === 'EACCES') return `this user may not; set ${variable} to 1024 or more`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const host = variable === 'PORT' ? 'HOST' : 'METRICS_HOST'
    return `this machine has no such address; set ${host}`
  }
  return String(error)
}
