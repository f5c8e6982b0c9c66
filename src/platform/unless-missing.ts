import { hasCode } from '../core/has-code.js'

/** The result of work on a file or directory, or `missing` if it does not exist. */
export async function unlessMissing<T, U>(work: Promise<T>, missing: U): Promise<T | U> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return missing
    throw error
  }
}
