import { escapeHtml } from '../../../core/escape-html.js'
import type { IssueSection } from '../model.js'
import type { IssueFrame } from './issue-frame.js'

/** The mail loads no image, font, style sheet or script, so that nobody learns when it is opened. */
const STYLE = {
  body: 'margin:0;padding:0;background:#ffffff;color:#1a1a1a;font:15px/1.5 Arial,Helvetica,sans-serif',
  frame: 'max-width:600px;margin:0 auto;padding:24px 16px',
  heading: 'font-size:22px;line-height:1.3;margin:0 0 4px',
  days: 'margin:0 0 20px;color:#595959',
  warning: 'margin:0 0 20px;padding:10px 12px;border:1px solid #8a5a00;color:#8a5a00',
  title: 'font-size:17px;line-height:1.3;margin:28px 0 4px',
  note: 'margin:0 0 8px;color:#595959;font-size:13px',
  table: 'width:100%;border-collapse:collapse;font-size:13px',
  head: 'text-align:left;padding:4px 8px 4px 0;border-bottom:2px solid #808080;vertical-align:bottom',
  cell: 'text-align:left;padding:4px 8px 4px 0;border-bottom:1px solid #c0c0c0;vertical-align:top',
  foot: 'margin:28px 0 0;padding-top:12px;border-top:1px solid #c0c0c0;color:#595959;font-size:12px',
} as const

/** Colours for the dark scheme; mail programs without media queries use the inline colours. */
const DARK =
  '@media (prefers-color-scheme:dark){body,.page{background:#121212!important;color:#e8e8e8!important}.dim{color:#b0b0b0!important}.warn{color:#ffcf70!important;border-color:#ffcf70!important}a{color:#8ab4f8!important}}'

/** Renders the issue as one HTML document. Every text is escaped. */
export function renderHtml(frame: IssueFrame): string {
  const { title, days, warning, sections, disclaimers, reason, unsubscribeLink } = frame
  const [english, french] = disclaimers
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${DARK}</style>
</head>
<body class="page" style="${STYLE.body}">
<div style="${STYLE.frame}">
<h1 style="${STYLE.heading}">${escapeHtml(title)}</h1>
<p class="dim" style="${STYLE.days}">${escapeHtml(days)}</p>
${warning === null ? '' : `<p class="warn" style="${STYLE.warning}"><strong>${escapeHtml(warning)}</strong></p>\n`}${sections.map(sectionHtml).join('\n')}
<div class="dim" style="${STYLE.foot}">
<p>${escapeHtml(english)}</p>
<p lang="fr">${escapeHtml(french)}</p>
<p>${escapeHtml(reason)} <a href="${unsubscribeLink}">Unsubscribe</a></p>
</div>
</div>
</body>
</html>
`
}

function sectionHtml({ title, note, columns, rows }: IssueSection): string {
  const intro = `<h2 style="${STYLE.title}">${escapeHtml(title)}</h2>
<p class="dim" style="${STYLE.note}">${escapeHtml(note)}</p>`
  if (rows.length === 0) return intro
  const head = columns.map((name) => `<th scope="col" style="${STYLE.head}">${escapeHtml(name)}</th>`)
  const lines = rows.map(
    ({ cells }) =>
      `<tr>${cells.map((text) => `<td style="${STYLE.cell}">${escapeHtml(text)}</td>`).join('')}</tr>`,
  )
  return `${intro}
<table style="${STYLE.table}">
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table>`
}
