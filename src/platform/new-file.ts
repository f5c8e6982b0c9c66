import { type FileHandle, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from './sync-directory.js'

/**
 * Writes a new file that only its user may read. Until it is whole and on disk, its name ends in `.partial`. Throws EEXIST if
 * the file or an unfinished one exists; after another error nothing is left.
 */
export async function writeNewFile<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
): Promise<{ readonly bytes: number; readonly written: T }> {
  const partial = `${path}.partial`
  const file = await open(partial, 'wx', 0o600)
  try {
    const written = await write(file)
    await file.sync()
    const { size } = await file.stat()
    await link(partial, path) // a rename would replace an existing file
    return { bytes: size, written }
  } finally {
    await file.close()
    await rm(partial, { force: true })
    await syncDirectory(dirname(path))
  }
}
