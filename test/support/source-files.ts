import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const SRC = join(import.meta.dirname, '../../src')

/** Importing one of these starts the process or a command. */
const ENTRY = /^(main|cli|commands\/[^/]+|process\/schedule\/schedule-child)\.ts$/

/** Runs in browsers. */
const PORTAL = /^portal\//

/** The files of the gateway that people write, below `src`. */
export const SOURCE_FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('generated') && !PORTAL.test(name),
)

/** Loads all modules but those that start something, so that they declare their statements. */
export async function importSources(): Promise<void> {
  for (const name of SOURCE_FILES) if (!ENTRY.test(name)) await import(pathToFileURL(join(SRC, name)).href)
}
