import { VERSION } from '../../../src/platform/version.js'
import type { Build } from './build.js'
import type { Server } from './contenders.js'
import type { Gateway } from './gateways.js'
import type { NodeBinary } from './nodes.js'
import { type ServerProcess, startServer } from './server-process.js'

export interface Installation {
  readonly build: Build
  /** What the contenders that are no gateway read. */
  readonly databaseUrl: string
  readonly redisUrl: string | null
}

/** Processes of a gateway and the core they run on; null: any. */
export interface Placement {
  readonly workers: number
  readonly core: number | null
}

/** Addresses in answers begin with it, the same from every server. */
const PUBLIC_URL = 'http://gateway.example'

/** Above what any server here answers in a minute: bursts are counted, none is refused. */
const BURST_PER_MINUTE = '1000000000'

/** As in the image: each server here has one core, which helper threads would share. */
const NODE_OPTIONS = '--v8-pool-size=1'

/** Starts a server; `databaseUrl` takes the place of the one it reads. */
export function startContender(
  { kind, gateway, node }: Server,
  installation: Installation,
  placement: Placement,
  databaseUrl = gateway?.world.databaseUrl ?? installation.databaseUrl,
): Promise<ServerProcess> {
  const { core } = placement
  if (gateway === null) {
    const env = { DATABASE_URL: databaseUrl, GATEWAY_VERSION: VERSION, PUBLIC_URL }
    return startNode(node, installation.build.contender(kind), env, core)
  }
  const { redisUrl } = installation
  const env = {
    ...gatewayEnv(gateway),
    DATABASE_URL: databaseUrl,
    WORKERS: String(placement.workers),
    ...(kind === 'gateway-cold' && { CACHE_BYTES: '0' }),
    ...(redisUrl !== null && { REDIS_URL: redisUrl }),
  }
  return startNode(node, gateway.script, env, core)
}

export function startBare(
  build: Build,
  node: NodeBinary,
  answersFile: string,
  core: number | null,
): Promise<ServerProcess> {
  return startNode(node, build.contender('bare'), { ANSWERS: answersFile }, core)
}

/** Starts a gateway as in production, alone, with more settings beside. */
export function startGateway(
  gateway: Gateway,
  node: NodeBinary,
  core: number | null,
  more: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startNode(node, gateway.script, { ...gatewayEnv(gateway), ...more }, core)
}

function startNode(
  node: NodeBinary,
  script: string,
  env: Readonly<Record<string, string>>,
  core: number | null,
): Promise<ServerProcess> {
  const production = { NODE_ENV: 'production', NODE_OPTIONS, SCHEDULE: 'off', ...env }
  return startServer({ command: () => [node.path, script], env: production, core })
}

/** As in production: keys, limits, envelope and access log are on. */
function gatewayEnv({ world }: Gateway): Record<string, string> {
  return {
    ...world.secrets,
    DATABASE_URL: world.databaseUrl,
    METRICS_PORT: '0',
    PUBLIC_URL,
    BURST_PER_MINUTE,
  }
}
