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

/**
 * An enum whose values REST writes as texts that GraphQL cannot have as names, such as 1h: text and description by name.
 * Resolvers see the text. Clients that send the text as a String, as before there were names, are understood.
 */
export function textEnum<Text extends string>(
  name: string,
  description: string,
  values: Readonly<Record<string, readonly [text: Text, description: string]>>,
) {
  const configs = Object.fromEntries(
    Object.entries(values).map(([value, [text, of]]) => [value, { value: text, description: of }]),
  )
  return builder.enumType(name, { description, values: configs })
}
