import { VERSION } from '../../src/platform/version.js'
import type { Build } from './build.js'
import type { ServerName } from './contenders.js'
import { type ServerProcess, startServer } from './server-process.js'
import { SECRETS } from './world.js'

export interface Installation {
  readonly build: Build
  readonly databaseUrl: string
  readonly redisUrl: string | null
}

/** Processes of a gateway and the core they run on; null: any. */
export interface Placement {
  readonly workers: number
  readonly core: number | null
}

/** Above what any server here answers in a minute: bursts are counted, none is refused. */
const BURST_PER_MINUTE = '1000000000'

export function startContender(
  server: Exclude<ServerName, 'bare'>,
  installation: Installation,
  placement: Placement,
): Promise<ServerProcess> {
  const { build, databaseUrl } = installation
  switch (server) {
    case 'gateway':
      return startNode(build.gateway, gatewayEnv(installation, placement), placement.core)
    case 'gateway-cold': {
      const env = { ...gatewayEnv(installation, placement), CACHE_BYTES: '0' }
      return startNode(build.gateway, env, placement.core)
    }
    default: {
      const env = { DATABASE_URL: databaseUrl, GATEWAY_VERSION: VERSION }
      return startNode(build.contender(server), env, placement.core)
    }
  }
}

export function startBare(build: Build, answersFile: string, core: number | null): Promise<ServerProcess> {
  return startNode(build.contender('bare'), { ANSWERS: answersFile }, core)
}

function startNode(
  script: string,
  env: Readonly<Record<string, string>>,
  core: number | null,
): Promise<ServerProcess> {
  const production = { NODE_ENV: 'production', ...env }
  return startServer({ command: () => [process.execPath, script], env: production, core })
}

/** As in production: keys, limits, envelope and access log are on. */
function gatewayEnv({ databaseUrl, redisUrl }: Installation, { workers }: Placement): Record<string, string> {
  return {
    ...SECRETS,
    DATABASE_URL: databaseUrl,
    METRICS_PORT: '0',
    BURST_PER_MINUTE,
    WORKERS: String(workers),
    ...(redisUrl !== null && { REDIS_URL: redisUrl }),
  }
}
