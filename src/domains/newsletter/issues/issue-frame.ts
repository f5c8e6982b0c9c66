import type { IssueSection } from '../model.js'

/** What both renderings say around the tables. */
export interface IssueFrame {
  readonly title: string
  /** The days, in words. */
  readonly days: string
  /** Said first where data are synthetic; null: none are. */
  readonly warning: string | null
  readonly sections: readonly IssueSection[]
  readonly disclaimers: readonly [english: string, french: string]
  /** Why the reader gets it. */
  readonly reason: string
  readonly unsubscribeLink: string
}
