import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../../src')

/** What dependencies and Node do not document: a release may change it without notice. `_meta` is a member of answers. */
const PRIVATE = /\._(?!meta\b)[a-z]\w*|\.connection\.stream\b/

/** By file, the test that fails when a version changes what the file relies on. */
const ADAPTERS: Readonly<Record<string, string>> = {
  'platform/database/embedded/outside-transactions.ts':
    'platform/database/embedded/outside-transactions.test.ts',
}

it('uses private members of dependencies in adapters only, each with its own test', () => {
  const files = readdirSync(SRC, { recursive: true })
    .map(String)
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated/'))
  const using = files.filter((file) => PRIVATE.test(readFileSync(join(SRC, file), 'utf8')))
  expect(using.sort()).toEqual(Object.keys(ADAPTERS))
  const tests = readdirSync(resolve(SRC, '../test'), { recursive: true }).map(String)
  for (const test of Object.values(ADAPTERS)) expect(tests).toContain(test)
})
