import { text } from '../wire.ts'
import type { Text } from '../wire.ts'

export type Entry = { result: number; status: number; message: Text }
export const entry = (result: number, status: number, en: string, vi: string, zh: string): Entry => ({
  result,
  status,
  message: text(en, vi, zh),
})
