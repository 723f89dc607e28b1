import { describe, expect, it } from 'vitest'
import {
  assertPassword,
  clientHash,
  hashPassword,
  passwordProblems,
  randomPassword,
  verifyPassword,
} from './passwords.ts'

describe('passwords', () => {
  it('takes the right one and no other', async () => {
    const stored = await hashPassword(clientHash('Secret-1'))
    expect(stored).toMatch(/^scrypt\$15\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await verifyPassword(clientHash('Secret-1'), stored)).toEqual({ is_right: true, is_outdated: false })
    expect((await verifyPassword(clientHash('Secret-2'), stored)).is_right).toBe(false)
    expect(await hashPassword(clientHash('Secret-1'))).not.toBe(stored)
  })

  it('has no password for a user who does not exist or whose hash is not one', async () => {
    expect((await verifyPassword(clientHash('x'), undefined)).is_right).toBe(false)
    expect((await verifyPassword('', 'plain')).is_right).toBe(false)
  })

  it('still takes a hash of other parameters and says that it is outdated', async () => {
    // scrypt('abc', 16 zero bytes, 32, { N: 2 ** 10, r: 8, p: 1 })
    const { scryptSync } = await import('node:crypto')
    const salt = Buffer.alloc(16)
    const hash = scryptSync('abc', salt, 32, { N: 1024, r: 8, p: 1 })
    const stored = `scrypt$10$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
    expect(await verifyPassword('abc', stored)).toEqual({ is_right: true, is_outdated: true })
  })

  it.each([
    ['Abc12!', true],
    ['Mật-khẩu-1', true],
    ['Ab1!x', false],
    ['Abcdefghijklmno12!x', false],
    ['abcdef!', false],
    ['123456!', false],
    ['abc12345', false],
    ['abc 123', false],
  ])('%s is a password: %s', (plain, is_good) => {
    expect(passwordProblems(plain).length === 0).toBe(is_good)
  })

  it('may not be nothing or the login name, in any case', () => {
    for (const plain of ['', 'Admin', 'admin', 'ADMIN'])
      expect(() => assertPassword(clientHash(plain), 'Admin')).toThrow('bad_input')
    expect(() => assertPassword(clientHash('Admin-2026!'), 'Admin')).not.toThrow()
  })

  it('makes random ones by the rule', () => {
    const made = Array.from({ length: 50 }, randomPassword)
    expect(made.flatMap(passwordProblems)).toEqual([])
    expect(new Set(made).size).toBe(50)
  })
})
