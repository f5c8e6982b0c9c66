import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildSchema, GraphQLError, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { EXAMPLE_OPERATIONS } from '../../../src/gateway/pages/page-examples.js'
import { publishedOperations } from '../../../src/gateway/rest/routes/published-operation.js'
import { restSchema } from '../../../src/schema.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const GUIDES = resolve(ROOT, 'src/gateway/pages/guides')

/** The schema as clients download it, whose tools know no text of an enum. */
const schema = buildSchema(readFileSync(resolve(ROOT, 'schema.graphql'), 'utf8'))

/** GraphQL in a page of Markdown: blocks, templates of clients, texts of JavaScript and bodies of curl. */
function documentsIn(markdown: string): readonly string[] {
  const patterns = [
    /```graphql\n([\s\S]*?)```/g,
    /gql`([^`]*)`/g,
    /\bquery = '([^']*)'/g,
    /"query": ?"((?:[^"\\]|\\.)*)"/g,
  ]
  return patterns.flatMap((pattern) =>
    [...markdown.matchAll(pattern)].map(([, text = '']) =>
      text.replaceAll('\\"', '"').replaceAll('\\n', '\n'),
    ),
  )
}

function faultsOf(text: string): readonly string[] {
  try {
    return validate(schema, parse(text)).map(({ message }) => message)
  } catch (error) {
    return [error instanceof GraphQLError ? error.message : String(error)]
  }
}

const pages = ['README.md', ...readdirSync(GUIDES).map((name) => `src/gateway/pages/guides/${name}`)]
const shipped = [
  ...EXAMPLE_OPERATIONS.map((text, at) => ({ place: `GraphiQL, tab ${at + 1}`, text })),
  ...(await publishedOperations(restSchema)).map(({ name, text }) => ({ place: `operation ${name}`, text })),
  ...pages.flatMap((page) =>
    documentsIn(readFileSync(resolve(ROOT, page), 'utf8')).map((text) => ({ place: page, text })),
  ),
]

describe('a document that the product ships', () => {
  it('is found in pages, guides and published operations', () => {
    expect(shipped.filter(({ place }) => place.endsWith('.md')).length).toBeGreaterThanOrEqual(7)
    expect(shipped.length).toBeGreaterThan(90)
  })

  it('is valid for tools that have only schema.graphql', () => {
    const faults = shipped.flatMap(({ place, text }) => faultsOf(text).map((fault) => `${place}: ${fault}`))
    expect(faults).toEqual([])
  })
})
