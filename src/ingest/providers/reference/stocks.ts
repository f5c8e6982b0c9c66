import type { IsoDate } from '../../../core/time.js'
import type { FormerTicker, InstrumentFacts } from '../../../domains/instruments/model.js'
import { leiOf } from './leis.js'

type StockRow = readonly [
  assetId: number,
  slug: string,
  ticker: string,
  name: string,
  isin: string,
  figi: string | null,
  sectorGics: string,
]
type UsStockRow = readonly [...StockRow, cik: number]

const COMMUNICATION = 'Communication Services'
const DISCRETIONARY = 'Consumer Discretionary'
const STAPLES = 'Consumer Staples'
const ENERGY = 'Energy'
const FINANCIALS = 'Financials'
const HEALTH_CARE = 'Health Care'
const INDUSTRIALS = 'Industrials'
const IT = 'Information Technology'
const MATERIALS = 'Materials'

// biome-ignore format: one row a line
const NASDAQ: readonly UsStockRow[] = [
  [1001, 'apple', 'AAPL', 'Apple Inc.', 'US0378331005', 'BBG000B9XRY4', IT, 320193],
  [1002, 'microsoft', 'MSFT', 'Microsoft Corporation', 'US5949181045', 'BBG000BPH459', IT, 789019],
  [1003, 'nvidia', 'NVDA', 'NVIDIA Corporation', 'US67066G1040', 'BBG000BBJQV0', IT, 1045810],
  [1004, 'alphabet', 'GOOGL', 'Alphabet Inc. Class A', 'US02079K3059', 'BBG009S39JX6', COMMUNICATION, 1652044],
  [1005, 'amazon', 'AMZN', 'Amazon.com, Inc.', 'US0231351067', 'BBG000BVPV84', DISCRETIONARY, 1018724],
  [1006, 'meta-platforms', 'META', 'Meta Platforms, Inc. Class A', 'US30303M1027', 'BBG000MM2P62', COMMUNICATION, 1326801],
  [1007, 'tesla', 'TSLA', 'Tesla, Inc.', 'US88160R1014', 'BBG000N9MNX3', DISCRETIONARY, 1318605],
  [1008, 'broadcom', 'AVGO', 'Broadcom Inc.', 'US11135F1012', 'BBG00KHY5S69', IT, 1730168],
  [1009, 'costco', 'COST', 'Costco Wholesale Corporation', 'US22160K1051', 'BBG000F6H8W8', STAPLES, 909832],
  [1010, 'netflix', 'NFLX', 'Netflix, Inc.', 'US64110L1061', 'BBG000CL9VN6', COMMUNICATION, 1065280],
  [1011, 'advanced-micro-devices', 'AMD', 'Advanced Micro Devices, Inc.', 'US0079031078', 'BBG000BBQCY0', IT, 2488],
  [1012, 'cisco', 'CSCO', 'Cisco Systems, Inc.', 'US17275R1023', 'BBG000C3J3C9', IT, 858877],
  [1013, 'qualcomm', 'QCOM', 'QUALCOMM Incorporated', 'US7475251036', 'BBG000CGC1X8', IT, 804328],
  [1014, 'texas-instruments', 'TXN', 'Texas Instruments Incorporated', 'US8825081040', 'BBG000BVV7G1', IT, 97476],
  [1015, 'pepsico', 'PEP', 'PepsiCo, Inc.', 'US7134481081', 'BBG000DH7JK6', STAPLES, 77476],
]

// biome-ignore format: one row a line
const NYSE: readonly UsStockRow[] = [
  [1016, 'jpmorgan-chase', 'JPM', 'JPMorgan Chase & Co.', 'US46625H1005', 'BBG000DMBXR2', FINANCIALS, 19617],
  [1017, 'visa', 'V', 'Visa Inc. Class A', 'US92826C8394', 'BBG000PSKYX7', FINANCIALS, 1403161],
  [1018, 'mastercard', 'MA', 'Mastercard Incorporated Class A', 'US57636Q1040', 'BBG000F1ZSQ2', FINANCIALS, 1141391],
  [1019, 'unitedhealth', 'UNH', 'UnitedHealth Group Incorporated', 'US91324P1021', 'BBG000CH5208', HEALTH_CARE, 731766],
  [1020, 'johnson-and-johnson', 'JNJ', 'Johnson & Johnson', 'US4781601046', 'BBG000BMHYD1', HEALTH_CARE, 200406],
  [1021, 'procter-and-gamble', 'PG', 'The Procter & Gamble Company', 'US7427181091', 'BBG000BR2TH3', STAPLES, 80424],
  [1022, 'home-depot', 'HD', 'The Home Depot, Inc.', 'US4370761029', 'BBG000BKZB36', DISCRETIONARY, 354950],
  [1023, 'coca-cola', 'KO', 'The Coca-Cola Company', 'US1912161007', 'BBG000BMX289', STAPLES, 21344],
  [1024, 'eli-lilly', 'LLY', 'Eli Lilly and Company', 'US5324571083', 'BBG000BNBDC2', HEALTH_CARE, 59478],
  [1025, 'chevron', 'CVX', 'Chevron Corporation', 'US1667641005', 'BBG000K4ND22', ENERGY, 93410],
  [1026, 'oracle', 'ORCL', 'Oracle Corporation', 'US68389X1054', 'BBG000BQLTW7', IT, 1341439],
  [1027, 'ibm', 'IBM', 'International Business Machines Corporation', 'US4592001014', 'BBG000BLNNH6', IT, 51143],
  [1028, 'caterpillar', 'CAT', 'Caterpillar Inc.', 'US1491231015', 'BBG000BF0K17', INDUSTRIALS, 18230],
]

// biome-ignore format: one row a line
const XETRA: readonly StockRow[] = [
  [1029, 'sap', 'SAP', 'SAP SE', 'DE0007164600', 'BBG000BG7DY8', IT],
  [1030, 'siemens', 'SIE', 'Siemens AG', 'DE0007236101', null, INDUSTRIALS],
  [1031, 'allianz', 'ALV', 'Allianz SE', 'DE0008404005', null, FINANCIALS],
]

// biome-ignore format: one row a line
const PARIS: readonly StockRow[] = [
  [1032, 'lvmh', 'MC', 'LVMH Moët Hennessy Louis Vuitton SE', 'FR0000121014', 'BBG000BC7PK5', DISCRETIONARY],
  [1033, 'totalenergies', 'TTE', 'TotalEnergies SE', 'FR0000120271', 'BBG000C1M473', ENERGY],
  [1034, 'sanofi', 'SAN', 'Sanofi', 'FR0000120578', 'BBG000BWBBF3', HEALTH_CARE],
]

// biome-ignore format: one row a line
const AMSTERDAM: readonly StockRow[] = [
  [1035, 'asml', 'ASML', 'ASML Holding N.V.', 'NL0010273215', 'BBG000C1HSN8', IT],
]

// biome-ignore format: one row a line
const LONDON: readonly StockRow[] = [
  [1036, 'shell', 'SHEL', 'Shell plc', 'GB00BP6MXD84', 'BBG0149N4YB9', ENERGY],
  [1037, 'hsbc', 'HSBA', 'HSBC Holdings plc', 'GB0005405286', 'BBG000BS1MT4', FINANCIALS],
]

// biome-ignore format: one row a line
const SWISS: readonly StockRow[] = [
  [1038, 'nestle', 'NESN', 'Nestlé S.A.', 'CH0038863350', null, STAPLES],
  [1039, 'novartis', 'NOVN', 'Novartis AG', 'CH0012005267', null, HEALTH_CARE],
]

// biome-ignore format: one row a line
const TOKYO: readonly StockRow[] = [
  [1040, 'toyota', '7203', 'Toyota Motor Corporation', 'JP3633400001', 'BBG000BCM915', DISCRETIONARY],
]

// biome-ignore format: one row a line
const NASDAQ_LATER: readonly UsStockRow[] = [
  [1041, 'intel', 'INTC', 'Intel Corporation', 'US4581401001', 'BBG000C0G1D1', IT, 50863],
  [1042, 'adobe', 'ADBE', 'Adobe Inc.', 'US00724F1012', 'BBG000BB5006', IT, 796343],
  [1043, 'micron', 'MU', 'Micron Technology, Inc.', 'US5951121038', 'BBG000C5Z1S3', IT, 723125],
  // Listed on XNYS until 2025-12-08.
  [1044, 'walmart', 'WMT', 'Walmart Inc.', 'US9311421039', 'BBG000BWXBC2', STAPLES, 104169],
]

// biome-ignore format: one row a line
const NYSE_LATER: readonly UsStockRow[] = [
  [1045, 'exxon-mobil', 'XOM', 'Exxon Mobil Corporation', 'US30231G1022', 'BBG000GZQ728', ENERGY, 34088],
  [1046, 'bank-of-america', 'BAC', 'Bank of America Corporation', 'US0605051046', 'BBG000BCTLF6', FINANCIALS, 70858],
  [1047, 'merck', 'MRK', 'Merck & Co., Inc.', 'US58933Y1055', 'BBG000BPD168', HEALTH_CARE, 310158],
  [1048, 'pfizer', 'PFE', 'Pfizer Inc.', 'US7170811035', 'BBG000BR2B91', HEALTH_CARE, 78003],
  [1049, 'walt-disney', 'DIS', 'The Walt Disney Company', 'US2546871060', 'BBG000BH4R78', COMMUNICATION, 1744489],
  [1050, 'boeing', 'BA', 'The Boeing Company', 'US0970231058', 'BBG000BCSST7', INDUSTRIALS, 12927],
]

// biome-ignore format: one row a line
const XETRA_LATER: readonly StockRow[] = [
  [1051, 'bmw', 'BMW', 'Bayerische Motoren Werke AG', 'DE0005190003', null, DISCRETIONARY],
  [1052, 'deutsche-telekom', 'DTE', 'Deutsche Telekom AG', 'DE0005557508', null, COMMUNICATION],
  [1053, 'basf', 'BAS', 'BASF SE', 'DE000BASF111', null, MATERIALS],
]

// biome-ignore format: one row a line
const PARIS_LATER: readonly StockRow[] = [
  [1054, 'loreal', 'OR', "L'Oréal S.A.", 'FR0000120321', null, STAPLES],
  [1055, 'air-liquide', 'AI', "L'Air Liquide S.A.", 'FR0000120073', null, MATERIALS],
  [1056, 'airbus', 'AIR', 'Airbus SE', 'NL0000235190', null, INDUSTRIALS],
]

// biome-ignore format: one row a line
const AMSTERDAM_LATER: readonly StockRow[] = [
  [1057, 'ing', 'INGA', 'ING Groep N.V.', 'NL0011821202', null, FINANCIALS],
]

// biome-ignore format: one row a line
const LONDON_LATER: readonly StockRow[] = [
  [1058, 'astrazeneca', 'AZN', 'AstraZeneca PLC', 'GB0009895292', null, HEALTH_CARE],
  [1059, 'rio-tinto', 'RIO', 'Rio Tinto plc', 'GB0007188757', null, MATERIALS],
]

// biome-ignore format: one row a line
const TOKYO_LATER: readonly StockRow[] = [
  [1060, 'sony', '6758', 'Sony Group Corporation', 'JP3435000009', null, DISCRETIONARY],
]

/** Former tickers by slug, each with the first day of its successor. */
const FORMER_TICKERS: Readonly<Record<string, readonly FormerTicker[]>> = {
  'meta-platforms': [{ ticker: 'FB', to: '2022-06-09' as IsoDate }],
  totalenergies: [{ ticker: 'FP', to: '2021-06-11' as IsoDate }],
}

function toInstrument(mic: string, currency: string, row: StockRow | UsStockRow): InstrumentFacts {
  const [assetId, slug, ticker, name, isin, figi, sectorGics, cik] = row
  const formerTickers = FORMER_TICKERS[slug]
  return {
    assetId,
    slug,
    ticker,
    name,
    assetClass: 'stock',
    tier: null,
    mic,
    isin,
    figi,
    currency,
    sectorGics,
    cik: cik === undefined ? null : String(cik).padStart(10, '0'),
    contract: null,
    lei: leiOf(slug),
    symbols: {},
    ...(formerTickers === undefined ? {} : { formerTickers }),
  }
}

/** The 60 stocks with their primary listing. Foreign issuers that also file with the SEC have no CIK here. */
export const STOCKS: readonly InstrumentFacts[] = [
  ...NASDAQ.map((row) => toInstrument('XNAS', 'USD', row)),
  ...NYSE.map((row) => toInstrument('XNYS', 'USD', row)),
  ...XETRA.map((row) => toInstrument('XETR', 'EUR', row)),
  ...PARIS.map((row) => toInstrument('XPAR', 'EUR', row)),
  ...AMSTERDAM.map((row) => toInstrument('XAMS', 'EUR', row)),
  ...LONDON.map((row) => toInstrument('XLON', 'GBP', row)),
  ...SWISS.map((row) => toInstrument('XSWX', 'CHF', row)),
  ...TOKYO.map((row) => toInstrument('XTKS', 'JPY', row)),
  ...NASDAQ_LATER.map((row) => toInstrument('XNAS', 'USD', row)),
  ...NYSE_LATER.map((row) => toInstrument('XNYS', 'USD', row)),
  ...XETRA_LATER.map((row) => toInstrument('XETR', 'EUR', row)),
  ...PARIS_LATER.map((row) => toInstrument('XPAR', 'EUR', row)),
  ...AMSTERDAM_LATER.map((row) => toInstrument('XAMS', 'EUR', row)),
  ...LONDON_LATER.map((row) => toInstrument('XLON', 'GBP', row)),
  ...TOKYO_LATER.map((row) => toInstrument('XTKS', 'JPY', row)),
]
