/** A sanctions programme: its legal basis and the measures it provides for. */
export interface SanctionsProgram {
  /** Code, e.g. US-GLOMAG. If the programme is not in the dictionary, the list's code. */
  readonly key: string
  /** Null if the programme is not in the dictionary. */
  readonly title: string | null
  readonly issuer: string | null
  readonly measures: readonly string[]
}

const OFAC = 'Office of Foreign Assets Control (US)'
const EU = 'Council of the European Union'
const UN = 'United Nations Security Council'

const FREEZE = 'Asset freeze'
const TRAVEL = 'Travel ban'
const ARMS = 'Arms embargo'
const FINANCE = 'Financial restrictions'
const TRADE = 'Trade restrictions'
const INVEST = 'Investment restrictions'
const TRANSPORT = 'Transport restrictions'

interface Entry {
  readonly title: string
  readonly measures: readonly string[]
  /** Codes that lists use for the same programme. */
  readonly aliases: readonly string[]
}

function entry(title: string, measures: readonly string[], ...aliases: string[]): Entry {
  return { title, measures, aliases }
}

/** Programmes of OFAC with the tags that OFAC uses. Source: the programme tags and pages of OFAC. */
const OFAC_PROGRAMS: Readonly<Record<string, Entry>> = {
  'US-BALKANS': entry('Western Balkans', [FREEZE, TRAVEL], 'BALKANS', 'BALKANS-EO14033'),
  'US-BRUS': entry('Belarus', [FREEZE, TRAVEL], 'BELARUS', 'BELARUS-EO14038'),
  'US-BURMA': entry('Burma', [FREEZE, TRAVEL], 'BURMA-EO14014'),
  'US-CAATSA': entry("Countering America's Adversaries", [FREEZE], 'CAATSA - IRAN', 'CAATSA - RUSSIA'),
  'US-CAR': entry('Central African Republic', [FREEZE, TRAVEL], 'CAR'),
  'US-CUBA': entry('Cuba', [FREEZE, TRADE, FINANCE], 'CUBA'),
  'US-CYB': entry('Malicious cyber activity', [FREEZE], 'CYBER2', 'CYBER3', 'CYBER4'),
  'US-DARFUR': entry('Sudan and Darfur', [FREEZE, TRAVEL], 'DARFUR', 'SUDAN-EO14098'),
  'US-DRC': entry('Democratic Republic of the Congo', [FREEZE, TRAVEL], 'DRCONGO'),
  'US-ETHIOPIA': entry('Ethiopia', [FREEZE, TRAVEL], 'ETHIOPIA-EO14046'),
  'US-FORINT': entry('Foreign interference in elections', [FREEZE], 'ELECTION-EO13848'),
  'US-GLOMAG': entry('Global Magnitsky', [FREEZE, TRAVEL], 'GLOMAG'),
  'US-HONGKONG': entry('Hong Kong', [FREEZE, TRAVEL], 'HK-EO13936'),
  'US-HOSTAGE': entry('Hostages and wrongful detention', [FREEZE, TRAVEL], 'HOSTAGES-EO14078'),
  'US-ICC': entry('International Criminal Court', [FREEZE, TRAVEL], 'ICC-EO14203'),
  // biome-ignore format: one programme a line
  'US-IRAN': entry('Iran', [FREEZE, TRADE, FINANCE], 'IRAN', 'IRAN-HR', 'IRAN-TRA', 'IRAN-CON-ARMS-EO', 'IRAN-EO13846', 'IRAN-EO13871', 'IRAN-EO13876', 'IRAN-EO13902', 'HRIT-IR', 'IFSR', 'IRGC', 'ISA'),
  'US-IRAQ': entry('Iraq', [FREEZE], 'IRAQ2', 'IRAQ3'),
  'US-LEBANON': entry('Lebanon', [FREEZE, TRAVEL], 'LEBANON'),
  'US-LIBYA': entry('Libya', [FREEZE, TRAVEL], 'LIBYA2', 'LIBYA3'),
  'US-MAGNITSKY': entry('Magnitsky', [FREEZE, TRAVEL], 'MAGNIT'),
  'US-MALI': entry('Mali', [FREEZE, TRAVEL], 'MALI-EO13882'),
  // biome-ignore format: one programme a line
  'US-NARCO': entry('Counter narcotics', [FREEZE], 'SDNT', 'SDNTK', 'ILLICIT-DRUGS-EO14059'),
  'US-NICARAGUA': entry('Nicaragua', [FREEZE, TRAVEL], 'NICARAGUA', 'NICARAGUA-NHRAA'),
  'US-NK': entry('North Korea', [FREEZE, TRADE, FINANCE], 'DPRK', 'DPRK2', 'DPRK3', 'DPRK4', 'DPRK-NKSPEA'),
  'US-NON-PROLIF': entry('Weapons of mass destruction', [FREEZE], 'NPWMD'),
  'US-RUSHAR': entry(
    'Russian harmful foreign activities',
    [FREEZE, FINANCE],
    'RUSSIA-EO14024',
    'PEESA-EO14039',
  ),
  'US-SOMALIA': entry('Somalia', [FREEZE, TRAVEL], 'SOMALIA'),
  'US-SOUTH-SUDAN': entry('South Sudan', [FREEZE, TRAVEL], 'SOUTH SUDAN'),
  'US-SYR': entry('Syria', [FREEZE, TRAVEL], 'SYRIA', 'SYRIA-CAESAR', 'SYRIA-EO13894', 'HRIT-SY'),
  'US-TCO': entry('Transnational criminal organisations', [FREEZE], 'TCO'),
  'US-TERR': entry('Counter terrorism', [FREEZE], 'SDGT', 'FTO', 'SDT'),
  // biome-ignore format: one programme a line
  'US-UKRRUS-REL': entry('Ukraine and Russia', [FREEZE, TRAVEL], 'UKRAINE-EO13660', 'UKRAINE-EO13661', 'UKRAINE-EO13662', 'UKRAINE-EO13685'),
  // biome-ignore format: one programme a line
  'US-VEN': entry('Venezuela', [FREEZE, TRAVEL, FINANCE], 'VENEZUELA', 'VENEZUELA-EO13850', 'VENEZUELA-EO13884'),
  'US-YEMEN': entry('Yemen', [FREEZE, TRAVEL], 'YEMEN'),
}

/** Regimes of the EU. Source: the titles and measures of its regulations. */
const EU_PROGRAMS: Readonly<Record<string, Entry>> = {
  'EU-AFG': entry('Afghanistan', [FREEZE, TRAVEL, ARMS]),
  'EU-BLR': entry('Belarus', [FREEZE, TRAVEL, ARMS, TRADE, FINANCE]),
  'EU-CAF': entry('Central African Republic', [FREEZE, TRAVEL, ARMS]),
  'EU-CHEM': entry('Chemical weapons', [FREEZE, TRAVEL]),
  'EU-COD': entry('Democratic Republic of the Congo', [FREEZE, TRAVEL, ARMS]),
  'EU-CYB': entry('Cyber attacks', [FREEZE, TRAVEL]),
  'EU-HAM': entry('Hamas and Palestinian Islamic Jihad', [FREEZE, TRAVEL]),
  'EU-HR': entry('Serious violations of human rights', [FREEZE, TRAVEL]),
  'EU-HTI': entry('Haiti', [FREEZE, TRAVEL, ARMS]),
  'EU-IRN': entry('Iran', [FREEZE, TRAVEL, ARMS, TRADE]),
  'EU-IRQ': entry('Iraq', [FREEZE, ARMS]),
  'EU-LBY': entry('Libya', [FREEZE, TRAVEL, ARMS]),
  'EU-MDA': entry('Moldova', [FREEZE, TRAVEL]),
  'EU-MLI': entry('Mali', [FREEZE, TRAVEL]),
  'EU-MMR': entry('Myanmar', [FREEZE, TRAVEL, ARMS]),
  'EU-NIC': entry('Nicaragua', [FREEZE, TRAVEL]),
  'EU-PRK': entry('North Korea', [FREEZE, TRAVEL, ARMS, TRADE, FINANCE]),
  'EU-RUS': entry('Destabilising Ukraine: sectors of Russia', [TRADE, FINANCE, INVEST, TRANSPORT]),
  'EU-RUSDA': entry('Destabilising activities of Russia', [FREEZE, TRAVEL]),
  'EU-SDNZ': entry('Sudan', [FREEZE, TRAVEL]),
  'EU-SOM': entry('Somalia', [FREEZE, TRAVEL, ARMS]),
  'EU-SSD': entry('South Sudan', [FREEZE, TRAVEL, ARMS]),
  'EU-SYR': entry('Syria', [FREEZE, TRAVEL]),
  'EU-TAQA-EUAQ': entry('ISIL and Al-Qaida', [FREEZE, TRAVEL, ARMS]),
  'EU-TERR': entry('Terrorism', [FREEZE]),
  'EU-UKR': entry('Territorial integrity of Ukraine', [FREEZE, TRAVEL], 'UKR'),
  'EU-VEN': entry('Venezuela', [FREEZE, TRAVEL, ARMS]),
  'EU-YEM': entry('Yemen', [FREEZE, TRAVEL, ARMS]),
  'EU-ZWE': entry('Zimbabwe', [FREEZE, ARMS]),
}

/** Regimes of the Security Council, by the resolution that began them. */
const UN_PROGRAMS: Readonly<Record<string, Entry>> = {
  'UN-SC1518': entry('Iraq', [FREEZE]),
  'UN-SC1533': entry('Democratic Republic of the Congo', [FREEZE, TRAVEL, ARMS]),
  'UN-SC1591': entry('Sudan', [FREEZE, TRAVEL, ARMS]),
  'UN-SC1718': entry('North Korea', [FREEZE, TRAVEL, ARMS, TRADE]),
  'UN-SC1970': entry('Libya', [FREEZE, TRAVEL, ARMS]),
  'UN-SC1988': entry('Taliban', [FREEZE, TRAVEL, ARMS]),
  'UN-SC2127': entry('Central African Republic', [FREEZE, TRAVEL, ARMS]),
  'UN-SC2140': entry('Yemen', [FREEZE, TRAVEL, ARMS]),
  'UN-SC2206': entry('South Sudan', [FREEZE, TRAVEL, ARMS]),
  'UN-SC2653': entry('Haiti', [FREEZE, TRAVEL, ARMS]),
  'UN-SCISIL': entry('ISIL and Al-Qaida', [FREEZE, TRAVEL, ARMS]),
}

const PROGRAMS: ReadonlyMap<string, SanctionsProgram> = new Map([
  ...programsOf(OFAC, OFAC_PROGRAMS),
  ...programsOf(EU, EU_PROGRAMS),
  ...programsOf(UN, UN_PROGRAMS),
])

const KEYS: ReadonlyMap<string, string> = new Map(
  [OFAC_PROGRAMS, EU_PROGRAMS, UN_PROGRAMS].flatMap((programs) =>
    Object.entries(programs).flatMap(([key, { aliases }]) => aliases.map((alias) => [alias, key] as const)),
  ),
)

function programsOf(issuer: string, programs: Readonly<Record<string, Entry>>) {
  return Object.entries(programs).map(([key, { title, measures }]): [string, SanctionsProgram] => [
    key,
    { key, title, issuer, measures },
  ])
}

/** The common code of a programme. A code that is not in the dictionary is returned unchanged. */
export function programKey(code: string): string {
  return KEYS.get(code) ?? code
}

/** The programme in the dictionary, by its common code or the code of a list. */
export function programOf(code: string): SanctionsProgram {
  const key = programKey(code)
  return PROGRAMS.get(key) ?? { key, title: null, issuer: null, measures: [] }
}
