import type { ItemRef } from './envelope.js'
import type { ModelRow, ModelTypes } from './model-rows.js'

/** The members of a row that are columns of a model. */
type ColumnsIn<Row, Name extends keyof ModelTypes> = Pick<ModelRow<Name>, keyof Row & keyof ModelRow<Name>>

/**
 * A type on a model whose rows a service completes with computed members, which fields and edges read as well. `t.relation`
 * does not accept the type, because rows of Prisma's client lack them.
 */
export function withComputed<Row extends object, Name extends keyof ModelTypes>(
  type: Row extends ColumnsIn<Row, Name> ? ItemRef<ColumnsIn<Row, Name>> : never,
): ItemRef<Row> {
  return type as ItemRef<object> as ItemRef<Row> // every field of this type resolves to such rows
}
