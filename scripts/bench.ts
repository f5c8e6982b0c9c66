// Runs one of the benchmarks, which say at their beginning what they measure and which options they have:
// npm run -s bench -- [compare|attack|counters|growth|hits|replicas|sql] [OPTIONS]
// compare is the one without a name.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const NAMES = ['compare', 'attack', 'counters', 'growth', 'hits', 'replicas', 'sql']

const [first = '', ...rest] = process.argv.slice(2)
const isNamed = first !== '' && !first.startsWith('-')
const name = isNamed ? first : 'compare'

if (NAMES.includes(name)) {
  const file = join(import.meta.dirname, 'bench', name, 'run.ts')
  const options = isNamed ? rest : process.argv.slice(2)
  // hits collects garbage before it reads the memory.
  const { status } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', file, ...options], {
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} else {
  process.stderr.write(`There is no benchmark ${name}; use one of: ${NAMES.join(', ')}.\n`)
  process.exitCode = 2
}
