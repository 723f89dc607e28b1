import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** The address of several servers: connections in turn to those of them that take one. */
export async function roundRobin() {
  let ports: readonly number[] = []
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    const tryNext = (left: number) => {
      if (left === 0) return socket.destroy()
      const upstream = connect(ports[turn++ % ports.length]!, '127.0.0.1')
      upstream.once('error', () => tryNext(left - 1))
      upstream.once('connect', () => {
        upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy())
        socket.on('close', () => upstream.destroy())
        socket.pipe(upstream).pipe(socket)
      })
    }
    tryNext(ports.length)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Where new connections go from now on. */
    lead: (to: readonly { port: number }[]) => void (ports = to.map(({ port }) => port)),
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
