import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tokensOf } from './theme.ts'
import type { Tokens } from './theme.ts'

type Token = keyof Tokens
const source = join(import.meta.dirname, '..')
const sheets = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => readFileSync(join(source, path), 'utf8'))

/** Words are written in these colours, on any ground that there is. */
const inks: Token[] = ['ink', 'ink-dim', 'accent', 'good', 'warn', 'bad']
const grounds: Token[] = [
  'paper',
  'side',
  'raised',
  'hover',
  'line',
  'accent-soft',
  'good-soft',
  'warn-soft',
  'bad-soft',
]
/** Colours that are written with on one ground only. */
const pairs: [ink: Token, ground: Token][] = [
  ['on-accent', 'accent-solid'],
  ['on-accent', 'accent-hover'],
  ['on-accent', 'danger-solid'],
  ['acting-ink', 'acting-ground'],
  ['acting-ground', 'acting-ink'],
  ['paper', 'ink-dim'],
]
const written = [...inks.flatMap((ink) => grounds.map((ground) => [ink, ground] as const)), ...pairs]

/** AA for text of the size that the console writes in. */
const aa = 4.5
/** Relative luminance and contrast as WCAG 2.1 defines them. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

type Rule = { selector: string; colour: string; ground: string | undefined }
const plain = (value: string) => value.replace(/\s*!important$/, '').replace(/^var\(--([\w-]+)\)$/, '$1')
/** Every rule of the style sheets that says in which colour to write, with the ground that it lays under it. */
const rules: Rule[] = sheets.flatMap((sheet) =>
  [...sheet.replaceAll(/\/\*[^]*?\*\//g, '').matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors, body]) => {
    const said = (name: string) => new RegExp(`(?:^|[\\s;])(?:${name}):\\s*([^;]+);`).exec(body!)?.[1]
    const colour = said('color|--tone')
    const ground = said('background|background-color|--ground')
    if (!colour || plain(colour) === 'inherit') return []
    const selector = selectors!.trim().replaceAll(/\s+/g, ' ')
    return [{ selector, colour: plain(colour), ground: ground && plain(ground) }]
  }),
)
const through = ['none', 'transparent', undefined]
const isWritten = ({ colour, ground }: Rule) =>
  through.includes(ground)
    ? inks.includes(colour as Token)
    : written.some(([ink, under]) => ink === colour && under === ground)

/** What is no word (signs, what is switched off), lies on a picture, or is printed. */
const no_words = [
  ".ant-btn[aria-disabled='true'], .ant-btn[aria-disabled='true']:hover, .ant-btn[aria-disabled='true']:active ink-faint on hover",
  '.battery > svg line-strong on ?',
  '.breadcrumb li:not(:last-child)::after ink-faint on ?',
  '.device-path li + li::before ink-faint on ?',
  '.folder-bar li + li::before ink-faint on ?',
  '.map-view .leaflet-bar a.leaflet-disabled ink-faint on ?',
  ".notice[data-tone='fail'] bad-mark on ?",
  ".notice[data-tone='ok'] good-mark on ?",
  '.puzzle-again #fff on rgb(20 18 26 / 60%)',
  '.puzzle-again:hover #fff on rgb(20 18 26 / 85%)',
  '.qr-done .anticon-check-circle good-mark on ?',
  '.required::after bad-mark on ?',
  'body:has(.qr-sheet) .qr-sheet, body:has(.qr-sheet) .qr-sheet * #000 on ?',
  '.staging-print #000 on #fff',
  'body:has(.recovery) .recovery, body:has(.recovery) .recovery * #000 on ?',
]
/** Words whose ground another rule lays, or none of the tokens: what is under them was looked at by hand. */
const elsewhere = [
  // The button of the bar for an operator who acts for a customer is light in both shades.
  '.acting .ant-btn #241d47 on acting-ink',
  '.files-drop accent on color-mix(in srgb, var(--accent-soft) 88%, transparent)',
  // Only marks of many have a number: on accent-solid, or quiet ones on ink-dim.
  '.map-mark on-accent on ?',
  // Both are set together, by the state; the rules that set them are among those looked at.
  '.state-badge tone on ground',
]

test.each(Object.entries(tokensOf))('every colour of words can be read on every ground, %s', (_, tokens) => {
  const low = written.filter(([ink, ground]) => contrast(tokens[ink], tokens[ground]) < aa)
  expect(low.map((pair) => pair.join(' on '))).toEqual([])
})

test('contrast is what WCAG says it is', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

test('style sheets write in these colours on these grounds only', () => {
  const others = rules.filter((rule) => !isWritten(rule))
  const named = others.map(({ selector, colour, ground }) => `${selector} ${colour} on ${ground ?? '?'}`)
  expect(named.toSorted()).toEqual([...no_words, ...elsewhere].toSorted())
})
