import { explainSlug, type Slug } from '../../core/identifiers.js'

/** Leaves room for a suffix within the 64 characters of a slug. */
const MAX_NAME_LENGTH = 44

/** Chooses the slugs of new assets. A slug that any asset has or had is never given again. */
export class SlugChooser {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken)
  }

  /**
   * The slug of the name: lower-case words joined by hyphens, without accents. If it is not for a main share, or the slug is taken,
   * the ticker is appended; if that is taken too, a number from 2 on.
   */
  choose(name: string, ticker: string, isMain = true): Slug {
    const base = slugText(name)
    const withTicker = [base, slugText(ticker)].filter(Boolean).join('-')
    const choices = isMain ? [base, withTicker] : [withTicker]
    const free = choices.find((slug) => this.#isFree(slug)) ?? this.#numbered(withTicker)
    this.#taken.add(free)
    return free as Slug // checked by isFree
  }

  #isFree(slug: string): boolean {
    return explainSlug(slug) === null && !this.#taken.has(slug)
  }

  #numbered(slug: string): string {
    const base = slug === '' ? 'asset' : slug
    let number = 2
    while (!this.#isFree(`${base}-${number}`)) number += 1
    return `${base}-${number}`
  }
}

/** Lower-case letters and digits joined by hyphens, cut at a word. Empty for a name without a Latin letter or digit. */
function slugText(name: string): string {
  const words = name
    .replace(/\/[A-Z]{2,4}\/?$/i, '') // the SEC's mark of a state or country, as in "/DE/"
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/['’.]/g, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  const slug = words.join('-')
  if (slug.length <= MAX_NAME_LENGTH) return slug
  const cut = slug.slice(0, MAX_NAME_LENGTH + 1)
  const end = cut.lastIndexOf('-')
  return end > 0 ? cut.slice(0, end) : cut.slice(0, MAX_NAME_LENGTH)
}
