import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const SHARED_DIR = resolve(import.meta.dirname, '../../../shared')
const SAMPLES_DIR = process.env.SAMPLES_DIR ?? resolve(SHARED_DIR, 'samples')

/** Path of a recorded provider body, or null where the samples are not at hand (the test then skips). */
export function samplePath(name: string): string | null {
  return existingPath(SAMPLES_DIR, name)
}

/** Path of a small body that once gave a wrong value, or null where it is not at hand (the test then skips). */
export function casePath(name: string): string | null {
  return existingPath(resolve(SHARED_DIR, 'cases'), name)
}

function existingPath(folder: string, name: string): string | null {
  const path = resolve(folder, name)
  return existsSync(path) ? path : null
}
