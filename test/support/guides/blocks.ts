import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')
const GUIDES = resolve(ROOT, 'src/gateway/pages/guides')

/** A fenced block of code, as a reader sees it. */
export interface GuideBlock {
  /** Name of the guide, or README. */
  readonly guide: string
  /** The language after the fence: sh, ts, json and so on; empty for none. */
  readonly language: string
  readonly text: string
  readonly firstLine: string
  /** Line of the fence, counted from 1. */
  readonly line: number
}

/** Every fenced block of README.md and of each guide; those of one guide in their order. */
export function guideBlocks(): readonly GuideBlock[] {
  const names = readdirSync(GUIDES).map((file) => basename(file, '.md'))
  return [
    ...blocksOf('README', resolve(ROOT, 'README.md')),
    ...names.flatMap((name) => blocksOf(name, resolve(GUIDES, `${name}.md`))),
  ]
}

/** The blocks of one guide, in their order. */
export function blocksOfGuide(guide: string): readonly GuideBlock[] {
  return guideBlocks().filter((block) => block.guide === guide)
}

/** Throws for a fence that is never closed, or is not at the beginning of a line: nothing is passed over. */
function blocksOf(guide: string, path: string): readonly GuideBlock[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  const blocks: GuideBlock[] = []
  let opened: { readonly language: string; readonly at: number } | null = null
  for (const [at, line] of lines.entries()) {
    if (!/^\s*(```|~~~)/.test(line)) continue
    if (!line.startsWith('```')) throw new Error(`${path}:${at + 1}: a fence that no reader of blocks sees`)
    if (opened === null) opened = { language: line.slice(3).trim(), at }
    else {
      const inside = lines.slice(opened.at + 1, at)
      const firstLine = inside[0] ?? ''
      blocks.push({
        guide,
        language: opened.language,
        text: `${inside.join('\n')}\n`,
        firstLine,
        line: opened.at + 1,
      })
      opened = null
    }
  }
  if (opened !== null) throw new Error(`${path}:${opened.at + 1}: a block without an end`)
  return blocks
}
