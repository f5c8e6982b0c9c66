// Starts a gateway that stops when its standard input ends. The process that started it holds the other end, which
// closes when that process is killed, too: so the gateway does not outlive it.
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume()
process.stdin.unref() // it keeps nothing from ending
await import('../run.mjs')
