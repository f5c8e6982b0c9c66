/** The right to do something that one process of all on a database does alone, as its holder asks for it. */
export interface HeldLease {
  /** Null while another process has it, or this one could not renew it in time. */
  term(): number | null
  /** Whether another process was seen to have it since that term. */
  isLost(term: number): boolean
}
