import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startWorld } from '../world-process.js'
import { compileGateway } from './build.js'
import type { Cleanup } from './cleanup.js'
import { type Gateway, OWN_LABEL, requireCompiled } from './gateways.js'
import { ROOT } from './installed.js'
import { type NodeBinary, OWN_NODE, parseNode } from './nodes.js'
import { DEFAULT_SERVER } from './options.js'
import { type Cores, findCores, pinDatabase } from './pinning.js'
import type { ServerProcess } from './server-process.js'
import { startGateway } from './servers.js'

/** What the command lines of the benchmarks with one gateway have in common. */
export const TARGET_FLAGS = {
  gateway: { type: 'string' },
  node: { type: 'string' },
  json: { type: 'string' },
} as const

export interface TargetOptions {
  /** Another checkout, compiled; this tree when it is not given. */
  readonly gateway?: string | undefined
  /** Path of another Node.js. */
  readonly node?: string | undefined
}

/** One gateway to start as often as needed, with a world of its own. */
export interface Target {
  readonly gateway: Gateway
  readonly node: NodeBinary
  readonly cores: Cores | null
  /** Starts a process of it; more settings may be given. */
  start(more?: Readonly<Record<string, string>>): Promise<ServerProcess>
}

/** Compiles this tree or takes another checkout, and makes its world. */
export async function prepareTarget(
  { gateway: checkout, node: nodePath }: TargetOptions,
  cleanup: Cleanup,
): Promise<Target> {
  const node = nodePath === undefined ? OWN_NODE : parseNode(`other=${nodePath}`)
  const directory = checkout === undefined ? ROOT : resolve(checkout)
  const script = checkout === undefined ? compileOwn(cleanup) : requireCompiled(directory)
  const world = await startWorld(directory, process.env.BENCH_DATABASE_URL ?? DEFAULT_SERVER)
  cleanup.add(() => world.drop())
  const cores = findCores()
  if (cores !== null) {
    const pinned = pinDatabase(world.backendPid, cores.load)
    cleanup.add(() => pinned.restore())
    pinSelf(cores.load)
  }
  const gateway = { label: OWN_LABEL, script, world }
  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const started = await startGateway(gateway, node, cores?.servers ?? null, more)
    cleanup.add(() => started.stop())
    return started
  }
  return { gateway, node, cores, start }
}

function compileOwn(cleanup: Cleanup): string {
  const directory = mkdtempSync(join(tmpdir(), 'mdg-bench-'))
  cleanup.add(() => rmSync(directory, { recursive: true, force: true }))
  return compileGateway(directory)
}

/** This process and those it starts from now on make the load. */
function pinSelf(core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)])
}
