import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

it('ws covers and uncovers frames by what node:http has', () => {
  const program = `
    const asked = []
    Object.assign(require('http'), { websocketMask: () => asked.push('mask'), websocketUnmask: () => asked.push('unmask') })
    const { Receiver, Sender } = require('ws')
    const frame = Sender.frame(Buffer.alloc(100), { mask: true, readOnly: true, fin: true, opcode: 2 })
    new Receiver({ isServer: true }).write(Buffer.concat(frame))
    console.log(asked.join())`
  const said = execFileSync(process.execPath, ['-e', program], { cwd: path('.'), encoding: 'utf8' })
  expect(said.trim()).toBe('mask,unmask')
})

it.each([
  ['./agent.ts', '#platform'],
  ['./platform/node.ts', '../frame-masks.ts'],
  ['../../server/src/assemble.ts', './lib/frame-masks.ts'],
])('%s has it before anything loads ws', (file, first) => {
  const imports = readFileSync(path(file), 'utf8').match(/^import .*$/gm)
  expect(imports?.[0]).toContain(`'${first}'`)
})
