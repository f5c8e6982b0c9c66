// Writes openapi.ts (paths and schemas) and operations.ts (typed documents) from openapi.json, schema.graphql and the
// documents *.graphql of a directory: generate.mjs DIRECTORY. Everything else there is left alone.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codegen } from '@graphql-codegen/core'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import { buildSchema, Kind, parse, print, stripIgnoredCharacters } from 'graphql'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const [directory = '.'] = process.argv.slice(2)
const read = (name) => readFileSync(join(directory, name), 'utf8')
const write = (name, text) => writeFileSync(join(directory, name), text)

const { factory } = ts
const TEXT = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)
const TEXT_OR_DATE = factory.createUnionTypeNode([TEXT, factory.createTypeReferenceNode('Date')])

/** Days and instants may be given as a Date; answers have texts. */
const transform = ({ format }, { path = '' }) =>
  /^date(-time)?$/.test(format) && path.includes('/parameters/') ? TEXT_OR_DATE : undefined

write('openapi.ts', astToString(await openapiTS(JSON.parse(read('openapi.json')), { transform })))
write('operations.ts', await operationsModule(read('schema.graphql'), parse(read('operations.graphql'))))

/** The types of graphql-codegen, and one constant per operation, so that bundlers take those in use alone. */
async function operationsModule(schema, document) {
  const types = await codegen({
    filename: 'operations.ts',
    schema: parse(schema),
    schemaAst: buildSchema(schema),
    documents: [{ location: 'operations.graphql', document }],
    config: {},
    pluginMap: { operations: typescriptOperations },
    plugins: [
      {
        operations: {
          enumType: 'string-literal',
          strictScalars: true,
          useTypeImports: true,
          immutableTypes: true,
          skipTypename: true,
          scalars: {
            Date: 'string',
            DateTime: 'string',
            JSONObject: 'Record<string, unknown>',
            JSON: 'string | number | boolean',
            UUID: 'string',
            URL: 'string',
            BigInt: 'number',
            _Any: 'Record<string, unknown>',
          },
        },
      },
    ],
  })
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  const texts = operations.map((operation) => stripIgnoredCharacters(print(operation)))
  const shared = sharedSelections(texts)
  // Short names: each is repeated in most operations.
  const sharedConstants = shared.map((text, index) => `const s${index} = ${JSON.stringify(text)}\n`)
  const constants = operations.map((operation, index) => constantOf(operation, texts[index], shared))
  return `import { Document as D } from './document.js'\n\n${types}\n${sharedConstants.join('')}${constants.join('')}`
}

/** Selections of values that several operations have, such as `meta`: they are two thirds of all texts. */
function sharedSelections(texts) {
  const counts = new Map()
  for (const [selection] of texts.join(' ').matchAll(/\{[^{}]{40,}\}/g))
    counts.set(selection, (counts.get(selection) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > 1).map(([selection]) => selection)
}

function constantOf(operation, text, shared) {
  const name = operation.name.value
  const type = typeNameOf(name) + typeNameOf(operation.operation)
  const literal = shared.reduce(
    (rest, selection, index) => rest.replaceAll(selection, () => `\${s${index}}`),
    text.replace(/[`\\]/g, '\\$&'),
  )
  return `/** The ${operation.operation} \`${name}\`. */
export const ${name}: D<${type}, ${type}Variables> = /* @__PURE__ */ new D(\`${literal}\`)\n`
}

/** As graphql-codegen names it: each word with a capital. */
function typeNameOf(name) {
  return name.replace(/(^|_)([a-z])/g, (_, before, letter) => before + letter.toUpperCase())
}
