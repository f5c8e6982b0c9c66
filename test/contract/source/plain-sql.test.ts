import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../../src')
const DECLARES = /= statements?\(/
const REASON = /Plain SQL/i

const declaring = ['domains', 'ingest']
  .flatMap((part) =>
    readdirSync(resolve(SRC, part), { recursive: true, encoding: 'utf8' }).map((file) => join(part, file)),
  )
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(resolve(SRC, file), 'utf8') }))
  .filter(({ text }) => DECLARES.test(text))

it('every file that declares statements says why they are plain SQL and not reads by Prisma', () => {
  expect(declaring.length).toBeGreaterThan(20)
  expect(declaring.filter(({ text }) => !REASON.test(text)).map(({ file }) => file)).toEqual([])
})
