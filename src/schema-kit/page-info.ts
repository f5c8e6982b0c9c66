import type { ObjectRef } from '@pothos/core'
import { type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql'
import { builder, type GraphQLContext, type SchemaTypes } from './builder.js'
import type { TableSpec } from './endpoint.js'
import { flag, integer, shownFields, text } from './shown-fields.js'

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>

interface PageInfo {
  readonly has_next: boolean
  readonly next_cursor: string | null
  readonly total: number | null
}

const PageInfoType = builder.objectRef<PageInfo>('PageInfo').implement({
  description: 'The position of a page in its list.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      has_next: flag('True if another page follows.'),
      next_cursor: text.orNull(
        'Cursor of the next page. Null on the last page and for a list whose pages have no cursor.',
      ),
      total: integer.orNull('Number of rows on all pages. Null if they are not counted.'),
    }),
})

/** The types that have the field. Several root fields can have one type. */
const withPageInfo = new Set<ObjectRef<Types, unknown>>()

/** Adds `page_info` to the type of a list. `table` names the fields that have its members. */
export function addPageInfo(type: ObjectRef<Types, unknown>, { rows, total, paging }: TableSpec): void {
  if (withPageInfo.has(type)) return
  withPageInfo.add(type)
  builder.objectFields(type, (t) => ({
    page_info: t.field({
      type: PageInfoType,
      subGraphs: ['Graph'],
      description: 'The position of the page in its list.',
      resolve: async (list, _args, context, info) => {
        const valueAt = (path: string) => resolvePath(list, path.split('.'), context, info)
        const cursor = paging?.by === 'cursor' ? await valueAt(paging.member) : null
        const counted = await valueAt(total ?? rows)
        return {
          next_cursor: typeof cursor === 'string' ? cursor : null,
          total: Array.isArray(counted) ? counted.length : typeof counted === 'number' ? counted : null,
          has_next:
            paging === undefined || paging.by === 'cursor'
              ? typeof cursor === 'string'
              : (await valueAt((total ?? '').replace(/[^.]*$/, 'has_next'))) === true,
        }
      },
    }),
  }))
}

/** The value of a nested field, whose fields take no arguments. */
async function resolvePath(
  parent: unknown,
  path: readonly string[],
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Promise<unknown> {
  let [value, type] = [parent, info.parentType]
  for (const name of path) {
    const field = type.getFields()[name]
    if (field === undefined) throw new Error(`${type.name} has no field ${name}.`)
    value = field.resolve
      ? await field.resolve(value, {}, context, { ...info, fieldName: name })
      : (value as Readonly<Record<string, unknown>>)[name]
    const next = getNamedType(field.type)
    if (isObjectType(next)) type = next
  }
  return value
}
