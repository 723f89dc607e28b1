import type { Language, PushTarget } from '@mdm/contract'
import { createInstance } from 'i18next'
import type { TFunction } from 'i18next'
import { expect, test } from 'vitest'
import { newDraft, usual_rollout } from './draft.ts'
import type { Draft } from './draft.ts'
import { cronOf } from './recurrence.ts'
import { texts as deviceEn } from '../../../shared/device/texts/en.ts'
import { texts as deviceVi } from '../../../shared/device/texts/vi.ts'
import { texts as deviceZh } from '../../../shared/device/texts/zh-cn.ts'
import { sentenceOf } from './sentence.ts'
import type { CheckedFacts } from './sentence.ts'
import { texts as en } from './texts/en.ts'
import { texts as vi } from './texts/vi.ts'
import { texts as zh } from './texts/zh-cn.ts'

const catalogues = {
  en: { 'push-task/wizard': en, device: deviceEn },
  vi: { 'push-task/wizard': vi, device: deviceVi },
  'zh-cn': { 'push-task/wizard': zh, device: deviceZh },
} as const
const zone = 'Asia/Ho_Chi_Minh'
const named: PushTarget = { kind: 'named', names: ['SN-1'], named: 1, is_narrowed: false }

const checked: CheckedFacts = {
  total: 1200,
  left_out: [],
  missing_count: 0,
  target: { kind: 'group', names: ['Retail', 'Dock B'], named: 0, is_narrowed: false },
  subject: null,
  from_versions: [],
}

async function said(draft: Draft, found: Partial<CheckedFacts>): Promise<Record<Language, string>> {
  const one = async (language: Language) => {
    const i18n = createInstance()
    await i18n.init({
      lng: language,
      lowerCaseLng: true,
      ns: ['push-task/wizard', 'device'],
      defaultNS: 'push-task/wizard',
      resources: { [language]: catalogues[language] },
      interpolation: { escapeValue: false },
    })
    return sentenceOf(
      draft,
      { ...checked, ...found },
      {
        t: i18n.t as unknown as TFunction<['push-task/wizard', 'device']>,
        language,
        zone,
      },
    )
  }
  return { en: await one('en'), vi: await one('vi'), 'zh-cn': await one('zh-cn') }
}

test('one sentence says what happens to how many devices, in three languages', async () => {
  const draft: Draft = {
    ...newDraft('restart', zone),
    start: 'at',
    start_at: '2026-11-24T15:00:00.000Z',
    window: { from: '22:00', to: '05:00' },
    rollout: usual_rollout,
  }
  expect(await said(draft, { left_out: [{ reason: 'offline', count: 14 }] })).toEqual({
    en: 'Restarts 1200 devices (group Retail / Dock B), from 2026/11/24 22:00 on, between 22:00 and 05:00 of each device’s own time, in 3 steps beginning with 60; 14 are left out.',
    vi: 'Khởi động lại 1200 thiết bị (nhóm Retail / Dock B), từ 2026/11/24 22:00, trong khoảng 22:00–05:00 theo giờ của từng thiết bị, theo 3 bước, bắt đầu với 60 thiết bị; 14 thiết bị bị loại ra.',
    'zh-cn':
      '重启 1200 台设备（分组 Retail / Dock B），2026/11/24 22:00 开始，在设备当地时间 22:00 至 05:00 之间，分 3 步，第一步 60 台；排除 14 台。',
  })
})

test('the sentence says only what the kind has, and of a recurring push when it runs', async () => {
  const draft: Draft = {
    ...newDraft('message', zone),
    values: { message: { title: 'Shift ends', text: 'Go home.' } },
    start: 'recurring',
    recurrence: { every: 'week', time: '17:30', weekdays: [1, 5], day: 1, cron: '' },
    // Chosen while it was another kind.
    network: 'wifi',
    prompt: 'force',
    after_install: 'restart',
    deadline_at: '2026-11-25T15:00:00.000Z',
  }
  expect(await said(draft, { total: 1, missing_count: 2, target: named })).toEqual({
    en: 'Sends the message “Shift ends” to 1 device (SN-1), every Monday and Friday at 17:30 (Asia/Ho_Chi_Minh); 2 SNs were not found.',
    vi: 'Gửi tin nhắn “Shift ends” đến 1 thiết bị (SN-1), Thứ Hai và Thứ Sáu hằng tuần lúc 17:30 (Asia/Ho_Chi_Minh); không tìm thấy 2 SN.',
    'zh-cn': '向 1 台设备（SN-1）发送消息“Shift ends”，每逢周一和周五 17:30（Asia/Ho_Chi_Minh）；2 个 SN 未找到。',
  })
})

test('a recurrence is the cron expression that it means', () => {
  const of = { time: '07:05', weekdays: [7, 1], day: 15, cron: ' 0  22 * * 1-5 ' } as const
  expect(cronOf({ ...of, every: 'day' })).toBe('5 7 * * *')
  expect(cronOf({ ...of, every: 'week' })).toBe('5 7 * * 0,1')
  expect(cronOf({ ...of, every: 'month' })).toBe('5 7 15 * *')
  expect(cronOf({ ...of, every: 'month', day: 'last' })).toBe('5 7 L * *')
  expect(cronOf({ ...of, every: 'free' })).toBe('0 22 * * 1-5')
})
