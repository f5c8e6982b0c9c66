import type { InstrumentFacts } from '../../../domains/instruments/model.js'
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

function toInstrument(mic: string, currency: string, row: StockRow | UsStockRow): InstrumentFacts {
  const [assetId, slug, ticker, name, isin, figi, sectorGics, cik] = row
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
  }
}

/** The 40 stocks with their primary listing; foreign issuers that also file with the SEC carry no CIK here. */
export const STOCKS: readonly InstrumentFacts[] = [
  ...NASDAQ.map((row) => toInstrument('XNAS', 'USD', row)),
  ...NYSE.map((row) => toInstrument('XNYS', 'USD', row)),
  ...XETRA.map((row) => toInstrument('XETR', 'EUR', row)),
  ...PARIS.map((row) => toInstrument('XPAR', 'EUR', row)),
  ...AMSTERDAM.map((row) => toInstrument('XAMS', 'EUR', row)),
  ...LONDON.map((row) => toInstrument('XLON', 'GBP', row)),
  ...SWISS.map((row) => toInstrument('XSWX', 'CHF', row)),
  ...TOKYO.map((row) => toInstrument('XTKS', 'JPY', row)),
]
