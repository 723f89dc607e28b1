import type { Duplex } from 'node:stream'
import { setEncodings } from '../remote/rfb-messages.ts'

export type Update = { x: number; y: number; width: number; height: number; encoding: number }

/** An RFB 3.8 client written by hand: raw pixels of 32 bits, what it is told of sizes, copied text and frames. */
export async function rfbClient(stream: Duplex, { version = '003.008', bits = 32 as 8 | 16 | 32 } = {}) {
  const got: Buffer[] = []
  let wake = () => {}
  for (const event of ['readable', 'end', 'close', 'error']) stream.on(event, () => wake())
  async function read(bytes: number): Promise<Buffer> {
    let chunk = Buffer.concat(got.splice(0))
    while (chunk.length < bytes) {
      const more = stream.read() as Buffer | null
      if (more) chunk = Buffer.concat([chunk, more])
      else if (stream.readableEnded || stream.destroyed) throw stream.errored ?? new Error('the stream has ended')
      else await new Promise<void>((resolve) => (wake = resolve))
    }
    got.push(chunk.subarray(bytes))
    return chunk.subarray(0, bytes)
  }
  const number = async (bytes: 1 | 2 | 4) => (await read(bytes)).readUIntBE(0, bytes)

  const server_version = (await read(12)).toString()
  stream.write(`RFB ${version}\n`)
  let security: number[]
  if (version === '003.003') security = [await number(4)]
  else {
    security = [...(await read(await number(1)))]
    stream.write(Buffer.from([1]))
    if (version === '003.008' && (await number(4)) !== 0) throw new Error('refused')
  }
  stream.write(Buffer.from([0]))
  const size = { width: await number(2), height: await number(2) }
  const format = await read(16)
  const name = (await read(await number(4))).toString()
  let pixels = new Uint32Array(size.width * size.height)
  const copied: string[] = []

  const u16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]))
  const client = {
    server_version,
    security,
    size,
    format,
    name,
    copied,
    get pixels() {
      return pixels
    },
    request: (is_incremental: boolean, x = 0, y = 0, width = size.width, height = size.height) =>
      void stream.write(Buffer.concat([Buffer.from([3, Number(is_incremental)]), u16(x, y, width, height)])),
    setEncodings: (...encodings: number[]) => void stream.write(setEncodings(encodings)),
    setFormat(big_endian: boolean, most: number[], shifts: number[]) {
      const head = Buffer.from([0, 0, 0, 0, bits, bits === 32 ? 24 : bits, Number(big_endian), 1])
      stream.write(Buffer.concat([head, u16(...most), Buffer.from([...shifts, 0, 0, 0])]))
    },
    key(keysym: number) {
      for (const is_down of [1, 0]) client.keyEvent(keysym, is_down === 1)
    },
    keyEvent(keysym: number, is_down: boolean) {
      stream.write(Buffer.concat([Buffer.from([4, Number(is_down), 0, 0]), u16(keysym >>> 16, keysym & 0xffff)]))
    },
    /** Types characters as a keyboard does: their keysyms, capitals under Shift. */
    type(text: string) {
      for (const character of text) {
        const point = character.codePointAt(0)!
        const is_capital = /\p{Lu}/u.test(character)
        if (is_capital) client.keyEvent(0xffe1, true)
        client.key(character === '\n' ? 0xff0d : point < 256 ? point : 0x1000000 + point)
        if (is_capital) client.keyEvent(0xffe1, false)
      }
    },
    pointer: (x: number, y: number, buttons: number) =>
      void stream.write(Buffer.concat([Buffer.from([5, buttons]), u16(x, y)])),
    cut(text: string) {
      const bytes = Buffer.from(text, 'latin1')
      stream.write(Buffer.concat([Buffer.from([6, 0, 0, 0]), u16(0, bytes.length), bytes]))
    },
    /** The next frame, put into `pixels`; texts that were copied meanwhile stand in `copied`. */
    async update(): Promise<Update[]> {
      for (;;) {
        const type = await number(1)
        if (type === 3) {
          await read(3)
          copied.push((await read(await number(4))).toString('latin1'))
          continue
        }
        if (type === 2) continue
        if (type !== 0) throw new Error(`message ${type}`)
        await read(1)
        const count = await number(2)
        const updates: Update[] = []
        for (let at = 0; at < count; at += 1) {
          const [x, y, width, height] = [await number(2), await number(2), await number(2), await number(2)]
          const encoding = (await read(4)).readInt32BE()
          updates.push({ x, y, width, height, encoding })
          if (encoding === -223) {
            Object.assign(size, { width, height })
            pixels = new Uint32Array(width * height)
          } else if (encoding === 0) {
            const bytes = await read((width * height * bits) / 8)
            for (let row = 0, from = 0; row < height; row += 1)
              for (let column = 0; column < width; column += 1, from += bits / 8)
                pixels[(y + row) * size.width + x + column] = bytes.readUIntLE(from, bits / 8)
          } else throw new Error(`encoding ${encoding}`)
        }
        return updates
      }
    },
  }
  return client
}
export type RfbClient = Awaited<ReturnType<typeof rfbClient>>
