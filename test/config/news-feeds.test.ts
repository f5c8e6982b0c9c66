import { describe, expect, it } from 'vitest'
import { MAX_NEWS_FEEDS, newsFeedName, parseNewsFeeds } from '../../src/config/news-feeds.js'

describe('NEWS_FEEDS', () => {
  it('is a comma-separated list of addresses', () => {
    const given = ' https://a.example/rss ,https://b.example/atom?x=1,,http://127.0.0.1:8080/feed'
    expect(parseNewsFeeds(given)).toEqual({
      urls: ['https://a.example/rss', 'https://b.example/atom?x=1', 'http://127.0.0.1:8080/feed'],
      fault: null,
    })
    expect(parseNewsFeeds(' , ')).toEqual({ urls: [], fault: null })
  })

  it.each([
    ['http://a.example/rss'],
    ['ftp://a.example/rss'],
    ['file:///etc/passwd'],
    ['https://user:secret@a.example/rss'],
    ['https://a.example/rss#x'],
    ['a.example/rss'],
    [`https://a.example/${'x'.repeat(1_000)}`],
  ])('refuses %s, and does not show it', (url) => {
    const { fault } = parseNewsFeeds(`https://b.example/rss,${url}`)
    expect(fault).toMatch(/^address 2 must be https/)
    expect(fault).not.toContain('a.example')
  })

  it('refuses a repeated address, and more than 50', () => {
    expect(parseNewsFeeds('https://a.example/,https://a.example/').fault).toBe('has an address twice')
    const many = Array.from({ length: MAX_NEWS_FEEDS + 1 }, (_, at) => `https://a.example/${at}`)
    expect(parseNewsFeeds(many.join()).fault).toBe('must have at most 50 addresses')
  })
})

describe('the name of a feed', () => {
  it('is its host and path', () => {
    expect(newsFeedName('https://a.example/rss/', 'https://a.example/rss/')).toBe('a.example/rss')
  })

  it('leaves out a possible key, and still differs', () => {
    const one = newsFeedName('https://a.example/rss?key=1', 'https://a.example/rss?key=redacted')
    const other = newsFeedName('https://a.example/rss?key=2', 'https://a.example/rss?key=redacted')
    expect(one).toMatch(/^a\.example\/rss#[0-9a-f]{8}$/)
    expect(other).not.toBe(one)
    expect(newsFeedName('https://a.example/k1', 'https://a.example/redacted')).toMatch(
      /^a\.example\/redacted#[0-9a-f]{8}$/,
    )
  })
})
