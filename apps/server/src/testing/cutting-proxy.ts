import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** Between two that speak TCP: passes everything on; cuts a connection, or holds all of them back, when told to. */
export async function cuttingProxy(url: string) {
  const { hostname, port } = new URL(url)
  const folder = decodeURIComponent(hostname)
  // PostgreSQL of tests listens in a folder.
  const to = folder.startsWith('/') ? { path: `${folder}/.s.PGSQL.5432` } : { host: hostname, port: Number(port) }
  const open = new Set<Socket>()
  const cuts: { direction: 'up' | 'down'; after_bytes: number; on_cut: () => void }[] = []
  let cut_count = 0
  let is_silent = false
  /** Ends that nobody hears of while the network is away. */
  const ends: (() => void)[] = []
  const server = createServer((client) => {
    const upstream = connect(to)
    const pair = [client, upstream]
    for (const socket of pair) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        const end = () => pair.forEach((other) => other.destroy())
        if (is_silent) ends.push(end)
        else end()
      })
    }
    const pass = (from: Socket, to: Socket, direction: 'up' | 'down') => {
      let passed = 0
      from.on('data', (chunk) => {
        passed += chunk.length
        if (cuts[0]?.direction === direction && passed > cuts[0].after_bytes) {
          const { on_cut } = cuts.shift()!
          cut_count += 1
          for (const socket of pair) socket.destroy()
          on_cut()
          return
        }
        if (!to.write(chunk)) {
          from.pause()
          to.once('drain', () => !is_silent && from.resume())
        }
      })
    }
    pass(client, upstream, 'up')
    pass(upstream, client, 'down')
    if (is_silent) for (const socket of pair) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The next connection that has carried so much in this direction is cut, one for each call; `on_cut` is what else happens. */
    cut: (direction: 'up' | 'down', after_bytes: number, on_cut = () => {}) =>
      void cuts.push({ direction, after_bytes, on_cut }),
    cut_count: () => cut_count,
    /** Nothing gets through any more, and nobody is told: as a network that is away. */
    silence() {
      is_silent = true
      for (const socket of open) socket.pause()
    },
    /** It is there again; what was sent meanwhile arrives late. */
    restore() {
      is_silent = false
      for (const socket of open) socket.resume()
      for (const end of ends.splice(0)) end()
    },
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
