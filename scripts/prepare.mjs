// Generates the Prisma client and the assets of the pages, and compiles src into dist. npm runs it as `prepare`: after an
// install in a checkout and before a pack, never where the package is installed.
// Without the development dependencies it only says so.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { COMPILER, compileIfStale, ROOT } from './compile.mjs'

const PRISMA = resolve(ROOT, 'node_modules/prisma-cli/build/index.js')

/** Prisma's CLI asks its maker for newer versions unless it is kept from it. */
function generate() {
  const env = { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' }
  const { status } = spawnSync(process.execPath, [PRISMA, 'generate'], { cwd: ROOT, stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}

if (existsSync(PRISMA) && existsSync(COMPILER)) {
  generate()
  const { writePageAssets } = await import('./page-assets.mjs')
  await writePageAssets(ROOT)
  compileIfStale()
} else if (!existsSync(resolve(ROOT, 'dist/cli.js'))) {
  process.stdout.write('Not compiled: that takes the development dependencies (npm install).\n')
}
