/** An answer before it is a Response: what any server can send. */
export interface PlainAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}
