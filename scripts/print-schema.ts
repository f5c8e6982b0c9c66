// Writes schema.graphql: the sorted GraphQL schema of clients.
// --check fails if the file differs from the code, and reports changes since the last commit, breaking ones first.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql'
import { graphSchema } from '../src/schema.js'
import { schemaText } from '../src/schema-kit/schema-text.js'

const file = resolve(import.meta.dirname, '../schema.graphql')
const text = schemaText(graphSchema)

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    console.error('schema.graphql is not current: run `npm run schema` and commit it.')
    process.exit(1)
  }
  reportChanges()
} else {
  writeFileSync(file, text)
}

function reportChanges(): void {
  const before = committed()
  if (before === null) return
  const old = buildSchema(before)
  const now = buildSchema(text)
  for (const change of findBreakingChanges(old, now)) console.warn(`breaking: ${change.description}`)
  for (const change of findDangerousChanges(old, now)) console.warn(`dangerous: ${change.description}`)
}

/** The file of the last commit; null without a commit or without git. */
function committed(): string | null {
  try {
    return execFileSync('git', ['show', 'HEAD:schema.graphql'], {
      cwd: resolve(file, '..'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return null
  }
}
