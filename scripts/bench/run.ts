// Measures the gateway against what could stand in its place, all against one PostgreSQL database in one run: a bare
// node:http server that gives the same bytes (the limit), Fastify with one prepared statement per route, graphql-yoga
// with DataLoader and prepared statements, and, for the nested query, a plain include of Prisma's client. The gateway
// runs as in production: keys, limits, envelope and access log on; gateway-cold without its cache. All contenders
// answer the same data, which is checked first. Needs wrk (apt-get install wrk) and a PostgreSQL server that may
// create databases (BENCH_DATABASE_URL); its own database is dropped in the end.
// npm run -s bench -- [--cases rest-asset,graphql-nested] [--contenders bare,gateway] [--rounds 3] [--seconds 4]
//   [--connections 50] [--processes 1,2] [--redis] [--gateway other/dist/main.js] [--json FILE]
// Servers run on core 0, load and database on core 1, where there are two. --processes 2 compares gateways of one and
// of two processes that may run anywhere. Close other programs: figures of different runs do not compare, ratios do.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { build } from './build.js'
import { Cleanup } from './cleanup.js'
import { parseOptions } from './options.js'
import { findCores } from './pinning.js'
import { startRedis } from './redis.js'
import { machineText, type Report } from './report.js'
import { runCases } from './run-cases.js'
import { createWorld } from './world.js'

async function main(signal: AbortSignal): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env)
  if (spawnSync('wrk', ['-v']).error) throw new Error('wrk is missing: apt-get install wrk')
  const cleanup = new Cleanup()
  try {
    say('compiling')
    const built = build(options.gateway)
    cleanup.add(() => built.remove())
    say('making the database')
    const world = await createWorld(options.serverUrl)
    cleanup.add(() => world.drop())
    signal.throwIfAborted()
    const cores = findCores()
    const redis = options.redis ? await startRedis(cores?.load ?? null) : null
    cleanup.add(() => redis?.stop())
    const installation = { build: built, databaseUrl: world.databaseUrl, redisUrl: redis?.url ?? null }
    const bench = { options, build: built, world, installation, cores, cleanup, signal, say }
    const { placement, cases } = await runCases(bench)
    const { serverUrl: _serverUrl, ...asked } = options
    const report: Report = {
      machine: machineText(),
      versions: { node: process.version, postgresql: world.serverVersion },
      placement,
      options: asked,
      cases,
    }
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
    if (cases.some(({ failure }) => failure !== null)) process.exitCode = 1
  } finally {
    await cleanup.run()
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stop.abort(new Error(`stopped by ${signal}`)))
}

main(stop.signal).catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exitCode = 1
})
