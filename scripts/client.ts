// Writes the typed client as a package, from the OpenAPI document and the GraphQL schema: npm run client -- [--out DIR]
// (default .client). The generators of its types take 60 MB, so they are not development dependencies: the first run
// installs them into scripts/client/generators.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeClient } from './client/write-client.js'

const ROOT = resolve(import.meta.dirname, '..')
const { values: options } = parseArgs({ options: { out: { type: 'string', default: '.client' } } })
const written = await writeClient(ROOT, resolve(options.out))
console.log(
  `${written.name} ${written.version} in ${options.out}: ${written.files} files, ${kilobytes(written.script)} of JavaScript, ` +
    `${kilobytes(written.types)} of types, ${kilobytes(written.packed)} packed`,
)

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`
}
