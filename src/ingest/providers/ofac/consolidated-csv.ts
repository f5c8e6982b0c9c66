import { ofacList } from './list-csv.js'

/** The lists of OFAC beside that of Specially Designated Nationals. Their measures differ, and not all block property. */
export const ofacConsolidated = ofacList({
  id: 'ofac-consolidated',
  list: 'us_ofac_cons',
  description: 'Non-SDN lists of OFAC: entries of cons_prim.csv, remarks of cons_comments.csv',
  minute: 25,
  folder: 'consolidated/',
  files: ['cons_prim.csv', 'cons_comments.csv'],
})
