// A generator of Prisma: writes the columns of each model with their PostgreSQL types into src/generated/columns.ts, from which
// plain SQL takes its columns (src/platform/database/statement.ts). `prisma generate` runs it.
import { writeFileSync } from 'node:fs'
import generatorHelper from '@prisma/generator-helper'

/** PostgreSQL types of Prisma's types, and of those with `@db`. */
const TYPES = {
  BigInt: 'int8',
  Boolean: 'bool',
  Bytes: 'bytea',
  Decimal: 'numeric(65, 30)',
  Float: 'float8',
  Int: 'int4',
  Json: 'jsonb',
  String: 'text',
}
const TYPES_OF_DB = {
  Char: 'bpchar',
  Date: 'date',
  Decimal: 'numeric',
  SmallInt: 'int2',
  Timestamptz: 'timestamptz',
  Uuid: 'uuid',
  VarChar: 'varchar',
}
/** Types to whose parameters values are rounded or padded. */
const PARAMETERIZED = new Set(['bpchar', 'numeric'])

function typeOf({ name, type, nativeType }) {
  const [typeOfDb, parameters] = nativeType ?? []
  const found = nativeType ? TYPES_OF_DB[typeOfDb] : TYPES[type]
  if (found === undefined)
    throw new Error(`add the PostgreSQL type of ${name} to scripts/column-generator.mjs`)
  return PARAMETERIZED.has(found) && parameters?.length > 0 ? `${found}(${parameters.join(', ')})` : found
}

function columnOf(field, enums) {
  const declared = enums.find(({ name }) => name === field.type)
  const base = declared ? (declared.dbName ?? declared.name) : typeOf(field)
  const type = `'${field.isList ? '_' : ''}${base}${field.isRequired ? '' : '?'}'`
  if (!declared) return type
  const values = declared.values.map(({ name, dbName }) => `'${dbName ?? name}'`).join(', ')
  return `{ type: ${type}, values: [${values}] }`
}

/** `AssetSupply` is ASSET_SUPPLY. */
function constantName(model) {
  return model.replace(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase()
}

function documented(text, indent, code) {
  return text ? `${indent}/** ${text.replaceAll('\n', ' ')} */\n${indent}${code}` : `${indent}${code}`
}

function constantOf({ name, documentation, fields }, enums) {
  const columns = fields
    .filter(({ kind }) => kind !== 'object')
    .map((field) => documented(field.documentation, '  ', `${field.name}: ${columnOf(field, enums)},\n`))
  return documented(
    documentation,
    '',
    `export const ${constantName(name)} = {\n${columns.join('')}} as const\n`,
  )
}

/** The columns by model, for the types of rows (src/schema-kit/model-rows.ts). */
function tablesOf(models) {
  const tables = models.map(({ name }) => `  ${name}: typeof ${constantName(name)}\n`)
  return `/** The columns of each model. */\nexport interface ModelColumns {\n${tables.join('')}}\n`
}

generatorHelper.generatorHandler({
  onManifest: () => ({ prettyName: 'columns', defaultOutput: '../../src/generated/columns.ts' }),
  onGenerate: async ({ dmmf, generator }) => {
    const { models, enums } = dmmf.datamodel
    const constants = models.map((model) => constantOf(model, enums))
    writeFileSync(generator.output.value, [...constants, tablesOf(models)].join('\n'))
  },
})
