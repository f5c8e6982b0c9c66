import type { IssueSection } from '../model.js'
import type { IssueFrame } from './issue-frame.js'

/** Line length that most mail programs show without wrapping (RFC 3676 §4.2). */
const WIDTH = 72

/** Renders the issue as plain text: each row is a block of lines, wrapped at 72 characters. */
export function renderText(frame: IssueFrame): string {
  const { title, days, warning, sections, disclaimers, reason, unsubscribeLink } = frame
  const parts = [
    [title, '='.repeat(title.length), days],
    warning === null ? [] : wrap(warning),
    ...sections.map(sectionLines),
    ['--', ...disclaimers.flatMap((text) => wrap(text))],
    [...wrap(reason), 'Unsubscribe:', unsubscribeLink],
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function sectionLines({ title, note, columns, rows }: IssueSection): readonly string[] {
  const lines = rows.flatMap(({ cells }) => {
    const [first = '', ...others] = cells
    const facts = others.map((cell, at) => `${columns[at + 1] ?? ''}: ${cell}`).join('; ')
    return ['', ...wrap(`* ${first}`, '  '), ...wrap(`  ${facts}`, '  ')]
  })
  return [title, '-'.repeat(title.length), ...wrap(note), ...lines]
}

/** Wraps at spaces to lines of at most 72 characters; a longer word gets its own line. */
export function wrap(text: string, indent = ''): readonly string[] {
  const lines: string[] = []
  const lead = /^ */.exec(text)?.[0] ?? ''
  let line = lead
  for (const word of oneLine(text).split(' ')) {
    const isFirst = line.trim() === ''
    const longer = isFirst ? `${line}${word}` : `${line} ${word}`
    if (longer.length <= WIDTH || isFirst) {
      line = longer
      continue
    }
    lines.push(line)
    line = `${indent}${word}`
  }
  return [...lines, line]
}

/** Line feeds and control characters of a text from outside would end a line of ours. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, ' ').trim()
}
