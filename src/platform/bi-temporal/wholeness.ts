/** What is known of a body beside its rows: whether a part of it can be missing. */
export interface Wholeness {
  /** The operator says that the body is whole. */
  readonly isSaid: boolean
  /** The provider states a size, and the body has it. */
  isProven(): Promise<boolean>
}

/** Nothing but its rows is known of a body. */
export const UNPROVEN: Wholeness = { isSaid: false, isProven: async () => false }
