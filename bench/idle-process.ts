// The devices of P11: they connect, subscribe to what is theirs and say nothing more.
import { idleDevice } from './idle-device.ts'

export type IdleOrder = { port: number; kids: string[]; secret: string }

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}
process.on('message', ({ port, kids, secret }: IdleOrder) => {
  Promise.all(kids.map((kid) => idleDevice(port, kid, secret, fail))).then(() => process.send!('connected'), fail)
})
