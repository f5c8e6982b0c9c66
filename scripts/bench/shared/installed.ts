import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../../..')

/** Contenders whose packages are not among those of the project. */
export const INSTALLED_DIRECTORY = 'scripts/bench/contenders/graphql-servers'

const DIRECTORY = join(ROOT, INSTALLED_DIRECTORY)

export function isInstalled(): boolean {
  return existsSync(join(DIRECTORY, 'node_modules/.package-lock.json'))
}

/** Installs the packages in package-lock.json of that directory. Throws when npm fails. */
export function install(): void {
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: DIRECTORY, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ci failed in ${DIRECTORY}`)
}
