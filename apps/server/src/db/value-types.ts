import { types } from 'pg'
import type { CustomTypesConfig } from 'pg'

const int8 = 20
const int8_array = 1016
const date = 1082

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`the bigint ${text} does not fit a JavaScript number`)
  return value
}

const parse_array = types.getTypeParser(1015 as number, 'text') as (text: string) => (string | null)[]

/**
 * What JavaScript sees: bigint as number (safe integers, else RangeError), timestamptz as Date, json and jsonb as
 * objects, date as 'YYYY-MM-DD' (it has no time zone), numeric as text (sums of bigint are numeric).
 */
export const value_types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format === 'binary') return types.getTypeParser(oid, 'binary')
    if (oid === int8) return safeInteger
    if (oid === int8_array) return (text: string) => parse_array(text).map((v) => (v === null ? null : safeInteger(v)))
    if (oid === date) return (text: string) => text
    return types.getTypeParser(oid, 'text')
  },
} as CustomTypesConfig
