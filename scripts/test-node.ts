// Installs another version of Node.js, and runs the checks and the suite with it.
// npm run -s test:node -- 24 [--suite-only] [what vitest takes, e.g. test/http]
import { spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { installNode } from './node-binary/install-node.js'

const [version = '', ...given] = process.argv.slice(2)
const suite = ['exec', '--', 'vitest', 'run', ...given.filter((argument) => argument !== '--suite-only')]
const steps = given.includes('--suite-only') ? [suite] : [['run', 'check'], suite]

try {
  const path = installNode(version)
  // npm and its children find `node` in PATH.
  const env = { ...process.env, PATH: `${dirname(path)}${delimiter}${process.env.PATH ?? ''}` }
  for (const step of steps) {
    const { status } = spawnSync('npm', step, { env, stdio: 'inherit' })
    if (status !== 0) throw new Error(`npm ${step.join(' ')} failed under Node.js ${version}`)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
