/** A statement that an analysis must not make. */
export interface ForbiddenRule {
  readonly kind: 'ruling' | 'recommendation' | 'price_target' | 'valuation' | 'prediction'
  readonly pattern: RegExp
}

/** The kind of statement, for the log and for the next attempt. */
export interface ForbiddenFinding {
  readonly kind: ForbiddenRule['kind']
  /** The words found, at most 40 characters. */
  readonly words: string
}

/** No letter on either side; \b knows Latin letters only. */
function words(pattern: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'iu')
}

/**
 * Strict on purpose: an innocent sentence that is rejected costs one more attempt, but a verdict that passes is
 * published for ever. English, with the French and Arabic words for the same.
 */
const RULES: readonly ForbiddenRule[] = [
  { kind: 'ruling', pattern: words('halal|halaal|haram|haraam|hal[âa]l|licites?|illicites?') },
  {
    kind: 'ruling',
    pattern: words("(?:im)?permissib(?:le|ility)|sharia[h]?|shari'?ah?|fatwas?|makruh|mushbooh"),
  },
  {
    kind: 'ruling',
    pattern: words('(?:non[- ]?)?compliant|(?:un)?islamic|religiously|lawful|unlawful|sinful'),
  },
  { kind: 'ruling', pattern: /(?:حلال|حرام|فتوى|مباح|مكروه)/u },
  {
    kind: 'recommendation',
    pattern: words('(?:re)?buys?|buying|bought|sells?|selling|sold|purchas(?:e|es|ing)'),
  },
  {
    kind: 'recommendation',
    pattern: words('hold|hodl|accumulat(?:e|ing)|(?:over|under)weight|go(?:ing)? (?:long|short)'),
  },
  {
    kind: 'recommendation',
    pattern: words('recommend(?:s|ed|ing|ations?)?|advis(?:e|es|ed|able|ory)|advice'),
  },
  {
    kind: 'recommendation',
    pattern: words(
      "(?:should|must|ought to|need to|may want to|might want to|consider) (?:not |n't )?(?:to )?(?:\\p{L}+ly )?(?:invest|enter|exit|avoid|consider|add|reduce|take|stay|be cautious|investing|adding|taking|avoiding)",
    ),
  },
  {
    kind: 'recommendation',
    pattern: words('(?:investors?|traders?|holders?|you|we) (?:should|must|ought|may want|might want|can)'),
  },
  {
    kind: 'recommendation',
    pattern: words(
      '(?:good|bad|great|attractive|poor|excellent|solid|compelling|safe|risky|worthwhile) (?:investments?|entr(?:y|ies)|opportunit(?:y|ies)|bets?|time to)',
    ),
  },
  {
    kind: 'recommendation',
    pattern: words(
      '(?:entry|exit) points?|take[- ]profits?|stop[- ]loss(?:es)?|worth (?:investing|owning)|achet(?:er|ez)|vend(?:re|ez)|conserve[rz]',
    ),
  },
  {
    kind: 'price_target',
    pattern: words(
      '(?:price|upside|downside)[- ](?:targets?|objectives?|predictions?|forecasts?|projections?)|target(?:s|ed|ing)?(?: price)?|objectif de (?:cours|prix)',
    ),
  },
  {
    kind: 'valuation',
    pattern: words(
      '(?:fair|intrinsic|true|real) (?:market )?(?:value|price|worth)|fairly (?:valued|priced)|juste valeur',
    ),
  },
  {
    kind: 'valuation',
    pattern: words(
      '(?:under|over|mis)[- ]?(?:valued|priced|valuation|bought|sold)|cheap|expensive|bargain|sous-évalu\\p{L}*|surévalu\\p{L}*',
    ),
  },
  {
    kind: 'prediction',
    pattern: words(
      '(?:will|would|could|may|might|can|shall) (?:\\p{L}+ly )?(?:be )?(?:reach|rise|fall|hit|climb|drop|rally|recover|decline|outperform|underperform|double|continue|rising|falling|test|break|surge|crash)',
    ),
  },
  {
    kind: 'prediction',
    pattern: words(
      '(?:expect(?:ed|s)?|likely|set|poised|bound|going|forecast|projected|due|about) to (?:\\p{L}+ly )?\\p{L}+',
    ),
  },
  {
    kind: 'prediction',
    pattern: words('(?:out|under)perform(?:s|ing)?|upside potential|downside potential|outlook|prospects'),
  },
]

/** Invisible characters and Markdown marks that could hide a word. */
const HIDDEN = /[\p{Cf}\p{Cc}\p{Mn}*_`~|]/gu

/**
 * The first verdict, price target, fair value, prediction or recommendation in a text; null without one. Full-width
 * letters, accents, invisible characters and Markdown do not hide a word.
 */
export function findForbidden(text: string): ForbiddenFinding | null {
  const composed = text.normalize('NFKC').replace(/\s+/gu, ' ')
  // Accents belong to the French words but could disguise English ones, so both spellings are checked.
  const bare = composed.normalize('NFKD').replace(HIDDEN, '')
  for (const { kind, pattern } of RULES) {
    const found = pattern.exec(bare) ?? pattern.exec(composed)
    if (found !== null) return { kind, words: found[0].slice(0, 40) }
  }
  return null
}
