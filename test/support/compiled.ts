import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { onceForRun } from './once-for-run.js'

const ROOT = resolve(import.meta.dirname, '../..')
const COMPILER = resolve(ROOT, 'node_modules/typescript-compiler/bin/tsc')

/** What compiled files read beside them. */
const BESIDE = ['node_modules', 'package.json', 'prisma']

/**
 * The JavaScript of a TypeScript file of this project, absolute or from its root, compiled once for the run: a process
 * then starts in a third of the time. Types are what `npm run check` is for.
 */
export async function compiled(file: string): Promise<string> {
  const directory = join(inject('runDirectory'), 'compiled')
  await onceForRun('compiled', async () => {
    const emit = ['--noEmit', 'false', '--noCheck', '--rootDir', ROOT, '--outDir', directory]
    await promisify(execFile)(process.execPath, [COMPILER, '-p', ROOT, ...emit])
    await Promise.all(BESIDE.map((name) => symlink(resolve(ROOT, name), join(directory, name))))
  })
  return join(directory, relative(ROOT, resolve(ROOT, file)).replace(/\.ts$/, '.js'))
}
