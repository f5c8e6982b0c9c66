// Compares the gateway with alternatives on one PostgreSQL server in one run: a bare node:http server that sends the same
// bytes (the limit; bare-headers sends all headers of the gateway too), Fastify with one prepared statement per route,
// graphql-yoga with DataLoader and prepared statements, and, for the nested query, a plain include of Prisma's client. The
// gateway runs in production mode with keys, limits, envelope and access log; gateway-cold has no cache, and gateway-br is
// gateway-warm with Brotli. All contenders return the same data, which is checked first.
// Needs wrk (apt-get install wrk) and a PostgreSQL server with the right to create databases (BENCH_DATABASE_URL). The
// databases are dropped at the end.
// npm run -s bench -- [--cases rest-asset,graphql-nested] [--contenders bare,gateway-warm] [--rounds 3] [--seconds 4]
//   [--warm-up 12] [--connections 50] [--processes 1,2] [--redis] [--gateway before=CHECKOUT]... [--node 24=PATH]...
//   [--install] [--json FILE] [--compare-only]
// --gateway adds the compiled gateway of another checkout, on a database that its own code creates: before-cold,
// before-warm, before-304. --node also runs every server with that Node.js: gateway-cold@24. --install installs Mercurius,
// Apollo Server and PostGraphile, whose contenders are skipped otherwise.
// --compare-only starts each contender once, asks it for each case once, compares the answers and measures nothing; it needs
// no wrk.
// --warm-up is the CPU time in seconds that a server uses before its first measurement. The first round is still slower,
// so use three or more.
// Figures: CPU time of the server's processes per request (user and system), the share of one core that they used, and
// requests per second. Ratios are by CPU time and by rate. With few cores, PostgreSQL or the load generator may limit the
// rate.
// With two cores, servers run on core 0, load and database on core 1. --processes 2 compares gateways of one and two
// processes, which may run on any core. Close other programs. Compare ratios of different runs, not figures.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { build } from '../shared/build.js'
import { Cleanup } from '../shared/cleanup.js'
import { type Gateway, OWN_LABEL, requireCompiled } from '../shared/gateways.js'
import { install, isInstalled, ROOT } from '../shared/installed.js'
import { type BenchOptions, parseOptions } from '../shared/options.js'
import { findCores } from '../shared/pinning.js'
import { startWorld } from '../world-process.js'
import type { Bench } from './bench.js'
import { startRedis } from './redis.js'
import { machineText, type Report } from './report.js'
import { runCases } from './run-cases.js'

async function main(signal: AbortSignal): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env, isInstalled())
  if (!options.compareOnly && spawnSync('wrk', ['-v']).error)
    throw new Error('wrk is missing: apt-get install wrk')
  if (options.install) install()
  const cleanup = new Cleanup()
  try {
    const bench = await prepare(options, cleanup, signal)
    const { placement, cases } = await runCases(bench)
    const { serverUrl: _serverUrl, ...asked } = options
    const report: Report = {
      machine: machineText(),
      versions: versionsOf(bench),
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

async function prepare(options: BenchOptions, cleanup: Cleanup, signal: AbortSignal): Promise<Bench> {
  say('compiling')
  const built = build()
  cleanup.add(() => built.remove())
  const gateways: Gateway[] = []
  const compiled = options.checkouts.map(({ label, directory }) => ({
    label,
    directory,
    script: requireCompiled(directory),
  }))
  for (const { label, directory, script } of [
    { label: OWN_LABEL, directory: ROOT, script: built.gateway },
    ...compiled,
  ]) {
    say(`making the database of ${label}`)
    const world = await startWorld(directory, options.serverUrl)
    cleanup.add(() => world.drop())
    signal.throwIfAborted()
    gateways.push({ label, script, world })
  }
  const [own, ...others] = gateways
  if (own === undefined) throw new Error('no gateway was built')
  const cores = options.compareOnly ? null : findCores()
  const redis = options.redis ? await startRedis(cores?.load ?? null) : null
  cleanup.add(() => redis?.stop())
  const { databaseUrl } = own.world
  const installation = { build: built, databaseUrl, redisUrl: redis?.url ?? null }
  return { options, build: built, own, others, installation, cores, cleanup, signal, say }
}

function versionsOf({ options, own }: Bench): Readonly<Record<string, string>> {
  const nodes = options.nodes.map(({ label, version }) => [
    label === null ? 'node' : `node@${label}`,
    version,
  ])
  return { ...Object.fromEntries(nodes), postgresql: own.world.serverVersion }
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
