import { describe, expect, it } from 'vitest'
import type { IsoDate } from '../../../../src/core/time.js'
import type { IssueInput } from '../../../../src/domains/newsletter/issues/issue-input.js'
import { issueSections } from '../../../../src/domains/newsletter/issues/issue-sections.js'
import { endOfIssue, lastWholeWeek } from '../../../../src/domains/newsletter/issues/issue-week.js'
import { renderIssue } from '../../../../src/domains/newsletter/issues/render-issue.js'
import { wrap } from '../../../../src/domains/newsletter/issues/render-text.js'
import { LINK_MARKER, withLink } from '../../../../src/domains/newsletter/model.js'

const WEEK = lastWholeWeek(new Date('2026-11-20T12:00:00Z'))

const NOTHING: IssueInput = {
  week: WEEK,
  changes: [],
  hasMoreChanges: false,
  prices: [],
  rates: [],
  series: [],
  hasMoreSeries: false,
  datasets: [],
}

const HOSTILE = `<img src=x onerror="alert('1')"> & Co\r\nBcc: all@example.org`

const FACTS: IssueInput = {
  ...NOTHING,
  changes: [
    {
      name: HOSTILE,
      ticker: 'BTC',
      analysisType: 'market_context',
      changeType: 'DATA_REFRESH',
      knownAt: new Date('2026-11-11T23:59:59Z'),
      similarity: 0.914,
    },
  ],
  prices: [
    { name: 'Bitcoin', ticker: 'BTC', before: '100000', last: '101000' },
    { name: 'Ether', ticker: 'ETH', before: '4000', last: '3000' },
    { name: 'New', ticker: 'NEW', before: null, last: '1' },
    { name: 'Zero', ticker: 'ZER', before: '0', last: '1' },
  ],
  rates: [
    { quote: 'USD', before: '1.1000', last: '1.1550' },
    { quote: 'JPY', before: null, last: '180.12345678' },
    { quote: 'CHF', before: '0.9', last: null },
  ],
  series: [
    {
      provider: 'bis',
      description: null,
      seriesKey: 'Q.US.P.A.M.770.A',
      unit: '%_GDP',
      frequency: 'quarterly',
      periodStart: '2026-07-01' as IsoDate,
      value: '71.25',
    },
  ],
  datasets: [
    {
      dataset: 'forex',
      status: 'fresh',
      lastUpdatedAt: new Date('2026-11-19T15:00:00Z'),
      sources: ['ecb'],
      attribution: 'Source: ECB statistics.',
      isDevDataset: false,
    },
  ],
}

const cellsOf = (key: string) =>
  issueSections(FACTS)
    .find((section) => section.key === key)
    ?.rows.map(({ cells }) => cells)

describe('the week of an issue', () => {
  it.each([
    // ISO 8601: the week belongs to the year of its Thursday.
    ['2026-11-20T12:00:00Z', '2026-W46', '2026-11-09', '2026-11-15'],
    ['2026-11-16T00:00:00Z', '2026-W46', '2026-11-09', '2026-11-15'],
    ['2026-11-15T23:59:59.999Z', '2026-W45', '2026-11-02', '2026-11-08'],
    ['2021-01-08T00:00:00Z', '2020-W53', '2020-12-28', '2021-01-03'],
    ['2026-01-06T00:00:00Z', '2026-W01', '2025-12-29', '2026-01-04'],
    ['2024-01-02T00:00:00Z', '2023-W52', '2023-12-25', '2023-12-31'],
  ])('at %s is %s', (now, issueId, monday, sunday) => {
    expect(lastWholeWeek(new Date(now))).toMatchObject({ issueId, monday, sunday })
  })

  it('ends with its last millisecond, and is the last whole one for seven days', () => {
    expect([WEEK.start, WEEK.end]).toEqual([
      new Date('2026-11-09T00:00:00Z'),
      new Date('2026-11-16T00:00:00Z'),
    ])
    const over = endOfIssue(WEEK)
    expect(lastWholeWeek(new Date(over.getTime() - 1)).issueId).toBe('2026-W46')
    expect(lastWholeWeek(over).issueId).toBe('2026-W47')
  })
})

describe('the sections of an issue', () => {
  it('show the largest moves first, of assets with a price on both days', () => {
    expect(cellsOf('prices')).toEqual([
      ['Ether (ETH)', '4000', '3000', '-25.00 %'],
      ['Bitcoin (BTC)', '100000', '101000', '+1.00 %'],
    ])
  })

  it('show rates with their change, and new values of series with period and unit', () => {
    expect(cellsOf('series')).toEqual([
      ['EUR/USD', 'end of the week', '1.155', 'USD per EUR', '+5.00 %'],
      ['EUR/JPY', 'end of the week', '180.123', 'JPY per EUR', 'no rate before'],
      ['BIS: Q.US.P.A.M.770.A', '2026-Q3', '71.25', '%_GDP', 'new'],
    ])
  })

  it('show the day, reason and similarity of changes, and the age of the data', () => {
    expect(cellsOf('changes')?.[0]?.slice(1)).toEqual([
      'market context',
      'data refresh',
      '2026-11-11',
      '0.91',
    ])
    expect(cellsOf('freshness')).toEqual([
      ['forex', 'fresh', '2026-11-19 15:00', 'ecb', 'Source: ECB statistics.'],
    ])
  })

  it('say why they have no rows', () => {
    expect(issueSections(NOTHING).map(({ rows, note }) => [rows.length, note])).toEqual([
      [0, 'No analysis changed this week.'],
      [0, 'No asset has a consensus price for the last day of both this week and the week before.'],
      [0, 'No rate and no new value was published this week.'],
      [0, 'No data has been ingested yet.'],
    ])
  })

  it('cut a text without a bound', () => {
    const [series] = FACTS.series
    const facts = { ...FACTS, series: series ? [{ ...series, description: 'x'.repeat(5_000) }] : [] }
    const cells = issueSections(facts).flatMap(({ rows }) => rows.flatMap((row) => row.cells))
    expect(Math.max(...cells.map((text) => text.length))).toBe(200)
  })
})

describe('the renderings of an issue', () => {
  const issue = renderIssue(WEEK, issueSections(FACTS), false)

  it('escape every text, and load nothing from elsewhere', () => {
    expect(issue.html).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; Co')
    expect(issue.html).not.toMatch(/<(img|script|link|iframe|object|form)\b/i)
    const tags = issue.html.match(/<[^>]*>/g)?.join('\n') ?? ''
    expect(tags).not.toMatch(/\b(src|background)=|url\(|@import|https?:/i)
    // The one link is the recipient's.
    expect(issue.html.match(/href="[^"]*"/g)).toEqual([`href="${LINK_MARKER}"`])
  })

  it('are the same for the same facts, and differ for others', () => {
    expect(renderIssue(WEEK, issueSections(FACTS), false)).toEqual(issue)
    expect(renderIssue(WEEK, issueSections(NOTHING), false).html).not.toBe(issue.html)
  })

  it('state in subject and text that data are synthetic', () => {
    expect([issue.subject, issue.text.includes('synthetic')]).toEqual(['Market data, week 2026-W46', false])
    const synthetic = renderIssue(WEEK, issueSections(FACTS), true)
    expect(synthetic.subject).toBe('[synthetic data] Market data, week 2026-W46')
    for (const rendering of [synthetic.html, synthetic.text])
      expect(rendering).toContain('These figures are synthetic')
  })

  it('wrap the plain text at 72 characters, and let no outside text begin a line', () => {
    expect(issue.text.split('\n').filter((line) => line.length > 72)).toEqual([])
    expect(issue.text).not.toMatch(/^Bcc:/m)
    expect(wrap(`a ${'b'.repeat(80)} c`)).toEqual(['a', 'b'.repeat(80), 'c'])
    expect(wrap('* one\r\ntwo', '  ')).toEqual(['* one two'])
  })

  it('carry the link of the recipient', () => {
    const link = 'https://gateway.example/newsletter/unsubscribe?token=abc'
    expect(withLink(issue.html, link)).toContain(`<a href="${link}">Unsubscribe</a>`)
    expect(withLink(issue.text, link)).toContain(`\n${link}\n`)
  })
})
