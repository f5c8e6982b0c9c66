import type { IssueSection } from '../model.js'

/** The texts of both renderings around the tables. */
export interface IssueFrame {
  readonly title: string
  /** The days of the week in words. */
  readonly days: string
  /** The notice at the top if data is synthetic; null otherwise. */
  readonly warning: string | null
  readonly sections: readonly IssueSection[]
  readonly disclaimers: readonly [english: string, french: string]
  /** Why the reader gets the mail. */
  readonly reason: string
  readonly unsubscribeLink: string
}
