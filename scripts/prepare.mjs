// Generates the Prisma client and the assets of the pages, and compiles src into dist. npm runs it as `prepare`: after an
// install in a checkout and before a pack, but never when the package is installed as a dependency.
// Without the development dependencies it only prints a message.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { COMPILER, compileIfStale, ROOT } from './compile.mjs'

const PRISMA = resolve(ROOT, 'node_modules/prisma/build/index.js')

/** Prevents Prisma's CLI from looking for newer versions. */
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
  process.stdout.write('Not compiled, because the development dependencies are missing (npm install).\n')
}
