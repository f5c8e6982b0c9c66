import { existsSync, readdirSync } from 'node:fs'
import { extname } from 'node:path'

/** `.js` of the compiled gateway, `.ts` where its sources run. */
const EXTENSION = extname(import.meta.url)

/**
 * Imports the module `name` of each folder of a directory that has one, one after the other in the order of the folders'
 * names, so registrations have the same order in every process.
 */
export async function importEach(directory: URL, name: string): Promise<void> {
  const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const folder of entries.map((entry) => entry.name).sort()) {
    const file = new URL(`${folder}/${name}${EXTENSION}`, directory)
    if (existsSync(file)) await import(file.href)
  }
}
