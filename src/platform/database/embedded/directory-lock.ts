import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { hasCode } from '../../../core/has-code.js'

/** Holds a directory for this process until released or until the process ends. */
export interface DirectoryLock {
  /** The directory's real path. */
  readonly directory: string
  release(): void
}

/** How often a step is retried while another process runs the same step. */
const ATTEMPTS = 100
const PAUSE_MS = 10

// Distinguishes our own lock from that of a dead process with the same process id, which is usual in containers.
const heldHere = new Set<string>()

/**
 * Locks a directory (made when absent, mode 700) by a file `<directory>.lock` beside it that names the holder's
 * process id. The lock of a dead process is taken over. Throws an Error that names directory and holder when
 * a living process holds it, this one included. Does not see processes of other hosts or process namespaces.
 */
export function lockDirectory(path: string): DirectoryLock {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const directory = realpathSync(path)
  const file = `${directory}.lock`
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (createWithPid(file)) return heldLock(directory, file)
    assertFile(file)
    const holder = readHolder(file)
    if (holder !== null && isAlive(file, holder)) throw new Error(heldMessage(directory, file, holder))
    if (holder !== null) removeStale(file)
    pause()
  }
  throw new Error(
    `The lock of ${directory} is unclear: remove ${file} and ${takeoverOf(file)} if nothing uses it`,
  )
}

function heldLock(directory: string, file: string): DirectoryLock {
  heldHere.add(file)
  const release = () => {
    if (!heldHere.delete(file)) return
    process.off('exit', release)
    unlinkSync(file)
  }
  process.once('exit', release)
  return { directory, release }
}

/** False when the file exists. */
function createWithPid(file: string): boolean {
  try {
    const descriptor = openSync(file, 'wx', 0o600)
    writeSync(descriptor, String(process.pid))
    closeSync(descriptor)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Throws if the lock file is something else: a directory, or a link, which may lead to another user's file. */
function assertFile(file: string): void {
  const entry = lstatSync(file, { throwIfNoEntry: false })
  if (entry === undefined || entry.isFile()) return
  throw new Error(
    `${file} is not a lock of this gateway: remove it if nothing uses the database, and start again`,
  )
}

/** The process id in a lock file; null when it is gone, or created and not written yet. */
function readHolder(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function isAlive(file: string, pid: number): boolean {
  if (pid === process.pid) return heldHere.has(file)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH') // EPERM: it lives and belongs to another user
  }
}

/**
 * Removes the lock of a dead process. Two processes that both saw it dead must not remove each other's new lock,
 * so only the owner of a second file checks again and removes it; it holds that file for a few system calls.
 */
function removeStale(file: string): void {
  const takeover = takeoverOf(file)
  if (!createWithPid(takeover)) return
  try {
    const holder = readHolder(file)
    if (holder !== null && !isAlive(file, holder)) unlinkSync(file)
  } finally {
    unlinkSync(takeover)
  }
}

function takeoverOf(file: string): string {
  return `${file}.takeover`
}

function heldMessage(directory: string, file: string, pid: number): string {
  const holder = pid === process.pid ? `this process (${pid}) already` : `process ${pid}`
  return `The database directory ${directory} is held by ${holder}; stop it first (lock file ${file})`
}

// Synchronous: locking happens once at start, and the steps between the pauses must not interleave.
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
}
