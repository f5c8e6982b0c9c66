import { selectList } from '../../platform/database/statement.js'
import { LISTING_COLUMNS } from './model.js'

const { ofAsset, ofListing } = LISTING_COLUMNS
/** The columns of a listing with its asset. */
export const LISTING_ROW = { ...ofAsset, ...ofListing, issuerSlug: 'text?' } as const
/** SQL: these columns of `instrument i` and `asset a`. */
export const LISTING_SELECT = `${selectList(ofAsset, 'a')}, ${selectList(ofListing, 'i')},
  (select m.slug from asset m where m.asset_id = i.issuer_asset_id) as "issuerSlug"
  from instrument i join asset a on a.asset_id = i.asset_id`
