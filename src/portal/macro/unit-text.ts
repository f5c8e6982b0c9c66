const UNITS: Readonly<Record<string, string>> = {
  '%_GDP': '% of GDP',
  USD_B: 'billion USD',
  USD_M: 'million USD',
  USD_K: 'thousand USD',
  KRW_B: 'billion KRW',
}

/** The unit of a series in words: the API gives codes such as `%_GDP` and `INDEX_2010=100`. */
export function unitText(unit: string): string {
  return UNITS[unit] ?? unit.replace(/^INDEX_(\d{4})=100$/, 'index, $1 = 100')
}
