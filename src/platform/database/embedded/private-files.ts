import { randomUUID } from 'node:crypto'
import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs'
import { chmod, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Permission bits of the group and of all others. */
const OTHERS = 0o077

/** Files that this process creates from now on are readable by its own user only. */
export function makeFilesPrivate(): void {
  if (isMainThread) process.umask(OTHERS) // node refuses to set it from a worker thread, which shares it anyway
}

/** Creates a directory with mode 700 unless it exists. Throws an Error that says what to do if this user may not write there. */
export function makeWritableDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : cause
    throw new Error(
      `The directory ${path} cannot be written (${code}): let this user write there, or set DATA_DIR to another directory`,
      { cause },
    )
  }
}

/**
 * Creates a directory with mode 700, or narrows an existing one to it. Throws an Error that says what to do if this user
 * may not write there or beside it, where the lock file is, or if it is open to others and belongs to another user.
 */
export function makePrivateDirectory(path: string): void {
  makeWritableDirectory(path)
  makeWritableDirectory(dirname(path))
  const { mode } = statSync(path)
  if ((mode & OTHERS) === 0) return
  try {
    chmodSync(path, mode & 0o700)
  } catch (cause) {
    const bits = (mode & 0o777).toString(8)
    const message = `The database directory ${path} is open to other users (mode ${bits}) and belongs to one of them; make it this user's own with mode 700, or set DATA_DIR to another one`
    throw new Error(message, { cause })
  }
}

/**
 * Removes the rights of other users from everything below a directory. PGlite sets its own file modes and ignores the umask.
 */
export async function narrowContents(directory: string): Promise<void> {
  const names = await readdir(directory, { recursive: true })
  await Promise.all(names.map((name) => narrow(join(directory, name))))
}

async function narrow(path: string): Promise<void> {
  const entry = await lstat(path)
  if (!entry.isSymbolicLink() && (entry.mode & OTHERS) !== 0) await chmod(path, entry.mode & 0o700)
}

/** The text of a file. Throws for a link, which may lead to another user's file. */
export async function readPrivateFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** Writes a file with mode 600, completely or not at all. A link is replaced; its target is not changed. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
