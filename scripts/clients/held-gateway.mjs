// Starts a gateway that stops when its standard input ends. The parent process holds the other end, which also closes when
// the parent is killed, so the gateway never outlives it.
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume()
process.stdin.unref() // the input alone must not keep the process running
await import('../run.mjs')
