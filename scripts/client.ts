// Writes a typed client as a package, from the OpenAPI document and the GraphQL schema: npm run client -- [--out DIR]
// (default .client), or for Python npm run client -- --python [DIR] (default .client-python). The generators of the types of
// TypeScript take 60 MB, so they are not development dependencies: the first run installs them into scripts/client/generators.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writePythonClient } from './client/python/write-python-client.js'
import { writeClient } from './client/write-client.js'

const ROOT = resolve(import.meta.dirname, '..')
const { values: options, positionals } = parseArgs({
  options: { out: { type: 'string' }, python: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const out = positionals[0] ?? options.out ?? (options.python ? '.client-python' : '.client')
console.log(options.python ? await forPython() : await forTypeScript())

async function forTypeScript(): Promise<string> {
  const written = await writeClient(ROOT, resolve(out))
  return (
    `${written.name} ${written.version} in ${out}: ${written.files} files, ${kilobytes(written.script)} of JavaScript, ` +
    `${kilobytes(written.types)} of types, ${kilobytes(written.packed)} packed`
  )
}

async function forPython(): Promise<string> {
  const { name, version, files, bytes, distributions } = await writePythonClient(ROOT, resolve(out))
  const built =
    distributions.length > 0
      ? distributions.map((file) => `${out}/dist/${file}`).join('\n')
      : 'Neither wheel nor source distribution: no python3 with flit_core (Debian: flit). pip installs from the directory.'
  return `${name} ${version} in ${out}: ${files} files, ${kilobytes(bytes)} of Python\n${built}`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`
}
