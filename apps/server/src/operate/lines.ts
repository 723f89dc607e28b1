import type { Readable } from 'node:stream'

/** The lines of a stream. Throws for one that is longer than `max` bytes. Ends quietly when the stream is cut. */
export async function* lines(stream: Readable, max: number): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  try {
    for await (const chunk of stream) {
      rest = Buffer.concat([rest, chunk as Buffer])
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        yield rest.subarray(0, end).toString('utf8')
        rest = rest.subarray(end + 1)
      }
      if (rest.length > max) throw new RangeError(`a line is longer than ${max} bytes`)
    }
  } catch (error) {
    if (error instanceof RangeError) throw error
  }
}
