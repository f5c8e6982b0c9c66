import { ofacList } from './list-csv.js'

/** The list of Specially Designated Nationals with the continuations of its remarks; only both have all identifiers. */
export const ofacSdn = ofacList({
  id: 'ofac',
  list: 'us_ofac_sdn',
  description: 'Specially Designated Nationals: entries of sdn.csv, remarks of sdn_comments.csv',
  minute: 20,
  folder: '',
  files: ['sdn.csv', 'sdn_comments.csv'],
})
