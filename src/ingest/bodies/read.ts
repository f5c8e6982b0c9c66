/** What a text of a body says: its value, or what is wrong with it. */
export type Read<Value> = { readonly value: Value } | { readonly wrong: string }
