import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import { hashArticleLink, parseEditor, toArticleLink } from '../../../src/domains/news/model.js'

const linkOf = (text: string) => toArticleLink(new URL(text))

describe('the link of an article', () => {
  it.each([
    ['https://a.example/x?utm_source=rss&id=7&UTM_Medium=feed#top', 'https://a.example/x?id=7'],
    ['https://a.example/x?fbclid=1&gclid=2&mc_cid=3&at_medium=RSS', 'https://a.example/x'],
    ['https://A.example/Path?attitude=1&ref=2', 'https://a.example/Path?attitude=1&ref=2'],
  ])('%s is stored as %s', (given, stored) => {
    expect(linkOf(given)).toBe(stored)
  })

  it('identifies one article whatever its scheme, the order of its parameters and a final slash', () => {
    const key = hashArticleLink(linkOf('https://a.example/x/?b=2&a=1'))
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(hashArticleLink(linkOf('http://a.example/x?a=1&b=2&utm_id=9'))).toBe(key)
    expect(hashArticleLink(linkOf('https://a.example/X?a=1&b=2'))).not.toBe(key)
    expect(hashArticleLink(linkOf('https://a.example/x?a=1&b=3'))).not.toBe(key)
  })
})

describe('an editor', () => {
  it('is the same for any case, accents, punctuation and blanks of its name', () => {
    const editor = parseEditor('L’Exémple — Daily')
    expect(editor).toEqual({
      newsSourceId: sha256Hex('l exemple daily'),
      name: 'L’Exémple — Daily',
      normalized: 'l exemple daily',
    })
    expect(parseEditor('  l’exemple   DAILY!')?.newsSourceId).toBe(editor?.newsSourceId)
  })

  it('needs a letter or a digit', () => {
    expect(parseEditor(' — ')).toBeNull()
    expect(parseEditor('新聞')?.normalized).toBe('新聞')
    expect(parseEditor('हिन्दी')?.normalized).not.toBe(parseEditor('हन्द')?.normalized)
    expect(parseEditor('ガ')?.normalized).not.toBe(parseEditor('カ')?.normalized)
  })
})
