import { expect, test } from 'vitest'
import { isPassword } from './password.ts'

test.each(['abc12!', 'Password-1', 'mật-khẩu-9x', 'a1!a1!a1!a1!a1!a1!'])('%s is taken', (text) =>
  expect(isPassword(text)).toBe(true),
)
test.each(['ab12!', 'abcdef', 'abc123', '123456!', 'abcdef!', 'abc 123', 'a1!a1!a1!a1!a1!a1!a'])('%s is not', (text) =>
  expect(isPassword(text)).toBe(false),
)
