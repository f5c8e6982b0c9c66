import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const SRC = join(ROOT, 'src')

/** Names that were riddles, by the standard term that stands in their place. */
const RETIRED: Readonly<Record<string, string>> = {
  Made: 'RunResult',
  Prepared: 'PreparedOperation',
  Asked: 'AuthenticatedRequest',
  Standing: 'QuotaStatus',
  Tally: 'CounterCache',
  Taken: 'ConsumeResult',
  Passage: 'Permit',
  Leave: 'Permit',
  Looks: 'PollLoop',
  Looking: 'PollLoop',
  UnderWay: 'InFlight',
  Pace: 'RateLimiter',
  VenueRests: 'VenueBackoff',
  PATIENT: 'RETRYING',
  Follow: 'waiter',
  Lead: 'leader',
  FairTexts: 'FairLru',
  NamesInUse: 'KeyedMutex',
  oncePer: 'memoizeByObject',
  SharedLoad: 'BatchLoader',
  SharedRead: 'BatchLoader',
  runSteadily: 'runConsistently',
  likenessOf: 'batchKey',
  risesBy: 'monotonicBy',
  gravestOf: 'mostSevere',
  unplaced: 'withoutPath',
  placeless: 'withoutIndices',
  KnownPlace: 'RevisionCursor',
  Outline: 'PageIndex',
  MILESTONE: 'anchor',
  outcomeOfSeveral: 'summarizeRuns',
  callOf: 'commandLine',
}

const RETIRED_FILES = [
  'alone.ts',
  'sending.ts',
  'hand-over.ts',
  'end-once.ts',
  'served-members.ts',
  'debts.ts',
  'days-from.ts',
  'with-symbols.ts',
  'run-several.ts',
]

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !name.startsWith('generated'),
)
const TEXTS = new Map(FILES.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))

/** The lines of the words of users, and those of the code. */
function glossaries(): readonly (readonly string[])[] {
  const users = readFileSync(join(SRC, 'gateway/pages/guides/glossary.md'), 'utf8')
  const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = contributing.split('\n## Glossary\n')
  const ofCode = section.split('\n## ')[0] ?? ''
  return [users, ofCode].map((text) => {
    const lines = text.split('\n').filter((line) => line !== '')
    return lines.slice(lines.findIndex((line) => line.startsWith('- ')))
  })
}

const wordOf = (line: string) => /^- \*\*(.+?)\*\*: /.exec(line)?.[1] ?? ''

/** Lower-case words separated by single blanks: `leaderLease`, `leader_lease` and `leader lease` are the same. */
function wordsOf(text: string): string {
  const separated = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[^A-Za-z\d]+/g, ' ')
  return ` ${separated.toLowerCase()} `
}

/** Whether the text has the word, the plural of the word, or the verb of a noun such as withdrawal. */
function isUsed(word: string, words: string): boolean {
  const stem = wordsOf(word).trim()
  return [stem, `${stem}s`, stem.replace(/al$/, '')].some((form) => words.includes(` ${form} `))
}

/** Those of the retired names that a file has as identifiers, in any position. */
function retiredNamesIn(file: string, text: string): readonly string[] {
  const mentioned = Object.keys(RETIRED).filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  if (mentioned.length === 0) return []
  const module = parseSync(text, { syntax: 'typescript', tsx: file.endsWith('.tsx'), target: 'es2022' })
  const identifiers = new Set<string>()
  collectIdentifiers(module, identifiers)
  return mentioned.filter((name) => identifiers.has(name))
}

function collectIdentifiers(node: unknown, found: Set<string>): void {
  if (node === null || typeof node !== 'object') return
  const { type, value } = node as { type?: unknown; value?: unknown }
  if ((type === 'Identifier' || type === 'PrivateName') && typeof value === 'string') found.add(value)
  for (const child of Object.values(node)) collectIdentifiers(child, found)
}

describe('the glossary', () => {
  const lists = glossaries()
  const lines = lists.flat()

  it('explains at least sixty words, each in one line', () => {
    expect(lines.length).toBeGreaterThanOrEqual(60)
    expect(lines.filter((line) => !/^- \*\*[a-z_-][a-z _-]*\*\*: \S.{9,}\.$/.test(line))).toEqual([])
  })

  it('is in alphabetical order and has each word once', () => {
    for (const list of lists) {
      const words = list.map(wordOf)
      expect(words).toEqual(words.toSorted((a, b) => a.localeCompare(b, 'en')))
    }
    expect(new Set(lines.map(wordOf)).size).toBe(lines.length)
  })

  it('explains only words that the code uses', () => {
    const words = wordsOf([...TEXTS.values()].join('\n'))
    expect(lines.map(wordOf).filter((word) => !isUsed(word, words))).toEqual([])
  })

  it.each([
    ['leader lease', 'const leaderLease = 1', true],
    ['leader lease', 'the leader_lease of a node', true],
    ['leader lease', 'cheerleader leases', false],
    ['withdrawal', 'function withdraw() {}', true],
    ['run', 'prune the runtime', false],
  ])('finds %s in "%s": %s', (word, text, isFound) => {
    expect(isUsed(word, wordsOf(text))).toBe(isFound)
  })
})

describe('a retired name', () => {
  it('is not used again', () => {
    expect(TEXTS.size).toBeGreaterThan(900)
    const found = [...TEXTS].flatMap(([file, text]) =>
      retiredNamesIn(file, text).map((name) => `${file}: ${name} (use ${RETIRED[name]})`),
    )
    expect(found).toEqual([])
  })

  it('is not the name of a file or of a domain', () => {
    expect(FILES.filter((file) => RETIRED_FILES.includes(basename(file)))).toEqual([])
    expect(readdirSync(join(SRC, 'domains'))).not.toContain('cards')
  })

  it('is found in each kind of declaration, and not in comments and texts', () => {
    const text = `
      class Made {}
      interface Asked { Standing: number }
      type Tally = string
      const { Taken, other: Passage } = value
      function callOf(Leave: string, ...Looks: string[]) {}
      enum Pace { A }
      class Own { #unplaced = 1; Outline() {} }
      import { oncePer } from './x.js'
      // Follow
      const text = 'Lead'`
    const names =
      'Made Asked Standing Tally Taken Passage Leave Looks Pace oncePer unplaced Outline callOf'.split(' ')
    expect(retiredNamesIn('a.ts', text)).toEqual(names)
  })
})
