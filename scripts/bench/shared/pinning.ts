import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** The core for servers, and the core for the load generator and the database. */
export interface Cores {
  readonly servers: number
  readonly load: number
}

/** Two cores for pinning; null with a single core or without taskset. */
export function findCores(): Cores | null {
  const hasTaskset = spawnSync('taskset', ['--version']).status === 0
  return hasTaskset && availableParallelism() > 1 ? { servers: 0, load: 1 } : null
}

export interface PinnedDatabase {
  readonly isPinned: boolean
  /** Moves it back to its former cores. */
  restore(): void
}

/**
 * Moves PostgreSQL (the parent of a backend and all its children) to a core. New backends follow their parent. Changes
 * nothing without the permission, or if the server runs on another machine.
 */
export function pinDatabase(backendPid: number, core: number): PinnedDatabase {
  const parent = isPostgres(backendPid) ? parentOf(backendPid) : null
  const before = parent === null || !isPostgres(parent) ? null : coresOf(parent)
  if (parent === null || before === null) return { isPinned: false, restore: () => {} }
  const isPinned = moveAll(parent, String(core))
  return { isPinned, restore: () => void moveAll(parent, before) }
}

function isPostgres(pid: number): boolean {
  return statusOf(pid, 'Name')?.startsWith('postgres') ?? false
}

function parentOf(pid: number): number | null {
  const parent = Number(statusOf(pid, 'PPid'))
  return parent > 1 ? parent : null
}

/** In the form of `taskset -c`, for example 0-3. */
function coresOf(pid: number): string | null {
  return statusOf(pid, 'Cpus_allowed_list')
}

function moveAll(parent: number, cores: string): boolean {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(Number(name)) === parent,
  )
  const move = (pid: string) => spawnSync('taskset', ['-a', '-c', '-p', cores, pid]).status === 0
  const isMoved = move(String(parent))
  for (const child of children) move(child) // a backend may have ended meanwhile
  return isMoved
}

function statusOf(pid: number, name: string): string | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? null
  } catch {
    return null // there is no such process, or no /proc
  }
}
