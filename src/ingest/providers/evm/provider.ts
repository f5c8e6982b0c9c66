import type { Provider } from '../../feed.js'

/** EVM chains over JSON-RPC, at nodes that the operator names. */
export const evm: Provider = {
  id: 'evm',
  name: 'EVM chains over JSON-RPC',
  url: 'https://ethereum.github.io/execution-apis/',
  licence: 'None needed: public state of the chains; the terms of the node that is asked apply',
  attribution: 'Read from the chains over JSON-RPC',
  disclaimer: 'Units that exist on the contract, those that are locked or not yet released included.',
  licensedForCommercialUse: true,
}
