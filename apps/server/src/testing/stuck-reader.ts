// A reader that does what no reader should.
import type { ByteSource } from '../lib/apk/source.ts'
import { serveTask } from '../workers/serve.ts'

serveTask({
  async length(source: ByteSource, { at }: { at: number }) {
    return (await source.read(at, 3)).toString()
  },
  async spin(source: ByteSource) {
    await source.read(0, 1)
    for (;;);
  },
  async buffers(source: ByteSource) {
    await source.read(0, 1)
    const kept: Buffer[] = []
    for (;;) kept.push(Buffer.alloc(1024 ** 2, 1))
  },
  async heap(source: ByteSource) {
    await source.read(0, 1)
    const kept: number[][] = []
    for (;;) kept.push(Array.from({ length: 10_000 }, Math.random))
  },
  async wait(source: ByteSource) {
    await source.read(0, 1)
    return new Promise(() => setInterval(() => {}, 1_000))
  },
  async broken() {
    throw new TypeError('no such thing')
  },
  async never_begins() {
    process.exit(0)
  },
  async leave(source: ByteSource) {
    await source.read(0, 1)
    process.exit(0)
  },
})
