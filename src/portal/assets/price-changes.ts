/** The newest price of an asset of any class, with its changes as fractions. */
export interface AssetPriceChanges {
  readonly price: number | null
  readonly currency: string
  /** Day of the price; null without one. */
  readonly price_date: string | null
  readonly change_1d: number | null
  readonly change_7d: number | null
  /** Why a figure is null; null if none is. */
  readonly reason: string | null
}

/** The selection of `AssetPriceChanges` in a document. */
export const PRICE_CHANGES = 'price_changes { price currency price_date change_1d change_7d reason }'
