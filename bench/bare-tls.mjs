// The limit of P7: a server that does nothing but take TLS connections, with the certificate of the product beside it.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:tls'

const [cert, key] = process.argv.slice(2).map((file) => readFileSync(file))
const server = createServer({ cert, key }, (socket) => {
  socket.on('error', () => socket.destroy())
  socket.resume()
})
server.on('tlsClientError', (_, socket) => socket.destroy())
server.listen(0, '127.0.0.1', 4_096, () => process.send({ port: server.address().port }))
