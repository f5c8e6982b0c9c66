import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseSync } from '@swc/core'
import { afterEach, expect, it, vi } from 'vitest'
import { isObject } from '../../../src/core/is-object.js'
import { cpuGrowth, MOST_GROWTH } from '../../support/cpu-growth.js'

const SRC = resolve(import.meta.dirname, '../../../src')

const SIZE = 20_000
/** Far more than one pass over that many characters takes. What takes more is measured for two sizes. */
const SUSPICIOUS_MICROSECONDS = 10_000

interface Expression {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

/** All literals of a file. */
function expressionsOf(file: string): readonly Expression[] {
  const found: Expression[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const part of node) visit(part)
    if (!isObject(node)) return
    const { type, pattern, flags } = node
    if (type === 'RegExpLiteral' && typeof pattern === 'string' && typeof flags === 'string')
      found.push({ file, pattern, flags })
    for (const part of Object.values(node)) visit(part)
  }
  const text = readFileSync(join(SRC, file), 'utf8')
  visit(parseSync(text, { syntax: 'typescript', tsx: file.endsWith('.tsx'), target: 'es2024' }))
  return found
}

/** Places of a file that make an expression from texts: `new RegExp(…)`. */
function placesOf(file: string): number {
  return (readFileSync(join(SRC, file), 'utf8').match(/\bRegExp\(/g) ?? []).length
}

/** The modules that make expressions, and calls that make those which are not made when the module is loaded. */
const MAKERS: Readonly<Record<string, (module: Record<string, unknown>) => unknown>> = {
  'domains/news/headline-model.ts': ({ headlineRule }) => {
    const make = headlineRule as typeof import('../../../src/domains/news/headline-model.js').headlineRule
    make([{ assetId: 1, ticker: 'LINK', name: 'Chain link' }])
  },
  'ingest/datasets/analysis/words/forbidden-words.ts': () => {},
  'ingest/providers/rss/written-instant.ts': () => {},
}

/** The expressions that a module makes from texts. */
async function madeBy(
  file: string,
  make: (module: Record<string, unknown>) => unknown,
): Promise<readonly Expression[]> {
  const made: Expression[] = []
  const Original = RegExp
  vi.stubGlobal(
    'RegExp',
    class extends Original {
      constructor(pattern: RegExp | string, flags?: string) {
        super(pattern, flags)
        if (new Error('place').stack?.includes(file))
          made.push({ file, pattern: this.source, flags: this.flags })
      }
    },
  )
  // Another test file of this process may have loaded the module: a query loads it again.
  make(await import(/* @vite-ignore */ `${pathToFileURL(join(SRC, file)).href}?made`))
  vi.unstubAllGlobals()
  return made
}

afterEach(() => void vi.unstubAllGlobals())

/** How a match may begin before a part that repeats. */
const STARTS = ['', '-', '<', '"', '(', '1.', 'a ']

/** Ends that hardly any expression expects. */
const ENDS = ['\u0001', '\n', '/x']

/**
 * Texts that make an expression try each position again: a start, one character of the expression or of its classes many times,
 * and an end.
 */
function attacksOn({ pattern }: Expression): readonly ((size: number) => string)[] {
  const repeated = new Set([...pattern.replace(/\\[a-zA-Z]/g, ''), 'a', '0', ' '])
  return [...repeated].flatMap((character) =>
    STARTS.flatMap((start) => ENDS.map((end) => (size: number) => `${start}${character.repeat(size)}${end}`)),
  )
}

function cpuMicroseconds(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** The first attack whose time grows faster than its length; null if there is none. */
async function findAttack(expression: Expression): Promise<string | null> {
  const { pattern, flags } = expression
  const compiled = new RegExp(pattern, flags)
  for (const attack of attacksOn(expression)) {
    const run = (size: number) => attack(size).replace(compiled, '')
    if (cpuMicroseconds(() => run(SIZE)) < SUSPICIOUS_MICROSECONDS) continue
    if ((await cpuGrowth(SIZE / 8, run)) > MOST_GROWTH)
      return `${expression.file}: /${pattern}/${flags} by ${JSON.stringify(attack(3))}`
  }
  return null
}

it('reads 20,000 characters by each regular expression in linear time, so that no text of a provider or a caller blocks the process', async () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.startsWith('generated'),
  )
  const expressions = files.flatMap(expressionsOf)
  expect(expressions.length).toBeGreaterThan(300)
  const makers = files.filter((file) => placesOf(file) > 0)
  expect(makers.sort()).toEqual(Object.keys(MAKERS))
  for (const [file, make] of Object.entries(MAKERS)) {
    const made = await madeBy(file, make)
    expect([file, made.length >= placesOf(file)]).toEqual([file, true])
    expressions.push(...made)
  }
  const slow: string[] = []
  for (const expression of expressions) {
    const attack = await findAttack(expression)
    if (attack !== null) slow.push(attack)
  }
  expect(slow).toEqual([])
}, 120_000)
