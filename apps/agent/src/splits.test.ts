import { expect, test } from 'vitest'
import { TaskFailure } from './body/body.ts'
import { chooseSplits } from './splits.ts'

const splits = [
  { file: 'base.apk', is_base: true },
  { file: 'maps.apk' },
  { file: 'config.arm64_v8a.apk', abi: 'arm64-v8a' },
  { file: 'config.armeabi_v7a.apk', abi: 'armeabi-v7a' },
  { file: 'config.mdpi.apk', density: 'mdpi' as const },
  { file: 'config.xhdpi.apk', density: 'xhdpi' as const },
  { file: 'config.vi.apk', language: 'vi' },
  { file: 'config.in.apk', language: 'in' },
  { file: 'config.zh.apk', language: 'zh' },
]
const phone = { abis: ['arm64-v8a', 'armeabi-v7a'], density: 240, languages: ['vi', 'id'] }
const names = (device: typeof phone) => chooseSplits(splits, device, 'Maps').map(({ file }) => file)

test('a device installs the base, the features, its best ABI, the nearest density and its languages', () => {
  expect(names(phone)).toEqual([
    'base.apk',
    'maps.apk',
    'config.arm64_v8a.apk',
    'config.xhdpi.apk',
    'config.vi.apk',
    'config.in.apk',
  ])
  expect(names({ abis: ['armeabi-v7a'], density: 640, languages: ['de'] })).toEqual([
    'base.apk',
    'maps.apk',
    'config.armeabi_v7a.apk',
    'config.xhdpi.apk',
  ])
})

test('a device of no ABI of the package installs nothing', () => {
  expect(() => names({ ...phone, abis: ['x86_64'] })).toThrow(TaskFailure)
})
