// The limit of P11: aedes as it comes, on a plain socket.
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Aedes } from 'aedes'

const broker = await Aedes.createBroker()
const server = createServer(broker.handle).listen(0, '127.0.0.1', () =>
  process.send!({ mqtt_port: (server.address() as AddressInfo).port }),
)
