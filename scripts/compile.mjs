// Compiles src into dist.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = resolve(ROOT, 'dist')
const BUILT = resolve(DIST, '.built')
export const COMPILER = resolve(ROOT, 'node_modules/typescript-compiler/bin/tsc')

/** Compiles if a source file is newer than the last build. Ends the process if compiling is not possible. */
export function compileIfStale() {
  if (newestSource() < modified(BUILT)) return
  if (existsSync(COMPILER)) compile()
  else if (!existsSync(resolve(DIST, 'cli.js'))) {
    fail('The gateway is not compiled, and the compiler is a development dependency: run npm install first.')
  }
  // A copied dist may look older than sources that were copied after it.
}

/** Compiles into a temporary directory, so that dist is always complete, even if the compiler fails. */
function compile() {
  process.stderr.write('compiling, because a source file is newer than dist …\n')
  const next = resolve(ROOT, `dist.${process.pid}`)
  rmSync(next, { recursive: true, force: true })
  const status = compilerStatus(next)
  if (status !== 0) {
    rmSync(next, { recursive: true, force: true })
    process.exit(status)
  }
  writeFileSync(resolve(next, '.built'), '')
  try {
    rmSync(DIST, { recursive: true, force: true })
    renameSync(next, DIST)
  } catch (error) {
    rmSync(next, { recursive: true, force: true })
    // Another command has compiled the same sources at the same time.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

function compilerStatus(outDir) {
  const args = [COMPILER, '-p', resolve(ROOT, 'scripts/tsconfig.build.json'), '--outDir', outDir]
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1
}

function newestSource() {
  const files = readdirSync(resolve(ROOT, 'src'), { recursive: true }).map((name) =>
    resolve(ROOT, 'src', name),
  )
  return Math.max(...[...files, resolve(ROOT, 'tsconfig.json')].map(modified))
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
