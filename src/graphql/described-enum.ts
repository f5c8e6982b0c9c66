import { builder } from './builder.js'

/** An enum type whose values are their own names: description by value, in the order of the schema. */
export function describedEnum<Values extends Readonly<Record<string, string>>>(
  name: string,
  description: string,
  values: Values,
) {
  type Name = keyof Values & string
  const configs = Object.fromEntries(
    Object.entries(values).map(([value, text]) => [value, { value, description: text }]),
  )
  // The entries are those of `values`, which the type of fromEntries forgets.
  return builder.enumType(name, {
    description,
    values: configs as { [Value in Name]: { readonly value: Value; readonly description: string } },
  })
}
