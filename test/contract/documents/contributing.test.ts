import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')

const documentText = (name: string) => readFileSync(resolve(ROOT, name), 'utf8')

/** Paths in backticks below the folders of the repository; a command or a URL is none. */
function pathsIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`((?:src|test|scripts|prisma)\/[^`\s]*)`/g)]
  return [...new Set(quoted.flatMap(([, path]) => path ?? []))]
}

describe.each([
  ['CONTRIBUTING.md', 40],
  ['SECURITY.md', 20],
])('%s', (name, pathsAtLeast) => {
  const paths = pathsIn(documentText(name))

  it('names many files', () => {
    expect(paths.length).toBeGreaterThan(pathsAtLeast)
  })

  it.each(paths)('names %s, which exists', (path) => {
    expect(existsSync(resolve(ROOT, path))).toBe(true)
  })
})

it('CONTRIBUTING.md names every domain', () => {
  const text = documentText('CONTRIBUTING.md')
  const domains = readdirSync(resolve(ROOT, 'src/domains'))
  expect(domains.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})
