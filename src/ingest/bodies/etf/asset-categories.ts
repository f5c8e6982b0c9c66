import type { AssetCategory } from '../../../domains/etf/model.js'

/** Patterns in the category names of issuers, in English, German and French. The first match decides. */
const WORDS: readonly (readonly [RegExp, AssetCategory])[] = [
  [/repurchase|repo\b/i, 'repurchase'],
  [/future|forward|swap|option|warrant|^fx$|^derivative/i, 'derivative'],
  [/cash|liquidit|bargeld|margin|currency|devise/i, 'cash'],
  [/money market|geldmarkt|monetaire|short.term|treasury bill/i, 'short_term'],
  [/prefer|vorzug/i, 'preferred'],
  [/asset.backed|mortgage|mbs|abs\b|collateralized/i, 'asset_backed'],
  [/loan|darlehen|pret\b/i, 'loan'],
  [/fixed income|bond|anleihe|obligation|rente|debt|sukuk|treasury/i, 'debt'],
  [/fund|fonds|etf\b/i, 'fund'],
  [/equity|equities|stock|aktie|action|share/i, 'equity'],
  [/real estate|immobil/i, 'real_estate'],
  [/commodit|rohstoff|gold\b|metal/i, 'commodity'],
]

/** The category for an issuer's name of it. Null without a name, `other` for an unknown name. */
export function toAssetCategory(text: string | null): AssetCategory | null {
  if (text === null) return null
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '')
  return WORDS.find(([words]) => words.test(plain))?.[1] ?? 'other'
}

/** Whether holdings of this category are counted in shares. */
export function isCountedInShares(category: AssetCategory | null): boolean {
  return category === 'equity' || category === 'preferred' || category === 'fund'
}
