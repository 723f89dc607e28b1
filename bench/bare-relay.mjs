// Two connections, the first of which is the device's, joined as they come: what every relay costs at least.
import { createServer } from 'node:net'

let first
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy())
  if (!first) return void (first = socket)
  socket.pipe(first)
  first.pipe(socket)
  first = undefined
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
