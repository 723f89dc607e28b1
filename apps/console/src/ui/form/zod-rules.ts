import { fieldFaultsOf, fieldMessage } from '@mdm/contract'
import type { FieldFault, Language } from '@mdm/contract'
import type { FormRule } from 'antd'
import i18next from 'i18next'
import type * as z from 'zod'

type Schema = z.ZodType & { shape?: Record<string, z.ZodType> }
const fieldOf = (schema: z.ZodType, name: string): z.ZodType => {
  const field = (schema as Schema).shape?.[name]
  if (!field) throw new Error(`the schema has no field ${name}`)
  return field
}

/** How long a text of the field may be; undefined where the schema does not limit it. */
export const longestOf = (schema: z.ZodType, name: string): number | undefined => longest(fieldOf(schema, name))
function longest(field: z.ZodType): number | undefined {
  const { maxLength, def } = field as unknown as {
    maxLength?: number | null
    def: { options?: z.ZodType[]; innerType?: z.ZodType; in?: z.ZodType }
  }
  const inner = [...(def.options ?? []), def.innerType ?? def.in].filter((each) => each !== undefined)
  return maxLength ?? inner.map(longest).find((each) => each !== undefined)
}

/**
 * Rules of a form field from the contract: `zodRules(api.terminalGroup.insert.input, 'name')`, or of a schema by
 * itself. What the server would refuse is said at the field, in the words that the server has for it.
 */
export function zodRules(schema: z.ZodType, name?: string): FormRule[] {
  const field = name === undefined ? schema : fieldOf(schema, name)
  const is_required = !field.safeParse(undefined).success && !field.safeParse('').success
  return [
    {
      required: is_required,
      validator: (_rule, value: unknown) => {
        if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
          return is_required ? Promise.reject(new Error(faultText({ name: 'required' }))) : Promise.resolve()
        }
        const { error } = field.safeParse(value)
        const fault = error && Object.values(fieldFaultsOf(error, value))[0]
        return fault ? Promise.reject(new Error(faultText(fault))) : Promise.resolve()
      },
    },
  ]
}

/** The pattern itself is for programs. */
export const faultText = ({ pattern: _, ...fault }: FieldFault): string =>
  fieldMessage(fault, i18next.language as Language)
