import { expect, test } from 'vitest'
import { answersOf, isAsked, withAnswers } from './policy.ts'

const camera = 'android.permission.CAMERA'
const policy = {
  preset: 'deny' as const,
  exceptions: [
    { package: 'com.example.scan', permission: camera, answer: 'grant' as const },
    { package: 'com.example.scan', permission: 'android.permission.READ_SMS', answer: 'ask' as const },
    { package: 'com.example.pay', permission: camera, answer: 'grant' as const },
  ],
}

test('answers for one app replace its own and nobody else’s; the default is none', () => {
  expect(answersOf(policy, 'com.example.scan')).toEqual({ [camera]: 'grant', 'android.permission.READ_SMS': 'ask' })
  expect(withAnswers(policy, 'com.example.scan', { [camera]: 'default' })).toEqual({
    preset: 'deny',
    exceptions: policy.exceptions.slice(1),
  })
  expect(withAnswers(policy, 'com.example.scan', { [camera]: 'deny' }).exceptions).toContainEqual({
    package: 'com.example.scan',
    permission: camera,
    answer: 'deny',
  })
  expect(withAnswers(null, 'com.example.new', { [camera]: 'grant' })).toEqual({
    preset: 'ask',
    exceptions: [{ package: 'com.example.new', permission: camera, answer: 'grant' }],
  })
})

test('only what Android asks its user for is decided here', () => {
  expect([camera, 'android.permission.INTERNET', 'com.example.permission.CAMERA'].map(isAsked)).toEqual([
    true,
    false,
    false,
  ])
})
