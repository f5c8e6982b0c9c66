import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Empties the directory of a client. Throws if it contains something other than the client, so that nothing else is deleted:
 * its file `manifest` must contain the text.
 */
export function emptyOutput(out: string, manifest: string, text: string): void {
  if (existsSync(out) && readdirSync(out).length > 0) {
    const file = join(out, manifest)
    if (!existsSync(file) || !readFileSync(file, 'utf8').includes(text))
      throw new Error(`${out} contains something other than the client; choose another directory with --out`)
  }
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
}
