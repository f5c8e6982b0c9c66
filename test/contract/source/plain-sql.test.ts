import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../../src')
const REASON = /Plain SQL/i

/** A declaration, and its first argument if it is a text. */
const DECLARES = /= (?:statements?|asOfStatement)\(\s*(?:'(?<plainSql>[^']*)')?/g

const declared = ['domains', 'ingest']
  .flatMap((part) =>
    readdirSync(resolve(SRC, part), { recursive: true, encoding: 'utf8' }).map((file) => join(part, file)),
  )
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const text = readFileSync(resolve(SRC, file), 'utf8')
    const cases = [...text.matchAll(DECLARES)].map(({ groups }) => groups?.plainSql ?? null)
    return cases.length === 0 ? [] : [{ file, cases, hasReason: REASON.test(text) }]
  })

/** Domains whose reads go through Prisma's client, except statements that name their case. */
const DECIDED = [
  'domains/asset-cards/',
  'domains/assets/',
  'domains/commodities/',
  'domains/datasets/',
  'domains/etf/',
  'domains/filings/',
  'domains/forex/',
  'domains/instruments/',
  'domains/macro/',
  'domains/news/',
  'domains/prices/',
  'domains/releases/',
  'domains/screening/',
  'domains/stocks/',
]

const MAX_HOT = 40
const LEAST_HOT = 2.5

describe('plain SQL', () => {
  it('has one of three cases, or a reason in its file', () => {
    expect(declared.length).toBeGreaterThan(20)
    const unexplained = declared.filter(
      ({ file, cases, hasReason }) =>
        cases.includes(null) && (!hasReason || DECIDED.some((folder) => file.startsWith(folder))),
    )
    expect(unexplained.map(({ file }) => file)).toEqual([])
  })

  it('is hot in few statements, each of which takes Prisma’s client at least 2.5 times the CPU', () => {
    const hot = declared.flatMap(({ cases }) => cases).filter((plainSql) => plainSql?.startsWith('hot '))
    expect(hot.length).toBeGreaterThan(1)
    expect(hot.length).toBeLessThanOrEqual(MAX_HOT)
    expect(hot.filter((plainSql) => !(Number(plainSql?.slice(4)) >= LEAST_HOT))).toEqual([])
  })
})
