/** A guide as the build has rendered it. */
interface SearchedGuide {
  readonly name: string
  readonly title: string
  /** The sections, as HTML. */
  readonly headings: readonly SectionHeading[]
  readonly markdown: string
}

interface SectionHeading {
  readonly id: string
  readonly html: string
}

/** A section that a search found. The text before the first heading is a section without one. */
export interface FoundSection {
  readonly guide: SearchedGuide
  readonly heading: SectionHeading | null
  /** The paragraph with the most words of the search; no code. */
  readonly excerpt: string
}

interface Section extends Omit<FoundSection, 'excerpt'> {
  /** Paragraphs, entries of lists and rows of tables, as plain text. */
  readonly paragraphs: readonly string[]
  readonly code: string
}

/** Sections in an answer. */
const MAX_FOUND = 20

const MAX_EXCERPT_LENGTH = 220

/**
 * The full-text search of the guides: the sections that have each word of a text, at least as the beginning of a word. Those with
 * the most words in their titles come first. The first search builds the index.
 */
export function createGuideSearch(
  guides: readonly SearchedGuide[],
): (text: string) => readonly FoundSection[] {
  let index: readonly IndexedSection[] | null = null
  return (text) => {
    index ??= guides.flatMap(toSections).map(toIndexed)
    const wanted = splitWords(text)
    if (wanted.length === 0) return []
    return index
      .filter(({ words }) => wanted.every((word) => hasBeginning(words, word)))
      .map((section) => ({ ...section, titled: countWords(section.titleWords, wanted) }))
      .sort((a, b) => b.titled - a.titled)
      .slice(0, MAX_FOUND)
      .map(({ guide, heading, paragraphs }) => ({ guide, heading, excerpt: findExcerpt(paragraphs, wanted) }))
  }
}

interface IndexedSection extends Section {
  readonly titleWords: readonly string[]
  /** Words of the titles and of the text. */
  readonly words: readonly string[]
}

function toIndexed(section: Section): IndexedSection {
  const { guide, heading, paragraphs, code } = section
  const titleWords = splitWords(`${guide.title} ${heading?.html ?? ''}`)
  const words = new Set([...titleWords, ...[...paragraphs, code].flatMap(splitWords)])
  return { ...section, titleWords, words: [...words] }
}

/** `headings` of the guide are those of the lines that begin with `## `, in their order. */
function toSections(guide: SearchedGuide): readonly Section[] {
  const begin = (heading: Section['heading']) => ({ heading, lines: [] as string[], code: [] as string[] })
  const sections = [begin(null)]
  let isCode = false
  for (const line of guide.markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    else if (!isCode && line.startsWith('## '))
      sections.push(begin(guide.headings[sections.length - 1] ?? null))
    else if (isCode) sections.at(-1)?.code.push(line)
    else if (!line.startsWith('# ')) sections.at(-1)?.lines.push(line)
  }
  return sections.map(({ heading, lines, code }) => ({
    guide,
    heading,
    paragraphs: toParagraphs(lines.join('\n')),
    code: code.join('\n'),
  }))
}

/** Without the marks of Markdown. */
function toParagraphs(markdown: string): readonly string[] {
  return markdown
    .split(/\n\n+|\n(?=[-|] )/)
    .map((block) =>
      block
        .replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, '$1')
        .replaceAll(/[`*]|^- /g, '')
        .replaceAll('|', ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((block) => /[a-z]/i.test(block))
}

function findExcerpt(paragraphs: readonly string[], wanted: readonly string[]): string {
  const counts = paragraphs.map((paragraph) => countWords(splitWords(paragraph), wanted))
  const best = paragraphs[counts.indexOf(Math.max(...counts))] ?? ''
  return best.length <= MAX_EXCERPT_LENGTH ? best : `${best.slice(0, MAX_EXCERPT_LENGTH)}…`
}

function countWords(words: readonly string[], wanted: readonly string[]): number {
  return wanted.filter((word) => hasBeginning(words, word)).length
}

function hasBeginning(words: readonly string[], beginning: string): boolean {
  return words.some((word) => word.startsWith(beginning))
}

/** Lower-case words and numbers; `history:full` is two. */
function splitWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
