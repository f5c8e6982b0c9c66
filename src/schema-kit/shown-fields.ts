import type { FieldMap, FieldRef, ShapeFromTypeParam, TypeParam } from '@pothos/core'
import type { SchemaTypes } from './builder.js'

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>

/** A field that shows a member of its parent as it is. */
interface ShownField<Type extends TypeParam<Types>, Nullable extends boolean, Member extends string> {
  readonly [SHOWN]: true
  readonly type: Type
  readonly nullable: Nullable
  readonly description: string
  /** Undefined where the field has its name. */
  readonly member: Member | undefined
}

/** Tells the declarations from fields that Pothos has built. */
const SHOWN = Symbol('shown field')

type AnyShownField = ShownField<TypeParam<Types>, boolean, string>

/** Declares fields of a type: `kind(text)` or, where the member has another name, `kind(text, member)`; `kind.orNull` alike. */
export function shownAs<const Type extends TypeParam<Types>>(type: Type) {
  const declare =
    <Nullable extends boolean>(nullable: Nullable) =>
    <const Member extends string = never>(
      description: string,
      member?: Member,
    ): ShownField<Type, Nullable, Member> => ({ [SHOWN]: true, type, nullable, description, member })
  return Object.assign(declare(false), { orNull: declare(true) })
}

export const text = shownAs('String')
export const texts = shownAs(['String'])
export const integer = shownAs('Int')
export const number = shownAs('Float')
export const flag = shownAs('Boolean')
export const day = shownAs('Date')
export const instant = shownAs('DateTime')
export const uuid = shownAs('UUID')

/** `Fields`, with `never` for a field whose member the parent has not, or has with another type. */
type OfParent<Parent, Fields> = {
  [Name in keyof Fields]: Fields[Name] extends ShownField<infer Type, infer Nullable, infer Member>
    ? NameOf<Name, Member> extends keyof Parent
      ? Parent[NameOf<Name, Member>] extends ShapeFromTypeParam<Types, Type, Nullable>
        ? Fields[Name]
        : never
      : never
    : Fields[Name]
}

type NameOf<Name, Member> = ([Member] extends [never] ? Name : Member) & string

/** The fields of an object type, where a field that only shows a member is declared by its kind. */
export function shownFields<Parent, Fields extends Readonly<Record<string, AnyShownField | FieldRef<Types>>>>(
  build: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>) => Fields & OfParent<Parent, Fields>,
): (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>) => FieldMap {
  return (t) =>
    Object.fromEntries(
      Object.entries<AnyShownField | FieldRef<Types>>(build(t)).map(([name, field]) => {
        if (!(SHOWN in field)) return [name, field]
        const { type, nullable, description, member = name } = field
        // `OfParent` has checked the member's name and type.
        return [name, t.expose(member as never, { type, nullable, description } as never)]
      }),
    ) as FieldMap
}
