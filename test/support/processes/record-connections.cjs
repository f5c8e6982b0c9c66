// Loaded ahead of a program (NODE_OPTIONS=--require): appends every address that it, or a node process that it starts, opens
// a connection or sends a datagram to, to the file RECORDED_CONNECTIONS. Sockets of the file system are not counted.
const { appendFileSync } = require('node:fs')
const { Socket } = require('node:net')
const { Socket: Datagrams } = require('node:dgram')

const file = process.env.RECORDED_CONNECTIONS

function record(host, port) {
  appendFileSync(file, `${host}:${port}\n`)
}

const connect = Socket.prototype.connect
Socket.prototype.connect = function (...given) {
  // node's own callers hand in arguments that are normalized already: one array.
  const [first, second] = Array.isArray(given[0]) ? given[0] : given
  if (typeof first === 'number') record(typeof second === 'string' ? second : 'localhost', first)
  else if (typeof first === 'object' && first !== null && first.path === undefined) {
    record(first.host ?? 'localhost', first.port)
  }
  return connect.apply(this, given)
}

const send = Datagrams.prototype.send
Datagrams.prototype.send = function (...given) {
  record(
    'datagram',
    given
      .slice(1)
      .filter((value) => typeof value !== 'function')
      .join(' '),
  )
  return send.apply(this, given)
}
