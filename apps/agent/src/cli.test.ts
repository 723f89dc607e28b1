import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeBox, holdFolder, hostOf, qrToken, registrar } from './cli.ts'
import { startTestServer } from './testing/server.ts'

test('a folder of data serves one agent; what a dead one left is taken over', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mdm-agent-'))
  const release = holdFolder(data)
  expect(() => holdFolder(data)).toThrow(`process ${process.pid}`)
  release()
  await writeFile(join(data, 'agent.pid'), '4194999')
  holdFolder(data)()
  expect(await readdir(data)).toEqual([])
  await rm(data, { recursive: true })
})

test('the command line of the agent names refusals, shows the code and takes the token of a QR code', async () => {
  const server = await startTestServer()
  const announced = { sn: 'T-0', registration_code: 'ABCDEF' }
  await expect(registrar(server.url, 'nobody', 'customer')(announced)).rejects.toThrow('401 Sign in')
  await expect(registrar(server.url, 'operator', 'customer')(announced)).rejects.toThrow('40022')
  expect(codeBox('T-0', 'ABCDEF')).toContain('A B C D E F')
  expect(qrToken('https://mdm.example.com/enrol?qr=f3a1')).toBe('f3a1')
  expect(qrToken('f3a1')).toBe('f3a1')
  await server.close()
})

test('the server is read from the properties file that the console writes', () => {
  const address = 'https://mdm.example.com:10102'
  expect(hostOf(`# Address of the server.\nhost=${address}\n`)).toBe(address)
  expect(hostOf(`other=1\r\n host : ${address}\r\n`)).toBe(address)
  expect(hostOf(`host=https\\://mdm.example.com\\:10102`)).toBe(address)
  expect(hostOf('#host=http://nowhere:1\nhostname=x')).toBe(undefined)
})
