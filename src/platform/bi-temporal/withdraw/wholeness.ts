/** Whether a body is known to be complete. */
export interface Wholeness {
  /** The operator states that the body is complete. */
  readonly isSaid: boolean
  /** The provider states a size, and the body has it. */
  isProven(): Promise<boolean>
}

/** Nothing proves that the body is complete. */
export const UNPROVEN: Wholeness = { isSaid: false, isProven: async () => false }
