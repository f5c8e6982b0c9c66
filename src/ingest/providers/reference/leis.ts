/**
 * Legal entity identifiers (ISO 17442) of the issuers of stocks, by slug. Their check digits are verified when they
 * are read. For other stocks no LEI was verified.
 */
const LEIS: Readonly<Record<string, string>> = {
  apple: 'HWUPKR0MPOU8FGXBT394',
  microsoft: 'INR2EJN1ERAN0W5ZP974',
  alphabet: '5493006MHB84DD0ZWV18',
  amazon: 'ZXTILKJKG63JELOEG630',
  nvidia: '549300S4KLFTLO7GSQ80',
  'meta-platforms': 'BQ4BKCS1HXDV9HN80Z93',
  tesla: '54930043XZGB27CTOV49',
  'jpmorgan-chase': '8I5DZWZKVSZI1NUHU748',
  visa: '549300JZ4OKEHW3DPJ59',
  'johnson-and-johnson': '549300G0CFPGEF6X2043',
  'procter-and-gamble': '2572IBTT8CCZW6AU4141',
  mastercard: 'AR5L2ODV9HN37376R084',
  ibm: 'VGRQXHF3J8VDLUA7XE92',
  oracle: '1Z4GXXU7ZHVWFCD8TV52',
  'coca-cola': 'UWJKFUJFZ02DKWI3RY53',
  cisco: '549300LKFJ962MZ46593',
  netflix: '549300Y7VHGU0I7CE873',
  pepsico: 'FJSUNZKFNQ5YPJ5OT455',
  costco: '29DX7H14B9S6O3FD6V18',
  'home-depot': 'QEKMOTMBBKA8I816DO57',
  unitedhealth: '549300GHBMY8T5GXDE41',
  broadcom: '549300WV6GIDOZJTV909',
  'advanced-micro-devices': 'R2I72C950HOYXII45366',
  qualcomm: 'H1J8DDZKZP6H7RWC0H53',
  'eli-lilly': 'FRDRIPF3EKNDJ2CQJL29',
  sap: '529900D6BF99LW9R2E68',
  siemens: 'W38RGI023J3WT1HWRP32',
  allianz: '529900K9B0N5BT694847',
  lvmh: 'IOG4E947OATN0KJYSD45',
  totalenergies: '529900S21EQ1BO4ESM68',
  sanofi: '549300E9PC51EN656011',
  asml: '724500Y6DUVHQD6OXN27',
  shell: '21380068P1DRHMJ8KU70',
  hsbc: 'MLU0ZO3ML4LN2LL2TL39',
  nestle: 'KY37LUS27QQX7BB93L28',
  novartis: '5493007HIVTX6SY6XD66',
  toyota: '5493006W3QUS5LMH6R84',
}

/** The LEI of that issuer; null if it is unknown. */
export function leiOf(slug: string): string | null {
  return LEIS[slug] ?? null
}
