import type { FormRule } from 'antd'
import type * as z from 'zod'
import { say } from '../i18n/say.ts'

type Schema = z.ZodType & { shape?: Record<string, z.ZodType> }

/**
 * Rules of a form field from the contract: `zodRules(api.terminalGroup.insert.input, 'name')`, or of a schema by
 * itself. What the server would refuse is said at the field, in the person's language.
 */
export function zodRules(schema: z.ZodType, name?: string): FormRule[] {
  const field = name === undefined ? schema : (schema as Schema).shape?.[name]
  if (!field) throw new Error(`the schema has no field ${name}`)
  const is_required = !field.safeParse(undefined).success && !field.safeParse('').success
  return [
    {
      required: is_required,
      validator: (_rule, value: unknown) => {
        if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
          return is_required ? Promise.reject(new Error(say('common:invalid.required'))) : Promise.resolve()
        }
        const issue = field.safeParse(value).error?.issues[0]
        return issue ? Promise.reject(new Error(issueText(issue))) : Promise.resolve()
      },
    },
  ]
}

export function issueText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return say('common:invalid.too_short', { min: Number(issue.minimum) })
      if (issue.origin === 'array') return say('common:invalid.too_few', { min: Number(issue.minimum) })
      return say('common:invalid.too_small', { min: Number(issue.minimum) })
    case 'too_big':
      if (issue.origin === 'string') return say('common:invalid.too_long', { max: Number(issue.maximum) })
      if (issue.origin === 'array') return say('common:invalid.too_many', { max: Number(issue.maximum) })
      return say('common:invalid.too_big', { max: Number(issue.maximum) })
    case 'invalid_format':
      return say(issue.format === 'email' ? 'common:invalid.email' : 'common:invalid.pattern')
    default:
      return say('common:invalid.other')
  }
}
