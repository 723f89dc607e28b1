import { expect, test } from 'vitest'
import { terminalPage } from './terminal-page.ts'

const token = 'a1'.repeat(32)
test.each([
  [`https://mdm.example/enrol?qr=${token}`, `https://mdm.example/terminal#${token}`],
  [`http://192.0.2.7:8081/enrol?qr=${token}`, `http://192.0.2.7:8081/terminal#${token}`],
])('%s leads a browser to %s, and no server hears the token', (content, address) => {
  expect(terminalPage(content)).toBe(address)
})
