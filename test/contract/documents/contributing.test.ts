import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Paths in backticks below the folders of the repository; a command or a URL is none. */
function pathsIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`((?:src|test|scripts|prisma)\/[^`\s]*)`/g)]
  return [...new Set(quoted.flatMap(([, path]) => path ?? []))]
}

describe('CONTRIBUTING.md', () => {
  const text = readFileSync(resolve(ROOT, 'CONTRIBUTING.md'), 'utf8')

  it('names many files', () => {
    expect(pathsIn(text).length).toBeGreaterThan(40)
  })

  it.each(pathsIn(text))('names %s, which exists', (path) => {
    expect(existsSync(resolve(ROOT, path))).toBe(true)
  })

  it('names every domain', () => {
    const domains = readdirSync(resolve(ROOT, 'src/domains'))
    expect(domains.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })
})
