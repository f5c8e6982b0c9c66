import { builder } from '../../graphql/builder.js'

export const AssetClassType = builder.enumType('AssetClass', {
  description: 'Kind of an asset.',
  values: {
    crypto: { value: 'crypto', description: 'A crypto asset.' },
    stock: { value: 'stock', description: 'A share of a company, or a depositary receipt for one.' },
    etf: { value: 'etf', description: 'An exchange-traded fund or product.' },
    commodity: { value: 'commodity', description: 'A commodity.' },
  } as const,
})
