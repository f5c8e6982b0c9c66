/** What is asked of a request beside its body; a fetch Request has it, and node's is soon made into it. */
export interface RequestFacts {
  readonly method: string
  readonly url: string
  readonly headers: { get(name: string): string | null }
  readonly signal: { readonly aborted: boolean }
}
