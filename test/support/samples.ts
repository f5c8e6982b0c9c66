import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const SAMPLES_DIR = process.env.SAMPLES_DIR ?? resolve(import.meta.dirname, '../../../shared/samples')

/** Path of a recorded provider body, or null where the samples are not at hand (the test then skips). */
export function samplePath(name: string): string | null {
  const path = resolve(SAMPLES_DIR, name)
  return existsSync(path) ? path : null
}
