import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { Prisma } from '../../../src/generated/prisma/client.js'

const SRC = resolve(import.meta.dirname, '../../../src')

const SQL_WRITE = /\b(?:insert into|delete from|update) ([a-z]+(?:_[a-z]+)*)\b(?! skip)/g

const PRISMA_WRITE =
  /\.([a-z]\w+)\.(?:create|createMany|createManyAndReturn|update|updateMany|upsert|delete|deleteMany)\(/g

it('writes each table in one part: a domain, the platform or ingestion', () => {
  const tables = new Map(Object.values(Prisma.ModelName).map((model) => [toCamel(model), toSnake(model)]))
  const writers = new Map<string, Set<string>>()
  for (const file of sources()) {
    const text = readFileSync(join(SRC, file), 'utf8')
    const written = [
      ...[...text.matchAll(SQL_WRITE)].map(([, table]) => table ?? ''),
      ...[...text.matchAll(PRISMA_WRITE)].map(([, model]) => tables.get(model ?? '') ?? ''),
    ].filter((table) => [...tables.values()].includes(table))
    for (const table of written) writers.set(table, (writers.get(table) ?? new Set()).add(partOf(file)))
  }
  expect(writers.get('webhook')).toEqual(new Set(['domains/webhooks']))
  const shared = [...writers].filter(([, parts]) => parts.size > 1)
  expect(shared.map(([table, parts]) => `${table}: ${[...parts].join(', ')}`)).toEqual([])
})

function sources(): readonly string[] {
  return readdirSync(SRC, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated/'))
}

function partOf(file: string): string {
  const [top, folder] = file.split('/')
  return top === 'domains' ? `${top}/${folder}` : (top ?? '')
}

function toCamel(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1)
}

function toSnake(model: string): string {
  return toCamel(model).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
