import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** Between a device and the server: passes everything on, and cuts a connection when told to. */
export async function cuttingProxy(url: string) {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const cuts: { direction: 'up' | 'down'; after_bytes: number; on_cut: () => void }[] = []
  let cut_count = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const pair = [client, upstream]
    for (const socket of pair) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        for (const other of pair) other.destroy()
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
          to.once('drain', () => from.resume())
        }
      })
    }
    pass(client, upstream, 'up')
    pass(upstream, client, 'down')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The next connection that has carried so much in this direction is cut, one for each call; `on_cut` is what else happens. */
    cut: (direction: 'up' | 'down', after_bytes: number, on_cut = () => {}) =>
      void cuts.push({ direction, after_bytes, on_cut }),
    cut_count: () => cut_count,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
