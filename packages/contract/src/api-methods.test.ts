import { expect, it } from 'vitest'
import { api_limits, readApiMethods } from './api-methods.ts'

it('methods are read from the first column of a file, each once', () => {
  const text = '\uFEFFMethod;Note\r\ncom.acme.Printer.print;x\n\n# later\n"Scanner.start",y\rcom.acme.Printer.print\tz'
  expect(readApiMethods(text)).toEqual({
    methods: ['com.acme.Printer.print', 'Scanner.start'],
    faults: [],
    fault_count: 0,
    repeated: 1,
  })
})

it('what is no method is told by its line, the first of many only', () => {
  const odd = ['alone', 'a..b', '1a.b', 'a.b c', 'a.b\u0000', 'a.\u202Eb', 'é.b', `a.${'b'.repeat(200)}`]
  const { methods, faults, fault_count } = readApiMethods(['Method', ...odd].join('\n'))
  expect([methods, fault_count]).toEqual([[], odd.length])
  expect(faults.map(({ line }) => line)).toEqual(odd.map((_, at) => at + 2))
  expect(faults.at(-1)!.text).toHaveLength(80)
  const many = readApiMethods(Array.from({ length: 100_000 }, (_, n) => `no method ${n}`).join('\n'))
  expect([many.faults.length, many.fault_count]).toEqual([api_limits.faults, 100_000])
})
