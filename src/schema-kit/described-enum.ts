import { builder } from './builder.js'

/** Defines an enum whose values equal their names. `values` maps each one to its description, in schema order. */
export function describedEnum<Values extends Readonly<Record<string, string>>>(
  name: string,
  description: string,
  values: Values,
) {
  type Name = keyof Values & string
  const configs = Object.fromEntries(
    Object.entries(values).map(([value, text]) => [value, { value, description: text }]),
  )
  // The type of Object.fromEntries loses the keys.
  return builder.enumType(name, {
    description,
    values: configs as { [Value in Name]: { readonly value: Value; readonly description: string } },
  })
}

/**
 * Defines an enum whose REST texts, such as 1h, are not valid GraphQL names. `values` maps each name to text and
 * description. Resolvers receive the text. GraphQL also accepts the text as a String, because clients sent it so before
 * the names existed.
 */
export function textEnum<Text extends string>(
  name: string,
  description: string,
  values: Readonly<Record<string, readonly [text: Text, description: string]>>,
) {
  const configs = Object.fromEntries(
    Object.entries(values).map(([value, [text, valueDescription]]) => [
      value,
      { value: text, description: valueDescription },
    ]),
  )
  return builder.enumType(name, { description, values: configs })
}
