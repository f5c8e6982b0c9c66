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
  const error = await tryListen(port, host)
  if (error === null) return
  const advice = await adviceFor(error, { variable, port, host })
  throw new StartError(`${variable} ${port} on ${host} cannot be listened on: ${advice}`, { cause: error })
}

/** Why the port cannot be listened on; null if it can. */
async function tryListen(port: number, host: string): Promise<unknown> {
  const probe = createServer()
  try {
    await listen(probe, port, host)
  } catch (error) {
    return error
  }
  await closeServer(probe)
  return null
}

interface WantedPort {
  readonly variable: 'PORT' | 'METRICS_PORT'
  readonly port: number
  readonly host: string
}

async function adviceFor(error: unknown, { variable, port, host }: WantedPort): Promise<string> {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EADDRINUSE') {
    const free = await findFreePort(port + 1, host)
    const setting = free === null ? variable : `${variable}=${free}, which is free`
    return `another process listens there; stop it, or set ${setting}`
  }
  if (code === 'EACCES') return `this user may not; set ${variable} to 1024 or more`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const host = variable === 'PORT' ? 'HOST' : 'METRICS_HOST'
    return `this machine has no such address; set ${host}`
  }
  return String(error)
}

/** Ports that are tried after a taken one. */
const MAX_TRIED = 20

/** The first free port from `first` on; null if none of the next ones is free. */
async function findFreePort(first: number, host: string): Promise<number | null> {
  for (let port = first; port < first + MAX_TRIED && port <= 65_535; port += 1) {
    if ((await tryListen(port, host)) === null) return port
  }
  return null
}
