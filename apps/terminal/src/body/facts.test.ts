import { expect, test } from 'vitest'
import { factsOf } from './facts.ts'

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0'
const cases: [what: string, told: Parameters<typeof factsOf>[0], facts: ReturnType<typeof factsOf>][] = [
  [
    'Chrome that writes K for every model, and tells it when asked',
    {
      user_agent: `Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36`,
      hints: { model: 'SM-T510', platform: 'Android', platform_version: '14.0.0' },
      touch_points: 5,
    },
    { model: 'SM-T510', os_name: 'Android', os_version: '14.0.0', browser: 'Chrome 131' },
  ],
  [
    'Chrome over plain http, which tells nothing',
    { user_agent: `Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36`, touch_points: 5 },
    { model: 'Chrome 131', os_name: 'Android', os_version: '10', browser: 'Chrome 131' },
  ],
  [
    'an iPhone',
    {
      user_agent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      touch_points: 5,
    },
    { model: 'iPhone', os_name: 'iOS', os_version: '17.5', browser: 'Safari 17.5' },
  ],
  [
    'an iPad that says it is a Mac',
    {
      user_agent:
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
      touch_points: 5,
    },
    { model: 'iPad', os_name: 'iPadOS', os_version: '', browser: 'Safari 17.5' },
  ],
  [
    'Firefox for Android',
    { user_agent: 'Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0', touch_points: 5 },
    { model: 'Mobile', os_name: 'Android', os_version: '14', browser: 'Firefox 133' },
  ],
  [
    'something unheard of',
    { user_agent: 'Kiosk', touch_points: 0 },
    { model: 'Browser', os_name: 'Web', os_version: '', browser: 'Browser' },
  ],
]

test.each(cases)('%s', (_what, told, facts) => {
  expect(factsOf(told)).toEqual(facts)
})

test('what a browser says at length is cut to what the link takes', () => {
  const { model } = factsOf({ user_agent: '', hints: { model: 'x'.repeat(500) }, touch_points: 0 })
  expect(model).toHaveLength(64)
})
