import { expect, test } from 'vitest'
import { changes, changeText } from './changes.ts'
import type { ChangeName } from './changes.ts'
import { languages } from './wire.ts'

const holes = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()

test.each(Object.keys(changes) as ChangeName[])('%s is filled with the same in every language', (name) => {
  for (const language of languages) expect(holes(changes[name][language])).toEqual(holes(changes[name].en))
})

test('text is said as it is, a list by the names of its words', () => {
  expect(changeText('pushed', 'vi', { type: ['lock'], count: 3 })).toBe('đã đẩy đến 3 thiết bị: Khóa màn hình')
  expect(changeText('reset', 'zh-cn', { sections: ['collection', 'url_lists'] })).toBe('已重置数据采集、网址名单')
  expect(changeText('created', 'en', { name: '{name} $& lock' })).toBe('created {name} $& lock')
  expect(changeText('configured', 'en', { sections: ['gone' as never] })).toBe('configured gone')
})
