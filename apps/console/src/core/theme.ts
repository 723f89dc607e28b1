import type { Density, Theme } from './session-store.ts'

/**
 * The look, set once for light and dark. Colour carries state (good, warn, bad) and one accent: where you are and
 * the one primary action. Text and state colours are AA on `paper`, `raised` and their own soft ground.
 */
const light = {
  paper: '#faf9f6',
  side: '#f2f0eb',
  raised: '#ffffff',
  hover: '#f1efe9',
  line: '#e3dfd7',
  'line-strong': '#c9c4ba',
  ink: '#1c1a21',
  'ink-dim': '#625d69',
  'ink-faint': '#a39eaa',
  accent: '#5140cf',
  'accent-solid': '#5140cf',
  'accent-hover': '#6354dd',
  'accent-soft': '#eae7fb',
  'on-accent': '#ffffff',
  good: '#11683f',
  'good-soft': '#dff1e7',
  'good-mark': '#1f9d61',
  warn: '#84500a',
  'warn-soft': '#faedd3',
  'warn-mark': '#d9901a',
  bad: '#ac2018',
  'bad-soft': '#fbe5e2',
  'bad-mark': '#d5392f',
  'danger-solid': '#b3261e',
  'acting-ground': '#2c2456',
  'acting-ink': '#f1eeff',
}
export type Tokens = Record<keyof typeof light, string>

const dark: Tokens = {
  paper: '#141318',
  side: '#100f14',
  raised: '#1c1a21',
  hover: '#24222a',
  line: '#2d2a34',
  'line-strong': '#4a4653',
  ink: '#eceaf0',
  'ink-dim': '#a6a1b0',
  'ink-faint': '#6b6675',
  accent: '#ab9fff',
  'accent-solid': '#6252dc',
  'accent-hover': '#6d5ee4',
  'accent-soft': '#292349',
  'on-accent': '#ffffff',
  good: '#6fd6a3',
  'good-soft': '#15291f',
  'good-mark': '#3fbf83',
  warn: '#e8b45f',
  'warn-soft': '#2e2413',
  'warn-mark': '#e0a03a',
  bad: '#ff958c',
  'bad-soft': '#361b1a',
  'bad-mark': '#ef5a50',
  'danger-solid': '#c7382f',
  'acting-ground': '#3a2f7a',
  'acting-ink': '#f4f1ff',
}

export const tokensOf = { light, dark } as const
export const fontFamily =
  "'Hanken Grotesk', 'Noto Sans SC', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', system-ui, sans-serif"
/** Pixels of padding above and below a table cell; rows are 32 and 40 px high. */
export const cellPadding: Record<Density, number> = { compact: 5, comfortable: 9 }

export type Shade = 'light' | 'dark'
const prefersDark = () => matchMedia('(prefers-color-scheme: dark)')
export const shadeOf = (theme: Theme): Shade =>
  theme === 'system' ? (prefersDark().matches ? 'dark' : 'light') : theme

/** Calls back when the system turns from day to night. */
export function onSystemShade(changed: () => void): () => void {
  const media = prefersDark()
  media.addEventListener('change', changed)
  return () => media.removeEventListener('change', changed)
}

/** Puts the tokens on the document as CSS variables: `--ink`, `--accent-soft` ... */
export function applyLook(theme: Theme, density: Density): void {
  const shade = shadeOf(theme)
  const root = document.documentElement
  for (const [name, value] of Object.entries(tokensOf[shade])) root.style.setProperty(`--${name}`, value)
  root.style.colorScheme = shade
  root.style.setProperty('--font', fontFamily)
  root.dataset.shade = shade
  root.dataset.density = density
}
