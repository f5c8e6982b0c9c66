import { BIS_DATASETS, type BisDataset } from '../../../domains/macro/bis/datasets-model.js'

/** Attributes of a series beside its key; null if the body does not state them. */
export interface SeriesAttributes {
  readonly unitMeasure: string | null
  /** The values are multiplied by ten to this power. */
  readonly unitMult: number | null
}

export interface SeriesUnit {
  /** Null if the body does not state it. */
  readonly unit: string | null
  /** Power of ten that converts a published value to the unit. */
  readonly exponent: number
}

/** A dataflow of the BIS: the shape of its keys, and its units. */
export interface BisFlow {
  readonly dataset: BisDataset
  /** Dimensions in the order of the key. */
  readonly dimensions: readonly string[]
  readonly countryDimension: string
  unitOf(code: (dimension: string) => string, attributes: SeriesAttributes): SeriesUnit
}

const BILLIONS = 9

const plain = (unit: string | null, { unitMult }: SeriesAttributes): SeriesUnit => ({
  unit,
  exponent: unitMult ?? 0,
})

/** `published`: the power of ten of the flow, for bodies that do not state one. */
function inBillions(currency: string | null, published: number, { unitMult }: SeriesAttributes): SeriesUnit {
  return {
    unit: currency === null ? null : `${currency}_B`,
    exponent: (unitMult ?? published) - BILLIONS,
  }
}

const PRICE_UNITS: Readonly<Record<string, string>> = { 628: 'INDEX_2010=100', 771: '%_YOY' }

function priceUnit(code: (dimension: string) => string, attributes: SeriesAttributes): SeriesUnit {
  return plain(PRICE_UNITS[code('UNIT_MEASURE')] ?? null, attributes)
}

/** UNIT_TYPE: 770 and 799 are per cent of GDP (799 at purchasing power parities), XDC is the country's currency. */
function creditUnit(code: (dimension: string) => string, attributes: SeriesAttributes): SeriesUnit {
  const type = code('UNIT_TYPE')
  if (type === '770' || type === '799') return plain('%_GDP', attributes)
  return inBillions(type === 'XDC' ? attributes.unitMeasure : type, BILLIONS, attributes)
}

type Shape = Omit<BisFlow, 'dataset'>

const SHAPES: Readonly<Record<string, Shape>> = {
  WS_TC: {
    dimensions: [
      'FREQ',
      'BORROWERS_CTY',
      'TC_BORROWERS',
      'TC_LENDERS',
      'VALUATION',
      'UNIT_TYPE',
      'TC_ADJUST',
    ],
    countryDimension: 'BORROWERS_CTY',
    unitOf: creditUnit,
  },
  WS_CREDIT_GAP: {
    dimensions: ['FREQ', 'BORROWERS_CTY', 'TC_BORROWERS', 'TC_LENDERS', 'CG_DTYPE'],
    countryDimension: 'BORROWERS_CTY',
    unitOf: (_code, attributes) => plain('%_GDP', attributes),
  },
  WS_DSR: {
    dimensions: ['FREQ', 'BORROWERS_CTY', 'DSR_BORROWERS'],
    countryDimension: 'BORROWERS_CTY',
    unitOf: (_code, attributes) => plain('%', attributes),
  },
  WS_SPP: {
    dimensions: ['FREQ', 'REF_AREA', 'VALUE', 'UNIT_MEASURE'],
    countryDimension: 'REF_AREA',
    unitOf: priceUnit,
  },
  WS_EER: {
    dimensions: ['FREQ', 'EER_TYPE', 'EER_BASKET', 'REF_AREA'],
    countryDimension: 'REF_AREA',
    unitOf: (_code, attributes) => plain('INDEX_2020=100', attributes),
  },
  WS_LONG_CPI: {
    dimensions: ['FREQ', 'REF_AREA', 'UNIT_MEASURE'],
    countryDimension: 'REF_AREA',
    unitOf: priceUnit,
  },
  WS_CBPOL: {
    dimensions: ['FREQ', 'REF_AREA'],
    countryDimension: 'REF_AREA',
    unitOf: (_code, attributes) => plain('%', attributes),
  },
  WS_LBS_D_PUB: {
    dimensions: [
      'FREQ',
      'L_MEASURE',
      'L_POSITION',
      'L_INSTR',
      'L_DENOM',
      'L_CURR_TYPE',
      'L_PARENT_CTY',
      'L_REP_BANK_TYPE',
      'L_REP_CTY',
      'L_CP_SECTOR',
      'L_CP_COUNTRY',
      'L_POS_TYPE',
    ],
    countryDimension: 'L_REP_CTY',
    unitOf: (_code, attributes) => inBillions('USD', 6, attributes),
  },
}

/** Every supported flow. */
export const BIS_FLOWS: readonly BisFlow[] = BIS_DATASETS.map((dataset) => {
  const shape = SHAPES[dataset.code]
  if (shape === undefined) throw new Error(`the dimensions of ${dataset.code} are not defined`)
  return { dataset, ...shape }
})

/** The flow whose keys have exactly these dimensions. */
export function flowByDimensions(dimensions: readonly string[]): BisFlow | null {
  return BIS_FLOWS.find((flow) => flow.dimensions.join() === dimensions.join()) ?? null
}

/** `BIS:WS_DSR(1.0): Debt service ratios` → WS_DSR; null for another text. */
export function flowCode(text: string): string | null {
  return /^BIS:([A-Z0-9_]+)\(/.exec(text)?.[1] ?? null
}
