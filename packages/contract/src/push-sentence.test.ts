import { expect, test } from 'vitest'
import { changeText } from './changes.ts'
import { filled } from './filled.ts'
import { pushDifferenceText, pushSentence, pushTexts, subjectOf, subjectOfPayload } from './push-sentence.ts'
import type { PushFacts } from './push-sentence.ts'
import { whereTexts } from './where-sentence.ts'
import { languages } from './wire.ts'

const zone = 'Asia/Ho_Chi_Minh'
const facts: PushFacts = {
  type: 'app_install',
  subject: subjectOf([
    { name: 'Scan', version: '2.1.0', package: 'com.acme.scan' },
    { name: 'Till', version: '1.0', package: 'till' },
  ]),
  from_versions: [],
  target: { kind: 'named', names: ['A1', 'A2', 'A3'], named: 5, is_narrowed: false },
  target_count: 5,
  start_at: '2026-11-24T15:00:00.000Z',
  window: null,
}
const said = (of: Partial<PushFacts>) => pushSentence({ ...facts, ...of }, { language: 'en', zone })

test('what was changed of a push is said part by part, in three languages, and nothing of what was not', () => {
  const after = { ...facts, start_at: null, window: { from: '22:00', to: '05:00' } }
  const difference = { before: facts, after, others: ['conditions', 'description'] as const }
  expect(languages.map((language) => changeText('push_changed', language, { difference }, zone))).toEqual([
    'start: 2026/11/24 22:00 → at once; time of day: any time → 22:00–05:00; changed: conditions, description',
    'bắt đầu: 2026/11/24 22:00 → ngay lập tức; khung giờ: bất kỳ lúc nào → 22:00–05:00; đã sửa: điều kiện, mô tả',
    '开始：2026/11/24 22:00 → 立即；时段：任何时间 → 22:00–05:00；已修改：条件、说明',
  ])
  expect(pushDifferenceText({ before: facts, after: facts, others: [] }, { language: 'en', zone })).toBe(
    'nothing changed',
  )
})

test('a push says what, to whom and when, in three languages and by the clock of the reader', () => {
  expect(languages.map((language) => pushSentence(facts, { language, zone }))).toEqual([
    'Installs Scan 2.1.0 (com.acme.scan) and Till 1.0 (till) on 5 devices (A1, A2, A3 and 2 more), from 2026/11/24 22:00 on.',
    'Cài Scan 2.1.0 (com.acme.scan) và Till 1.0 (till) trên 5 thiết bị (A1, A2, A3 và 2 thiết bị khác), từ 2026/11/24 22:00.',
    '在 5 台设备（A1、A2、A3 和 另外 2 台）上安装 Scan 2.1.0（com.acme.scan） 和 Till 1.0（till），2026/11/24 22:00 开始。',
  ])
})

test('an OS update says from which versions to which; of many the commonest', () => {
  const os = { type: 'os', subject: subjectOf([{ name: '9.2 (VER 3)' }]), target: null, start_at: null } as const
  expect(said({ ...os, target_count: 1 })).toBe('Updates the OS to 9.2 (VER 3) on 1 device.')
  expect(said({ ...os, from_versions: ['9.0', '9.1'] })).toBe(
    'Updates the OS from 9.0 and 9.1 to 9.2 (VER 3) on 5 devices.',
  )
  expect(said({ ...os, from_versions: ['5', '4', '3', '2', '1'] })).toContain('from 5, 4, 3, 2 and others to')
})

test('devices are said as they were meant', () => {
  const to = (target: PushFacts['target']) => said({ type: 'restart', start_at: null, target })
  const of = { names: [], named: 0, is_narrowed: false }
  expect(to({ ...of, kind: 'group', names: ['Retail', 'Dock B'] })).toBe('Restarts 5 devices (group Retail / Dock B).')
  expect(to({ ...of, kind: 'all', is_narrowed: true })).toBe(
    'Restarts 5 devices (all devices, only those that match a filter).',
  )
  expect(to({ ...of, kind: 'match', is_narrowed: true })).toBe('Restarts 5 devices (those that match a filter).')
  const conditions = {
    where: {
      all: [
        { field: 'model' as const, op: 'is_one_of' as const, value: ['m300', 'k1'] },
        { field: 'custom_field' as const, custom_field_kid: 'f', op: 'within' as const, value: 1 },
        { any: [{ field: 'terminal_group_kid' as const, op: 'is_within' as const, value: ['g', 'NO_GROUP'] }] },
      ],
    },
    names: { f: 'Bought', g: 'Depot' },
    dates: ['f'],
  }
  expect(to({ ...of, kind: 'match', is_narrowed: true, conditions })).toBe(
    'Restarts 5 devices (those where Model is one of m300, k1 and Bought is at most this far from today: 1 day and (Group is in Depot, No group)).',
  )
  expect(to({ ...of, kind: 'group', names: ['Depot'], is_narrowed: true, conditions })).toMatch(
    /^Restarts 5 devices \(group Depot, only those where Model is one of/,
  )
  expect(to({ ...of, kind: 'named', named: 5, file: 'tills.xlsx' })).toBe(
    'Restarts 5 devices (from the file tills.xlsx).',
  )
})

test('what a payload says itself is its subject, and more than three things are counted', () => {
  expect(subjectOfPayload('message', { title: 'Hi', text: 'there' }).things).toEqual([
    { name: 'Hi', version: '', package: '' },
  ])
  expect(subjectOfPayload('lock', {}).things).toEqual([])
  const uninstall = { type: 'app_uninstall', start_at: null, target: null } as const
  expect(said({ ...uninstall, subject: subjectOfPayload('app_uninstall', { packages: ['a', 'b', 'c', 'd'] }) })).toBe(
    'Removes a, b, c and 1 more from 5 devices.',
  )
})

test('every hole of a text is there in each language; names that look like holes stay', () => {
  const holes = (text: string) => new Set([...text.matchAll(/\{(\w+)/g)].map(([, name]) => name))
  for (const [name, text] of Object.entries({ ...pushTexts, ...whereTexts }))
    for (const language of languages) expect([name, holes(text[language])]).toEqual([name, holes(text.en)])
  expect(said({ subject: subjectOf([{ name: '{whom} $&' }]), target: null, start_at: null })).toBe(
    'Installs {whom} $& on 5 devices.',
  )
})

test('the operation log says a push by its sentence, and one device in the singular', () => {
  const push = { ...facts, start_at: null, target_count: 1, target: null }
  expect(changeText('push_made', 'en', { push }, zone)).toBe(
    'Installs Scan 2.1.0 (com.acme.scan) and Till 1.0 (till) on 1 device.',
  )
  expect(filled('{count} {count?device:devices}', { count: 1 })).toBe('1 device')
  expect(changeText('many_deregistered', 'en', { count: 1 })).toBe('1 device: deregistered')
  expect(changeText('many_deregistered', 'en', { count: 0 })).toBe('0 devices: deregistered')
})
