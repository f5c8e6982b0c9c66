import { DISCLAIMER, DISCLAIMER_FR } from '../../../core/disclaimer.js'
import { type IssueContent, type IssueSection, LINK_MARKER } from '../model.js'
import type { IssueFrame } from './issue-frame.js'
import type { IssueWeek } from './issue-week.js'
import { renderHtml } from './render-html.js'
import { renderText } from './render-text.js'

const WARNING =
  'These figures are synthetic: they come from the seed data of a gateway in development, not from a market.'
const REASON = 'You receive this mail because your account subscribed to it and its address was confirmed.'

/** Renders an issue as text and HTML; equal sections give equal texts. */
export function renderIssue(
  week: Pick<IssueWeek, 'issueId' | 'monday' | 'sunday'>,
  sections: readonly IssueSection[],
  isDevDataset: boolean,
): IssueContent {
  const { issueId, monday, sunday } = week
  const title = `Market data, week ${issueId}`
  const frame: IssueFrame = {
    title,
    days: `${monday} to ${sunday}, UTC`,
    warning: isDevDataset ? WARNING : null,
    sections,
    disclaimers: [DISCLAIMER, DISCLAIMER_FR],
    reason: REASON,
    unsubscribeLink: LINK_MARKER,
  }
  const subject = isDevDataset ? `[synthetic data] ${title}` : title
  return { issueId, subject, html: renderHtml(frame), text: renderText(frame), sections, isDevDataset }
}
