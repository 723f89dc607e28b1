import { appSettingLimits as limits } from '@mdm/contract'
import type { AppSetting, Language } from '@mdm/contract'
import type { Value } from './chunks.ts'
import { line } from './line.ts'
import type { Found, Resources } from './resources.ts'
import { invalid } from './source.ts'
import { attributes as ids, elementsIn, numberOf } from './xml.ts'
import type { Element } from './xml.ts'

/** What Android's RestrictionEntry knows; what is hidden from users can be set as well. */
const kinds: Record<number, AppSetting['kind']> = {
  0: 'text',
  1: 'yes_no',
  2: 'choice',
  4: 'several',
  5: 'number',
  6: 'text',
  7: 'nested',
  8: 'nested',
}
const by_name: Record<string, AppSetting['kind']> = {
  hidden: 'text',
  bool: 'yes_no',
  choice: 'choice',
  'multi-select': 'several',
  integer: 'number',
  string: 'text',
  bundle: 'nested',
  bundle_array: 'nested',
}
const boolean_type = 0x12
/** As a configuration takes them: printable, without blanks. */
const key_shape = /^[\x21-\x7E]+$/
type Words = AppSetting['title']
type Given = string | Value | undefined

/**
 * What can be set of a program from outside, as its own file of restrictions has it (Android: RestrictionsManager). A setting
 * without a key that can be sent is left out; one whose kind is not known counts as `nested`. Throws ApkError.
 */
export function readRestrictions(bytes: Buffer, resources: Resources): AppSetting[] {
  const settings = new Map<string, AppSetting>()
  for (const { depth, read } of elementsIn(bytes)) {
    if (depth === 1 && read().name !== 'restrictions') throw invalid('no restrictions')
    // What is deeper belongs to a setting that has others in it.
    if (depth !== 2) continue
    const setting = settingOf(read(), resources)
    if (setting && !settings.has(setting.key)) settings.set(setting.key, setting)
    if (settings.size >= limits.settings) break
  }
  return [...settings.values()]
}

function settingOf({ name, attribute }: Element, resources: Resources): AppSetting | undefined {
  if (name !== 'restriction') return undefined
  const key = textOf(attribute(ids.key), resources)
  if (!key || key.length > limits.key || !key_shape.test(key)) return undefined
  const type = attribute(ids.restriction_type)
  const kind = (typeof type === 'string' ? by_name[type] : kinds[numberOf(type) ?? -1]) ?? 'nested'
  const options = kind === 'choice' || kind === 'several' ? optionsOf(attribute, resources) : []
  const can_be_sent = options.every(({ value }) => kind !== 'several' || !value.includes(','))
  const title = wordsOf(attribute(ids.title), resources, limits.title) ?? same(key)
  const description = wordsOf(attribute(ids.description), resources, limits.description)
  return {
    key,
    kind: can_be_sent ? kind : 'nested',
    title,
    description,
    preset: can_be_sent ? presetOf(kind, attribute(ids.default_value), resources) : null,
    options,
  }
}

function optionsOf(attribute: Element['attribute'], resources: Resources): AppSetting['options'] {
  const values = listOf(attribute(ids.entry_values), resources)
  const titles = attribute(ids.entries)
  const lists = typeof titles === 'object' ? resources.lists(titles) : []
  const known = new Set<string>()
  return values.slice(0, limits.options).flatMap((value, at) => {
    // What cannot be written as it is cannot be chosen.
    if (line(value, limits.value) !== value || known.has(value)) return []
    known.add(value)
    const found = lists.flatMap(({ values: of, ...meant }) => {
      const text = of[at] && textOf(of[at], resources)
      return text ? [{ ...meant, text }] : []
    })
    return [{ value, title: inLanguages(found, limits.title) ?? same(value.slice(0, limits.title)) }]
  })
}

/** As a configuration has it. Null where there is none, or none that can be written there. */
function presetOf(kind: AppSetting['kind'], given: Given, resources: Resources): string | null {
  if (given === undefined || kind === 'nested') return null
  if (kind === 'several') return line(listOf(given, resources).join(','), limits.value)
  const value = typeof given === 'string' ? given : resources.value(given)
  if (kind === 'yes_no') {
    const is_on = typeof value === 'object' ? value.type === boolean_type && value.data !== 0 : value === 'true'
    return String(is_on)
  }
  const number = numberOf(value)
  if (number !== undefined) return String(number | 0)
  const text = typeof value === 'object' ? textOf(value, resources) : value
  return line(text ?? null, limits.value)
}

const listOf = (given: Given, resources: Resources): string[] =>
  (typeof given === 'object' ? (resources.lists(given)[0]?.values ?? []) : []).map(
    (value) => textOf(value, resources) ?? '',
  )

/** What is meant for programs rather than people is not translated: the default of it. */
function textOf(given: Given, resources: Resources): string | undefined {
  if (typeof given !== 'object') return given
  const found = resources.texts(given)
  const number = numberOf(resources.value(given))
  return (
    resources.text(given) ?? (found.find(({ language }) => language === '') ?? found[0])?.text ?? number?.toString()
  )
}

function wordsOf(given: Given, resources: Resources, max: number): Words | null {
  if (typeof given === 'object') return inLanguages(resources.texts(given), max)
  const text = line(given ?? null, max)
  return text === null ? null : same(text)
}

const same = (text: string): Words => ({ en: text, vi: text, 'zh-cn': text })

/** Of all that a program has, what our readers are told: their own language, else English, else the program's. */
function inLanguages(found: readonly Found[], max: number): Words | null {
  const of = (language: string, countries: readonly string[] = []) =>
    found.find((one) => one.language === language && (countries.length === 0 || countries.includes(one.country)))?.text
  const own = line(of('en') ?? of('') ?? found[0]?.text ?? null, max)
  if (own === null) return null
  const said: Record<Language, string | undefined> = { en: own, vi: of('vi'), 'zh-cn': of('zh', ['', 'CN']) }
  const or = (text: string | undefined) => line(text ?? null, max) ?? own
  return { en: own, vi: or(said.vi), 'zh-cn': or(said['zh-cn']) }
}
