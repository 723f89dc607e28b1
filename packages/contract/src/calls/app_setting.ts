import * as z from 'zod'
import { languages } from '../wire.ts'
import type { Language } from '../wire.ts'

/** What an app lets be set from outside. `nested`: settings within settings, which a configuration does not carry. */
export const appSettingKinds = ['text', 'yes_no', 'number', 'choice', 'several', 'nested'] as const
export const appSettingLimits = {
  settings: 200,
  options: 100,
  key: 100,
  value: 1000,
  title: 120,
  description: 400,
} as const

const Words = z
  .object(Object.fromEntries(languages.map((language) => [language, z.string()])) as Record<Language, z.ZodString>)
  .describe('in the languages of the app where it has them, else in its own')
export const AppSetting = z.object({
  key: z.string(),
  kind: z.enum(appSettingKinds),
  title: Words,
  description: Words.nullable(),
  preset: z.string().nullable().describe('what holds while nothing is set; several: by commas'),
  options: z.array(z.object({ value: z.string(), title: Words })).describe('of a choice'),
})
export type AppSetting = z.output<typeof AppSetting>
