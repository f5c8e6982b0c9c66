import LISTS from './sanctions-lists.json' with { type: 'json' }

/**
 * Datasets of OpenSanctions that are sanctions lists. Source: the present and former members of its collection
 * `sanctions`, and the datasets that its sanctions programmes name. Registers, disqualifications and debarments are
 * not included.
 */
const KNOWN: ReadonlySet<string> = new Set(LISTS)

/** Words in the name of a sanctions list that is newer than this table. */
const NAMED_SO = /^[a-z]{2}_(?:\w+_)?(?:sanctions|terrorists|terror_sanctions|asset_freezes)$/

/** Whether a dataset of OpenSanctions is a sanctions list, not merely a register with the entity. */
export function isSanctionsList(dataset: string): boolean {
  return KNOWN.has(dataset) || NAMED_SO.test(dataset)
}
