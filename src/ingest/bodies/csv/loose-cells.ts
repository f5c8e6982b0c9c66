/**
 * The trimmed cells of a line with quotes within quoted cells: a quote ends its cell only before a comma or the end of the line.
 * Null if the quote of a cell is never closed.
 */
export function looseCells(line: string): readonly string[] | null {
  const cells: string[] = []
  let at = 0
  while (at <= line.length) {
    const begin = skipBlanks(line, at)
    const isQuoted = line[begin] === '"'
    const end = isQuoted ? closingQuote(line, begin + 1) : nextComma(line, begin)
    if (end === null) return null
    const text = line.slice(isQuoted ? begin + 1 : begin, end)
    cells.push((isQuoted ? text.replaceAll('""', '"') : text).trim())
    at = (isQuoted ? skipBlanks(line, end + 1) : end) + 1
  }
  return cells
}

/** The next quote before a comma or the end of the line. */
function closingQuote(line: string, from: number): number | null {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) {
    const next = skipBlanks(line, at + 1)
    if (next >= line.length || line[next] === ',') return at
  }
  return null
}

function nextComma(line: string, from: number): number {
  const comma = line.indexOf(',', from)
  return comma < 0 ? line.length : comma
}

function skipBlanks(line: string, from: number): number {
  let at = from
  while (line[at] === ' ' || line[at] === '\t') at += 1
  return at
}
