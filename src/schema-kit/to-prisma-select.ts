import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from './builder.js'

/**
 * A `select` of Prisma for a field whose type is a model declared with `select`: `always`, and the columns and relations
 * that the selections need, so that nested selections become one query. `path` leads from the field's own type to the
 * field that has the model.
 */
export function toPrismaSelect<const Select extends Record<string, true>>(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  always: Select,
  path: readonly string[] = [],
): { readonly select: Select } {
  const { select } = queryFromInfo({ context, info, select: always, path: [...path] })
  return { select: select as Select } // and more: types that are declared with `select` give no `include`
}
