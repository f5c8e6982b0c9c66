/** An analysis of an asset in its history. */
export interface Analysis {
  readonly snapshot_id: string
  readonly generated_at: string
  readonly summary: string | null
}
