/** A column of the IMF's table: the commodity, and the power of ten that converts its figures to USD. */
interface ImfColumn {
  readonly symbol: string
  readonly exponent: number
}

const USD = 0

/** Beef, coffee, sugar and others are published in US cents. */
const CENTS = -2

const ROWS: readonly (readonly [column: string, symbol: string, exponent: number])[] = [
  ['Aluminum', 'PALUM', USD],
  ['Bananas', 'PBANSOP', USD],
  ['Barley', 'PBARL', USD],
  ['Beef', 'PBEEF', CENTS],
  ['Coal', 'PCOALAU', USD],
  ['Cocoa beans', 'PCOCO', USD],
  ['Coffee Other Mild Arabicas', 'PCOFFOTM', CENTS],
  ['Coffee Robusta', 'PCOFFROB', CENTS],
  ['Rapeseed oil', 'PROIL', USD],
  ['Copper', 'HG', USD],
  ['Cotton', 'PCOTTIND', CENTS],
  ['Fishmeal', 'PFISH', USD],
  ['Groundnuts peanuts', 'PGNUTS', USD],
  ['Hides', 'PHIDE', CENTS],
  ['China import Iron Ore Fines 62% FE spot', 'PIORECR', USD],
  ['Lamb', 'PLAMB', CENTS],
  ['Lead', 'PLEAD', USD],
  ['Soft Logs', 'PLOGORE', USD],
  ['Hard Logs', 'PLOGSK', USD],
  ['Maize corn', 'PMAIZMT', USD],
  ['Natural Gas - Russian Natural Gas border price in Germany', 'PNGASEU', USD],
  ['Natural Gas - Indonesian Liquefied Natural Gas in Japan', 'PNGASJP', USD],
  ['Natural Gas - Spot price at the Henry Hub terminal in Louisiana', 'NG', USD],
  ['Nickel', 'PNICK', USD],
  ['Crude Oil - petroleum-simple average of three spot prices', 'POILAPSP', USD],
  ['Crude Oil - petroleum - Dated Brent light blend', 'BRN', USD],
  ['Oil Dubai', 'POILDUB', USD],
  ['Crude Oil petroleum - West Texas Intermediate 40 API', 'CL', USD],
  ['Olive Oil', 'POLVOIL', USD],
  ['Oranges', 'PORANG', USD],
  ['Palm oil', 'PPOIL', USD],
  ['Swine - pork', 'PPORK', CENTS],
  ['Poultry chicken', 'PPOULT', CENTS],
  ['Rice', 'PRICENPQ', USD],
  ['Rubber', 'PRUBB', CENTS],
  ['Fish salmon', 'PSALM', USD],
  ['Hard Sawnwood', 'PSAWMAL', USD],
  ['Soft Sawnwood', 'PSAWORE', USD],
  ['Shrimp', 'PSHRI', USD],
  ['Soybean Meal', 'PSMEA', USD],
  ['Soybean Oil', 'PSOIL', USD],
  ['Soybeans', 'PSOYB', USD],
  ['Sugar European import price', 'PSUGAEEC', CENTS],
  ['Sugar Free Market', 'PSUGAISA', CENTS],
  ['Sugar U.S. import price', 'PSUGAUSA', CENTS],
  ['Sunflower oil', 'PSUNO', USD],
  ['Tea', 'PTEA', CENTS],
  ['Tin', 'PTIN', USD],
  ['Uranium', 'PURAN', USD],
  ['Wheat', 'PWHEAMT', USD],
  ['Wool coarse', 'PWOOLC', CENTS],
  ['Wool fine', 'PWOOLF', CENTS],
  ['Zinc', 'PZINC', USD],
]

/** The price columns by heading. */
export const IMF_COLUMNS: ReadonlyMap<string, ImfColumn> = new Map(
  ROWS.map(([column, symbol, exponent]) => [column, { symbol, exponent }]),
)

/** Columns with index numbers, which are not prices. */
export function isImfIndex(column: string): boolean {
  // The heading of the crude oil index does not say that it is an index.
  return column.endsWith('Index') || column === 'Crude Oil petroleum'
}
