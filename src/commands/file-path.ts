import { resolve } from 'node:path'
import { UsageError } from './usage-error.js'

/**
 * The path for this process. `directory` is the working directory of the caller; null if this process was called. Throws
 * UsageError for a device of the caller, which the running gateway cannot open.
 */
export function filePathOf(path: string, directory: string | null): string {
  if (directory === null) return path
  const absolute = resolve(directory, path)
  if (/^\/(dev|proc)\//.test(absolute)) {
    throw new UsageError(`${path}: the running gateway opens the file, so it must be on disk`)
  }
  return absolute
}
