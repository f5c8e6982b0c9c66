import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { compiled } from './compiled.js'

const ROOT = resolve(import.meta.dirname, '../../..')

/** A migration of the next release. */
export interface NextMigration {
  readonly name: string
  readonly sql: string
}

/**
 * Copies the compiled gateway to `directory` as a next release: of another version, with more migrations. Returns the directory,
 * in which `src/main.js` and `src/cli.js` can be started.
 */
export async function compileNextRelease(
  directory: string,
  version: string,
  migrations: readonly NextMigration[],
): Promise<string> {
  const built = dirname(dirname(await compiled('src/main.ts')))
  cpSync(built, directory, { recursive: true, verbatimSymlinks: true })
  // Compiled modules find what lies beside them by their absolute path.
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue
    const file = join(entry.parentPath, entry.name)
    const text = readFileSync(file, 'utf8')
    if (text.includes(built)) writeFileSync(file, text.replaceAll(built, directory))
  }
  for (const name of ['package.json', 'prisma']) rmSync(join(directory, name))
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object // our own file
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...manifest, version }))
  cpSync(join(ROOT, 'prisma'), join(directory, 'prisma'), { recursive: true })
  for (const { name, sql } of migrations) {
    mkdirSync(join(directory, 'prisma/migrations', name))
    writeFileSync(join(directory, 'prisma/migrations', name, 'migration.sql'), sql)
  }
  return directory
}
