import { readdirSync, readFileSync } from 'node:fs'

interface Model {
  readonly table: string
  /** Models that its fields lead to. */
  readonly relations: ReadonlyMap<string, string>
}

const FOLDER = new URL('../../../prisma/schema/', import.meta.url)

/** The models of the Prisma schema by their names. */
const MODELS: ReadonlyMap<string, Model> = readModels()

function readModels(): ReadonlyMap<string, Model> {
  const text = readdirSync(FOLDER)
    .map((file) => readFileSync(new URL(file, FOLDER), 'utf8'))
    .join('\n')
  const bodies = [...text.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].map(
    ([, name = '', body = '']) => [name, body] as const,
  )
  const names = new Set(bodies.map(([name]) => name))
  return new Map(
    bodies.map(([name, body]) => {
      const fields = [...body.matchAll(/^ {2}(\w+) +(\w+)/gm)].map(
        ([, field = '', type = '']) => [field, type] as const,
      )
      const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name
      return [name, { table, relations: new Map(fields.filter(([, type]) => names.has(type))) }]
    }),
  )
}

interface PrismaCall {
  /** As a member of the client, e.g. apiKey; undefined for a raw statement. */
  readonly model: string | undefined
  readonly operation: string
  readonly given: readonly unknown[]
}

/** A call of Prisma's client in words: its operation and the tables that it reads or writes; of a raw one its SQL. */
export function prismaCallText({ model, operation, given }: PrismaCall): string {
  const texts = given[0]
  if (model === undefined) return Array.isArray(texts) ? texts.join('?') : String(texts)
  const name = `${model.slice(0, 1).toUpperCase()}${model.slice(1)}`
  return ['prisma', operation, ...new Set(tablesIn(name, given))].join(' ')
}

/** The table of a model, and those of the relations that an argument names at any depth, as `select`, `where` and all others do. */
function tablesIn(name: string, given: unknown): readonly string[] {
  const model = MODELS.get(name)
  if (model === undefined) throw new Error(`the Prisma schema has no model ${name}`)
  const named = (value: unknown): readonly string[] => {
    if (Array.isArray(value)) return value.flatMap(named)
    if (!isPlain(value)) return []
    return Object.entries(value).flatMap(([member, inner]) => {
      const related = model.relations.get(member)
      if (related === undefined) return named(inner)
      return inner === false || inner === undefined ? [] : tablesIn(related, inner)
    })
  }
  return [model.table, ...named(given)]
}

/** The values in the arguments of a call, as parameters of a statement are. */
export function prismaCallValues(given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given.flatMap(prismaCallValues)
  return isPlain(given) ? Object.values(given).flatMap(prismaCallValues) : [given]
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
