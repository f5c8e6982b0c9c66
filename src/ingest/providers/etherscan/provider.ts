import type { Provider } from '../../feed.js'

/** Etherscan, one API for many chains; used only if a key is configured. https://docs.etherscan.io */
export const etherscan: Provider = {
  id: 'etherscan',
  name: 'Etherscan',
  url: 'https://etherscan.io',
  licence: 'Contract names: terms of the Etherscan API plan whose key is configured',
  attribution: 'Powered by Etherscan.io APIs',
  disclaimer: 'A name is what its author chose; it says nothing of what the contract does.',
  licensedForCommercialUse: false,
}
