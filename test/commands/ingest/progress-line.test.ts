import { describe, expect, it } from 'vitest'
import { loadProgressText, progressLine } from '../../../src/commands/ingest/progress-line.js'

const at = (done: number, requested = done, elapsedMs = done * 1_000) => ({
  at: new Date('2021-03-05T00:00:00Z'),
  slug: 'bitcoin',
  done,
  requested,
  total: 1_826,
  elapsedMs,
})

function written(isTTY: boolean, ...steps: readonly ReturnType<typeof at>[]): readonly string[] {
  const texts: string[] = []
  const line = progressLine({ isTTY, write: (text) => texts.push(text) })
  for (const step of steps) line.show(step)
  line.end()
  return texts
}

describe('the progress of loading candles', () => {
  it.each([
    [at(1_200), '2021-03-05 bitcoin: 1,200 of 1,826 (65 %), 60 a minute, 11 min left'],
    [at(26, 26, 260_000), '2021-03-05 bitcoin: 26 of 1,826 (1 %), 6 a minute, 5 h 0 min left'],
    [at(1_826), '2021-03-05 bitcoin: 1,826 of 1,826 (100 %), 60 a minute, less than 1 min left'],
    [at(700, 0), '2021-03-05 bitcoin: 700 of 1,826 (38 %), all already complete'],
    [at(1_226, 600, 600_000), '2021-03-05 bitcoin: 1,226 of 1,826 (67 %), 60 a minute, 10 min left'],
  ])('shows day, share, rate and time left', (progress, text) => {
    expect(loadProgressText(progress)).toBe(text)
  })

  it('redraws one line on a terminal, at most ten times a second', () => {
    const steps = [at(1, 1, 0), at(2, 2, 50), at(3, 3, 120)]
    expect(written(true, ...steps)).toEqual([
      `\r\u001b[K${loadProgressText(at(1, 1, 0))}`,
      `\r\u001b[K${loadProgressText(at(3, 3, 120))}`,
      '\r\u001b[K',
    ])
  })

  it('prints a line per hundred windows on a pipe, and one at the end', () => {
    const steps = Array.from({ length: 250 }, (_, index) => at(index + 1))
    expect(written(false, ...steps, at(1_826))).toEqual([
      `${loadProgressText(at(100))}\n`,
      `${loadProgressText(at(200))}\n`,
      `${loadProgressText(at(1_826))}\n`,
    ])
  })
})
