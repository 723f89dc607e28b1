import type { MqttClient } from 'mqtt'
import type { Deps } from '../deps.ts'

/** Waits for a message of a topic, of any payload where none is named: true once it has come, false after so long. */
export function listenFor(
  { clock }: Pick<Deps, 'clock'>,
  client: MqttClient,
  { topic, payload, most_ms }: { topic: string; payload?: string; most_ms: number },
): { came: Promise<boolean>; stop(): void } {
  let stop = () => {}
  const came = new Promise<boolean>((resolve) => {
    const listen = (received: string, said: Buffer) => {
      if (received === topic && (payload === undefined || said.toString() === payload)) resolve(true)
    }
    client.on('message', listen)
    const stopWaiting = clock.after(most_ms, () => resolve(false))
    stop = () => {
      client.off('message', listen)
      stopWaiting()
    }
  })
  return { came, stop: () => stop() }
}
