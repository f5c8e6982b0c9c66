import { builder } from '../../schema-kit/builder.js'
import { edge, type Types } from '../../schema-kit/fields.js'
import { chainsNamed, referencedRow } from './service.js'
import type { StarRow } from './store.js'
import type { ServedTable, StarColumn, StarType } from './table.js'
import { SERVED_TABLES } from './tables.js'

const GRAPHQL_TYPES = {
  text: 'String',
  int: 'Int',
  smallint: 'Int',
  bigint: 'BigInt',
  numeric: 'Float',
  boolean: 'Boolean',
  date: 'Date',
  timestamptz: 'DateTime',
  'text[]': ['String'],
  jsonb: 'JSONObject',
} as const satisfies Readonly<Record<StarType, string | readonly [string]>>

const refs = new Map(
  SERVED_TABLES.map(({ view, endpoint }) => [view, builder.objectRef<StarRow>(endpoint.typeName)]),
)

/** The GraphQL type of the rows of a view. */
export function starTypeOf(view: string) {
  const ref = refs.get(view)
  if (ref === undefined) throw new Error(`${view} is not served`)
  return ref
}

type FieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<Types, StarRow>

function columnField(t: FieldBuilder, name: string, { type, text, isNullable }: StarColumn) {
  const saysWhen = isNullable !== true || /\bnull\b/i.test(text)
  const description = saysWhen ? text : `${text} Null: not known.`
  const options = { type: GRAPHQL_TYPES[type], nullable: isNullable === true, description }
  // The statement of the view returns each column with the declared type.
  return t.expose(name as never, options as never)
}

/** The edges of a view: one per referenced dimension. */
function edgesOf(t: FieldBuilder, { columns }: ServedTable) {
  return Object.entries(columns).flatMap(([name, { references }]) => {
    const table = SERVED_TABLES.find(({ view }) => view === references?.view)
    if (references === undefined || table === undefined) return []
    const field = t.field({
      type: starTypeOf(references.view),
      nullable: true,
      description: `The row of ${references.view} that ${name} names. Null where it names none. Charged per 20 parents; all rows of an answer are one read.`,
      ...edge('star:read', table.reads, (row: StarRow, _args: object, context) =>
        referencedRow(references, row[name], context),
      ),
    })
    return [[references.edge, field] as const]
  })
}

function chainsField(t: FieldBuilder, { view, reads }: ServedTable) {
  if (view !== 'fact_protocol_economics') return []
  const field = t.field({
    type: [starTypeOf('dim_chain')],
    nullable: true,
    description:
      'Those of chains that dim_chain has. Null where chains is not known. Charged per 20 parents; all rows of an answer are one read.',
    ...edge('star:read', reads, ({ chains }: StarRow, _args: object, context) =>
      chainsNamed(chains, context),
    ),
  })
  return [['known_chains', field] as const]
}

for (const table of SERVED_TABLES) {
  starTypeOf(table.view).implement({
    description: table.text,
    fields: (t) => {
      const own = Object.entries(table.columns).map(
        ([name, column]) => [name, columnField(t, name, column)] as const,
      )
      return Object.fromEntries([...own, ...edgesOf(t, table), ...chainsField(t, table)])
    },
  })
}
