import { Duplex } from 'node:stream'
import { answerFiles, fileFrame } from '@mdm/device-link'
import type { FileAnswer, FileWork } from '@mdm/device-link'

const message_max = 1_000

/** A failure of a device as a viewer is told it, with a word of the device link. */
export class DeviceFault extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message.slice(0, message_max))
    this.code = code
  }
  static of(error: unknown, code: string): DeviceFault {
    return error instanceof DeviceFault ? error : new DeviceFault(code, String((error as Error).message))
  }
}

/** The stream of a tunnel of files, whose questions a gateway answers by `work`; `left` is called once when it is over. */
export function filesStream(work: FileWork, may_change: boolean, left: () => void): Duplex {
  let taken = () => {}
  async function say(content: FileAnswer | Uint8Array): Promise<void> {
    if (stream.destroyed || stream.push(fileFrame(content))) return
    await new Promise<void>((resolve) => (taken = resolve))
  }
  const answer = answerFiles({
    ...{ work, may_change, say },
    faultOf(error) {
      const { code, message } = DeviceFault.of(error, 'internal')
      return { code, message }
    },
    is_asked: () => !stream.destroyed,
  })
  const stream = new Duplex({
    read: () => taken(),
    write(chunk: Buffer, _encoding, done) {
      void answer(chunk).then(() => done(), done)
    },
    destroy(error, done) {
      taken()
      left()
      done(error)
    },
  })
  return stream
}
