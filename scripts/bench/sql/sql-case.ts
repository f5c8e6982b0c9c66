/** The same work in two ways; `undo` takes back what a write left. */
export interface Case {
  readonly name: string
  readonly sql: () => Promise<unknown>
  readonly prisma: () => Promise<unknown>
  readonly undo?: () => Promise<unknown>
}
