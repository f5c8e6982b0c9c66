import { describedEnum } from '../../schema-kit/described-enum.js'

export const AssetClassType = describedEnum('AssetClass', 'Kind of an asset.', {
  crypto: 'A crypto asset.',
  stock: 'A share of a company, or a depositary receipt for one.',
  etf: 'An exchange-traded fund or product.',
  commodity: 'A commodity.',
})
