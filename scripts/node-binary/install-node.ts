import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const DEFAULT_CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/node')

const VERSION = /^\d+(\.\d+){0,2}$/

/**
 * Returns the path of a Node.js of that version, and installs it below `cache` if it is missing. Throws for an invalid
 * version, and with npm's message if no build exists for this machine.
 */
export function installNode(version: string, cache = DEFAULT_CACHE): string {
  if (!VERSION.test(version))
    throw new Error(`${version} is not a version of Node.js; use one such as 24 or 22.12.0`)
  const directory = resolve(cache, version)
  const path = programIn(directory)
  if (existsSync(path)) return path
  mkdirSync(directory, { recursive: true })
  const args = ['--no-save', '--no-audit', '--no-fund', '--prefix', directory, `${PACKAGE}@${version}`]
  const { status, stderr } = spawnSync('npm', ['install', ...args], { encoding: 'utf8' })
  if (status !== 0 || !existsSync(path))
    throw new Error(`npm did not install ${PACKAGE}@${version}:\n${stderr}`)
  return path
}

// The package `node` chooses one of these in an install script, which npm may be configured not to run.
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

function programIn(directory: string): string {
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  return join(directory, 'node_modules', PACKAGE, 'bin', program)
}
