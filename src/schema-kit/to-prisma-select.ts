import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from './builder.js'

/**
 * Creates Prisma's `select` for a field whose type is a model declared with `select`. It contains `always` and the columns
 * and relations of the selection, so that nested selections become one query. `path` leads from the field's type to the
 * field that has the model; `typeName` names the type of a field that has an interface.
 */
export function toPrismaSelect<const Select extends Record<string, true>>(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  always: Select,
  { path = [], typeName }: { readonly path?: readonly string[]; readonly typeName?: string } = {},
): { readonly select: Select } {
  const { select } = queryFromInfo({
    context,
    info,
    select: always,
    path: [...path],
    ...(typeName === undefined ? {} : { typeName }),
  })
  return { select: select as Select } // a superset of Select; types declared with `select` never produce `include`
}
