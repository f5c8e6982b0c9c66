import type { Provider } from '../../feed.js'

/** Sourcify: published source code of contracts, compared with what is on the chain. https://docs.sourcify.dev */
export const sourcify: Provider = {
  id: 'sourcify',
  name: 'Sourcify',
  url: 'https://sourcify.dev',
  licence: 'Contract names: public repository of verified contracts; no licence is asked for names',
  attribution: 'Contract names: Sourcify',
  disclaimer: 'A name is what its author chose; it says nothing of what the contract does.',
  licensedForCommercialUse: true,
}
