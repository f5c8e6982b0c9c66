/** Tells a developer in the console, in one line, where the pages of the gateway are. */
export function printAddresses(): void {
  const { origin } = location
  // biome-ignore lint/suspicious/noConsole: the line is for the reader of the console
  console.info(
    `Market Data Gateway: portal ${origin}/, GraphiQL ${origin}/graphql, REST reference ${origin}/docs, guides ${origin}/docs/guides`,
  )
}
