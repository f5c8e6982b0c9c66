import { type ServerProcess, startServer } from '../shared/server-process.js'

/**
 * A Redis of the run's own, which keeps nothing on disk: in one that is shared, the answers of an earlier run's database
 * would still be served. Throws when redis-server is not installed.
 */
export async function startRedis(core: number | null): Promise<ServerProcess & { readonly url: string }> {
  const redis = await startServer({
    command: (port) => ['redis-server', '--port', String(port), '--save', '', '--appendonly', 'no'],
    env: {},
    core,
  })
  return { ...redis, url: `redis://127.0.0.1:${redis.port}` }
}
