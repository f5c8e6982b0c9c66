import { type ServerProcess, startServer } from '../shared/server-process.js'

/**
 * Starts a Redis for this run, without storage on disk. A shared Redis would still serve the responses of an earlier run's
 * database. Throws when redis-server is not installed.
 */
export async function startRedis(core: number | null): Promise<ServerProcess & { readonly url: string }> {
  const redis = await startServer({
    command: (port) => ['redis-server', '--port', String(port), '--save', '', '--appendonly', 'no'],
    env: {},
    core,
  })
  return { ...redis, url: `redis://127.0.0.1:${redis.port}` }
}
