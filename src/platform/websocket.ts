import type * as GraphqlWs from 'graphql-ws'
import type * as Ws from 'ws'
import * as bundled from '../generated/websocket/websocket.js'

// What the gateway uses of ws and graphql-ws, made by scripts/bundled-modules.mjs. The module has no types of its own.
const library = bundled as unknown as Pick<typeof Ws, 'WebSocketServer'> &
  Pick<typeof GraphqlWs, 'CloseCode' | 'handleProtocols' | 'makeServer'>

export const { WebSocketServer, CloseCode, handleProtocols, makeServer } = library
export type WebSocket = Ws.WebSocket
