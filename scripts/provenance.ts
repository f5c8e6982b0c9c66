// Writes the provenance of a package of `npm pack` beside it, as an in-toto statement with a SLSA v1 predicate:
//   npm run provenance -- market-data-gateway-0.2.0.tgz
// It names the digests of the package, of its bill of materials and of the lock file, and the revision. It refuses a work tree
// with changes, because then the revision does not say what was packed. --verify compares a package with its statement.
// The statement is not signed: whoever publishes the package signs it.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type BuildFacts,
  findMismatches,
  provenanceStatement,
  type Statement,
} from './provenance/statement.js'

const USAGE = 'npm run provenance -- [--verify] [--builder URI] PACKAGE.tgz'

/** Whoever runs this on a machine of their own; a build service gives its URI by --builder. */
const LOCAL_BUILDER = 'urn:market-data-gateway:local-build'

/** Output of a program. Throws with its error output if it fails. */
function outputOf(program: string, ...args: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync(program, args, { maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

const fromPackage = (path: string, name: string) => outputOf('tar', '-xzOf', path, `package/${name}`)

function factsOf(path: string, builder: string): BuildFacts {
  const changes = outputOf('git', 'status', '--porcelain', '--untracked-files=no').toString().trim()
  if (changes !== '') throw new Error(`the work tree has changes that no revision has:\n${changes}`)
  const { name, version } = JSON.parse(fromPackage(path, 'package.json').toString()) as {
    name: string
    version: string
  } // npm's own file
  return {
    ...{ name, version, builder },
    file: { name: basename(path), content: readFileSync(path) },
    revision: outputOf('git', 'rev-parse', 'HEAD').toString().trim(),
    lockFile: outputOf('git', 'show', 'HEAD:./package-lock.json'),
    billOfMaterials: fromPackage(path, 'sbom.cdx.json'),
    node: process.version,
    npm: outputOf('npm', '--version').toString().trim(),
    finishedOn: new Date(),
  }
}

function run(): void {
  const { values, positionals } = parseArgs({
    options: { verify: { type: 'boolean' }, builder: { type: 'string', default: LOCAL_BUILDER } },
    allowPositionals: true,
  })
  const [path] = positionals
  if (path === undefined || positionals.length > 1) throw new Error(USAGE)
  const beside = `${path}.provenance.json`
  if (values.verify !== true) {
    writeFileSync(beside, `${JSON.stringify(provenanceStatement(factsOf(path, values.builder)), null, 2)}\n`)
    process.stdout.write(`${beside}\n`)
    return
  }
  const statement = JSON.parse(readFileSync(beside, 'utf8')) as Statement // compared field by field
  const file = { name: basename(path), content: readFileSync(path) }
  const faults = findMismatches(statement, file, () => fromPackage(path, 'sbom.cdx.json'))
  process.stdout.write(
    faults.length === 0 ? 'the package is that of the statement\n' : `${faults.join('\n')}\n`,
  )
  process.exitCode = faults.length === 0 ? 0 : 1
}

try {
  run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
