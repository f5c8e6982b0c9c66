import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const DEFAULT_TICKS = 100
const MICROSECONDS = 1_000_000

let knownTicks: number | null = null

/** Ticks per second of the times in /proc. */
function ticksPerSecond(): number {
  knownTicks ??= Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || DEFAULT_TICKS
  return knownTicks
}

/**
 * CPU time of a process and all its descendants, user and system, in microseconds with the resolution of /proc (10 ms);
 * null without /proc.
 */
export function cpuMicroseconds(pid: number): number | null {
  const all = readAll()
  const found = all.get(pid)
  if (found === undefined) return null
  return (ticksOf(found, pid, all) / ticksPerSecond()) * MICROSECONDS
}

interface Usage {
  readonly parent: number
  /** Its own time and that of its ended children. */
  readonly ticks: number
}

function ticksOf(usage: Usage, pid: number, all: ReadonlyMap<number, Usage>): number {
  let ticks = usage.ticks
  for (const [child, of] of all) if (of.parent === pid) ticks += ticksOf(of, child, all)
  return ticks
}

function readAll(): ReadonlyMap<number, Usage> {
  const all = new Map<number, Usage>()
  for (const name of processes()) {
    const usage = /^\d+$/.test(name) ? readUsage(name) : null
    if (usage !== null) all.set(Number(name), usage)
  }
  return all
}

function processes(): readonly string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return [] // not Linux
  }
}

// Fields of /proc/PID/stat after the name in brackets, which may hold spaces: proc(5) numbers them from 3.
const PARENT = 4 - 3
const USER = 14 - 3
const LAST_OF_CHILDREN = 17 - 3

function readUsage(pid: string): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const times = fields.slice(USER, LAST_OF_CHILDREN + 1).map(Number)
    return { parent: Number(fields[PARENT]), ticks: times.reduce((sum, time) => sum + time, 0) }
  } catch {
    return null // it has ended meanwhile
  }
}
