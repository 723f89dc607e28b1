import { expect, test } from 'vitest'
import { languageOf } from './language.ts'

test.each([
  [['vi-VN', 'en'], 'vi'],
  [['zh-Hant-TW'], 'zh-cn'],
  [['fr-FR', 'vi'], 'vi'],
  [['fr-FR'], 'en'],
  [['vi_VN', 'en-GB'], 'vi'],
  [[], 'en'],
])('%j is shown in %s', (wanted, language) => {
  expect(languageOf(wanted)).toBe(language)
})
