import type { EnumRef, FieldMap, FieldRef, ShapeFromTypeParam, TypeParam } from '@pothos/core'
import { defaultFieldResolver } from 'graphql'
import type { IsoDate } from '../core/time.js'
import { builder, type SchemaTypes } from './builder.js'
import type { StoredDay, StoredDecimal } from './model-rows.js'

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>

/** A field that shows a member of its parent as it is. */
interface ShownField<Type extends TypeParam<Types>, Nullable extends boolean, Member extends string> {
  readonly [SHOWN]: true
  readonly type: Type
  readonly nullable: Nullable
  readonly description: string
  /** Undefined where the field has its name. */
  readonly member: Member | undefined
  /** Undefined for all. */
  readonly subGraphs: readonly Types['SubGraphs'][] | undefined
}

/** Tells the declarations from fields that Pothos has built. */
const SHOWN = Symbol('shown field')

type AnyShownField = ShownField<TypeParam<Types>, boolean, string>

/**
 * Declares fields of a type: `kind(text)` or, where the member has another name, `kind(text, member)`; `kind.orNull` alike.
 * `inGraph` keeps the field out of REST.
 */
export function shownAs<const Type extends TypeParam<Types>>(type: Type) {
  const declare =
    <Nullable extends boolean>(nullable: Nullable, subGraphs?: readonly Types['SubGraphs'][]) =>
    <const Member extends string = never>(
      description: string,
      member?: Member,
    ): ShownField<Type, Nullable, Member> => ({
      [SHOWN]: true,
      type,
      nullable,
      description,
      member,
      subGraphs,
    })
  return Object.assign(declare(false), {
    inGraph: declare(false, ['Graph']),
    orNull: Object.assign(declare(true), { inGraph: declare(true, ['Graph']) }),
  })
}

export const text = shownAs('String')
export const texts = shownAs(['String'])
export const integer = shownAs('Int')
export const number = shownAs('Float')
export const flag = shownAs('Boolean')
export const day = shownAs('Date')
export const instant = shownAs('DateTime')
export const uuid = shownAs('UUID')

/** What a field shows of a stored value. */
type ShownValue<Value> = [StoredDay] extends [Value]
  ? IsoDate | Exclude<Value, StoredDay>
  : [StoredDecimal] extends [Value]
    ? number | Exclude<Value, StoredDecimal>
    : Value

/** `Fields`, with `never` for a field whose member the parent has not, or has with another type. */
type OfParent<Builder, Fields> = {
  [Name in keyof Fields]: Fields[Name] extends ShownField<infer Type, infer Nullable, infer Member>
    ? NameOf<Name, Member> extends keyof ParentOf<Builder>
      ? ShownValue<ParentOf<Builder>[NameOf<Name, Member>]> extends Accepted<Builder, Type, Nullable>
        ? Fields[Name]
        : never
      : never
    : Fields[Name]
}

/** A column of text may be shown as an enum, which refuses every other text when it is written. */
type Accepted<Builder, Type extends TypeParam<Types>, Nullable extends boolean> =
  | ShapeFromTypeParam<Types, Type, Nullable>
  | (Builder extends PothosSchemaTypes.PrismaObjectFieldBuilder<Types, infer _Model, infer _Shape>
      ? Type extends EnumRef<Types, string>
        ? string
        : never
      : never)

type NameOf<Name, Member> = ([Member] extends [never] ? Name : Member) & string

/** The builder of the fields of an object type, an interface or a type on a Prisma model. */
interface AnyFieldBuilder {
  expose(member: never, options: never): FieldRef<Types>
  field(options: never): FieldRef<Types>
  /** The type, if it is on a Prisma model. */
  readonly typename?: string
}

/** The parents of a type. Those of a Prisma model have its columns, which are read for the fields that show them. */
type ParentOf<Builder> =
  Builder extends PothosSchemaTypes.PrismaObjectFieldBuilder<Types, infer Model, infer _>
    ? Model['Shape']
    : Builder extends PothosSchemaTypes.ObjectFieldBuilder<Types, infer Parent>
      ? Parent
      : Builder extends PothosSchemaTypes.InterfaceFieldBuilder<Types, infer Parent>
        ? Parent
        : unknown

type AnyFields = Readonly<Record<string, AnyShownField | FieldRef<Types>>>

/** The fields of a type, an interface or a group of fields. A field that only shows a member is declared by its kind. */
export function shownFields<Builder extends AnyFieldBuilder, Fields extends AnyFields>(
  t: Builder,
  fields: Fields & OfParent<Builder, Fields>,
): FieldMap {
  const loaded = selectedColumns(t)
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (!(SHOWN in field)) return [name, field]
      const { type, nullable, description, subGraphs, member = name } = field
      const options = { type, nullable, description, ...(subGraphs === undefined ? {} : { subGraphs }) }
      // `OfParent` has checked the member's name and type.
      if (!(member in loaded)) return [name, t.expose(member as never, options as never)]
      const resolve =
        member === name ? defaultFieldResolver : (row: Readonly<Record<string, unknown>>) => row[member]
      return [name, t.field({ ...options, resolve } as never)]
    }),
  ) as FieldMap
}

/**
 * The columns that every row of a model's type has, because the type declares them in `select`. Pothos reads any other column
 * of a row that it did not load itself, such as that of a statement.
 */
function selectedColumns({ typename }: AnyFieldBuilder): object {
  if (typename === undefined) return {}
  const { extensions } = builder.configStore.getTypeConfig(typename)
  return (extensions?.pothosPrismaSelect as object | undefined) ?? {}
}
