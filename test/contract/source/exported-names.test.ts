import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Declaration, type ModuleItem, type Pattern, parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../../../src')

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !name.startsWith('generated'),
)

/** The names that a module exports and does not have from another one; a type and a value of one name are one. */
function exportedNames(file: string, text: string): ReadonlySet<string> {
  const { body } = parseSync(text, { syntax: 'typescript', tsx: file.endsWith('.tsx'), target: 'es2022' })
  return new Set(body.flatMap(namesOfItem))
}

function namesOfItem(item: ModuleItem): readonly string[] {
  if (item.type === 'ExportDeclaration') return namesOfDeclaration(item.declaration)
  if (item.type !== 'ExportNamedDeclaration' || item.source) return []
  return item.specifiers.flatMap((specifier) =>
    specifier.type === 'ExportSpecifier' ? (specifier.exported ?? specifier.orig).value : [],
  )
}

function namesOfDeclaration(declaration: Declaration): readonly string[] {
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return [declaration.identifier.value]
    case 'VariableDeclaration':
      return declaration.declarations.flatMap(({ id }) => namesOfPattern(id))
    default:
      return [declaration.id.value]
  }
}

function namesOfPattern(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.value]
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? namesOfPattern(element) : []))
    case 'RestElement':
      return namesOfPattern(pattern.argument)
    case 'AssignmentPattern':
      return namesOfPattern(pattern.left)
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => {
        if (property.type === 'AssignmentPatternProperty') return property.key.value
        return namesOfPattern(property.type === 'RestElement' ? property.argument : property.value)
      })
    default:
      throw new Error(`${pattern.type} declares no names`)
  }
}

/** `name: file, file` for every name that several of the files export. */
function namesDeclaredTwice(texts: ReadonlyMap<string, string>): readonly string[] {
  const filesByName = new Map<string, string[]>()
  for (const [file, text] of texts) {
    for (const name of exportedNames(file, text))
      filesByName.set(name, [...(filesByName.get(name) ?? []), file])
  }
  return [...filesByName]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `${name}: ${files.sort().join(', ')}`)
    .sort()
}

describe('an exported name', () => {
  it('is declared once in src', () => {
    const texts = new Map(FILES.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))
    expect(texts.size).toBeGreaterThan(900)
    expect(namesDeclaredTwice(texts)).toEqual([])
  })

  it('is found in each kind of declaration', () => {
    const text = `
      export const one = 1, { two, deep: { three }, four = 4, ...five } = rest, [six, , seven] = list
      export async function eight() { const local = 1 }
      export function* nine() {}
      export abstract class Ten {}
      export interface Eleven { member: string }
      export type Twelve = string
      export const Twelve = ''
      export enum Thirteen { A }
      export declare function fourteen(): void
      const own = 1, hidden = 2
      export { own as fifteen }
      export { foreign } from '../other.js'
      export * from '../all.js'
      function local() {}`
    const names = 'one two three four five six seven eight nine Ten Eleven Twelve Thirteen fourteen fifteen'
    expect([...exportedNames('a.ts', text)]).toEqual(names.split(' '))
  })

  it('is reported with its files if several declare it, components too', () => {
    const texts = new Map([
      ['portal/table.tsx', 'export function Table() { return <table><tbody /></table> }'],
      ['rest/table.ts', 'export interface Table {}\nexport const Table = <T>(of: T) => of'],
      ['core/table.ts', 'interface Table {}\nexport const rows: Table = {}'],
    ])
    expect(namesDeclaredTwice(texts)).toEqual(['Table: portal/table.tsx, rest/table.ts'])
  })
})
