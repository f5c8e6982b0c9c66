// Writes openapi.ts (paths and schemas) and operations.ts (typed documents) from openapi.json, schema.graphql and the
// documents *.graphql of a directory: generate.mjs DIRECTORY. Everything else there is left alone.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codegen } from '@graphql-codegen/core'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import { buildSchema, Kind, parse, print, stripIgnoredCharacters } from 'graphql'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

/**
 * The end of most operations, selections of values that several have, such as `meta`, and lists of variables and arguments:
 * more than two thirds of all texts.
 */
const SHARED = [/meta\{[^{}]{40,}\}_meta\{[^{}]{40,}\}\}\}/g, /\{[^{}]{40,}\}/g, /\([^(){}]{24,}\)/g]

const [directory = '.'] = process.argv.slice(2)
const read = (name) => readFileSync(join(directory, name), 'utf8')
const write = (name, text) => writeFileSync(join(directory, name), text)

const { factory } = ts
const TEXT = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)
const TEXT_OR_DATE = factory.createUnionTypeNode([TEXT, factory.createTypeReferenceNode('Date')])

/** Days and instants may be given as a Date; answers have texts. */
const transform = ({ format }, { path = '' }) =>
  /^date(-time)?$/.test(format) && path.includes('/parameters/') ? TEXT_OR_DATE : undefined

/** What an operation does not have, an eighth of all lines: our own types need only what it has. */
const ABSENT = /^ +\w+\?: never;\n/gm

const types = astToString(await openapiTS(JSON.parse(read('openapi.json')), { transform }))
write('openapi.ts', types.replace(ABSENT, ''))
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
  const shared = sharedTexts(texts)
  // Short names: each is repeated in most operations. A constant has only constants of later texts in it.
  const sharedConstants = shared
    .map((text, index) => `const s${index} = \`${literalOf(text, shared, index + 1)}\`\n`)
    .reverse()
  const constants = operations.map((operation, index) => constantOf(operation, texts[index], shared))
  return `import { createQuery as Q, Document as D } from './document.js'\n\n${types}\n${sharedConstants.join('')}${constants.join('')}`
}

function sharedTexts(texts) {
  return SHARED.flatMap((pattern) => {
    const counts = new Map()
    for (const [text] of texts.join(' ').matchAll(pattern)) counts.set(text, (counts.get(text) ?? 0) + 1)
    return [...counts].filter(([, count]) => count > 1).map(([text]) => text)
  })
}

/** The text in a template literal, in which the shared texts from the first one on are constants. */
function literalOf(text, shared, first) {
  return shared
    .slice(first)
    .reduce(
      (rest, part, at) => rest.replaceAll(part, () => `\${s${first + at}}`),
      text.replace(/[`\\]/g, '\\$&'),
    )
}

function constantOf(operation, text, shared) {
  const name = operation.name.value
  const type = typeNameOf(name) + typeNameOf(operation.operation)
  const types = `<${type}, ${type}Variables>`
  return `/** The ${operation.operation} \`${name}\`. */
export const ${name}: D${types} = /* @__PURE__ */ ${createText(name, text, types, shared)}\n`
}

/** The call that creates the document: of a query whose one field takes its variables as arguments, without repeating them. */
function createText(name, text, types, shared) {
  const [, variables = '', rest] =
    new RegExp(`^query ${name}(?:\\(([^()]*)\\))?\\{${name}((?!\\w).*)$`, 's').exec(text) ?? []
  const given = Array.from(variables.matchAll(/\$(\w+):/g), ([, variable]) => `${variable}:$${variable}`)
  const begin = variables === '' ? '' : `(${given.join(' ')})`
  if (rest === undefined || !rest.startsWith(begin) || rest.slice(begin.length).startsWith('('))
    return `new D(\`${literalOf(text, shared, 0)}\`)`
  const parts = [`'${name}'`, `\`${literalOf(rest.slice(begin.length), shared, 0)}\``]
  if (variables !== '') parts.push(`'${variables}'`)
  return `Q${types}(${parts.join()})`
}

/** As graphql-codegen names it: each word with a capital. */
function typeNameOf(name) {
  return name.replace(/(^|_)([a-z])/g, (_, before, letter) => before + letter.toUpperCase())
}
