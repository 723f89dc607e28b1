import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha1 } from './sha1.ts'

test('equals the reference for every length around a block, and for any script', () => {
  for (let length = 0; length < 200; length++) {
    const text = 'aZ9!'.repeat(50).slice(0, length)
    expect(sha1(text)).toBe(createHash('sha1').update(text).digest('hex'))
  }
  for (const text of ['Mật khẩu 1!', '密码123!', '🙂'.repeat(40)]) {
    expect(sha1(text)).toBe(createHash('sha1').update(text, 'utf8').digest('hex'))
  }
})
