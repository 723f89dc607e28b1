import type * as z from 'zod'
import { fieldFaults, pattern_words } from './field_faults.ts'
import type { FieldFault, FieldFaultName } from './field_faults.ts'

/** More than anybody reads; a list may have a fault in each of its thousands of places. */
const faults_max = 200

/** Dotted path -> what is wrong there, the first fault of each field. `input` is what was parsed. */
export function fieldFaultsOf(error: z.core.$ZodError, input: unknown): Record<string, FieldFault> {
  const found: Record<string, FieldFault> = {}
  for (const issue of error.issues.slice(0, faults_max)) {
    const { path, issue: told } = withinUnion(issue, [])
    found[path.join('.')] ??= faultOf(told, path.reduce(valueOf, input))
  }
  return found
}
const valueOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined

type Issue = z.core.$ZodIssue
/** Of the shapes that a value may have, the one it was meant to have: the first of its type. */
function withinUnion(issue: Issue, above: PropertyKey[]): { issue: Issue; path: PropertyKey[] } {
  const path = [...above, ...issue.path]
  if (issue.code !== 'invalid_union') return { issue, path }
  const meant = issue.errors.find(
    ([first]) => first && (first.path.length > 0 || !['invalid_type', 'invalid_value'].includes(first.code)),
  )
  return meant?.[0] ? withinUnion(meant[0], path) : { issue, path }
}

const is_known = (name: string): name is FieldFaultName => Object.hasOwn(fieldFaults, name)

function faultOf(issue: Issue, value: unknown): FieldFault {
  switch (issue.code) {
    case 'custom':
      return customFault(issue)
    case 'invalid_type':
      return value === undefined || value === null
        ? { name: 'required' }
        : { name: wrongTypes[issue.expected] ?? 'invalid' }
    case 'invalid_value':
      if (value === undefined || value === null || value === '') return { name: 'required' }
      return { name: 'not_one_of', details: { values: issue.values.map(String).join(', ') } }
    case 'invalid_union':
      return { name: value === undefined || value === null || value === '' ? 'required' : 'invalid' }
    case 'unrecognized_keys':
      return { name: 'keys_unknown', details: { keys: issue.keys.join(', ') } }
    case 'not_multiple_of':
      return { name: 'not_multiple', details: { of: Number(issue.divisor) } }
    case 'too_small':
      return tooSmall(issue, value)
    case 'too_big':
      return tooBig(issue)
    case 'invalid_format':
      return formatFault(issue, value)
    default:
      return { name: 'invalid' }
  }
}

const wrongTypes: Partial<Record<string, FieldFaultName>> = {
  string: 'not_text',
  number: 'not_number',
  int: 'not_whole_number',
  boolean: 'not_yes_or_no',
  array: 'not_list',
  object: 'not_object',
  record: 'not_object',
  date: 'not_date_time',
  undefined: 'not_empty',
  never: 'not_empty',
}

function customFault(issue: z.core.$ZodIssueCustom): FieldFault {
  const [name = '', pattern] = issue.message.split(`: ${pattern_words} `)
  if (!is_known(name)) return { name: 'invalid' }
  const details = issue.params as FieldFault['details']
  return { name, ...(details && { details }), ...(pattern !== undefined && { pattern }) }
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, value: unknown): FieldFault {
  const details = { min: Number(issue.minimum) }
  if (issue.origin === 'string') {
    if (issue.exact) return { name: 'not_length', details }
    // What is blank after trimming is not there.
    return details.min === 1 || value === '' ? { name: 'required' } : { name: 'too_short', details }
  }
  if (is_list(issue.origin)) return { name: 'too_few', details }
  return { name: issue.inclusive === false ? 'not_above' : 'too_small', details }
}
function tooBig(issue: z.core.$ZodIssueTooBig): FieldFault {
  const max = Number(issue.maximum)
  if (issue.origin === 'string')
    return issue.exact ? { name: 'not_length', details: { min: max } } : { name: 'too_long', details: { max } }
  if (is_list(issue.origin)) return { name: 'too_many', details: { max } }
  return { name: issue.inclusive === false ? 'not_below' : 'too_big', details: { max } }
}
const is_list = (origin: string): boolean => ['array', 'set', 'map', 'object', 'record', 'file'].includes(origin)

const wrongFormats: Partial<Record<string, FieldFaultName>> = {
  email: 'not_email',
  url: 'not_url',
  uuid: 'not_kid',
  date: 'not_date',
  datetime: 'not_date_time',
  safeint: 'not_whole_number',
}
function formatFault(issue: z.core.$ZodIssueInvalidStringFormat, value: unknown): FieldFault {
  if (issue.format !== 'regex') {
    return { name: value === '' ? 'required' : (wrongFormats[issue.format] ?? 'invalid') }
  }
  const [name = '', pattern] = issue.message.split(`: ${pattern_words} `)
  if (pattern !== undefined && is_known(name)) return { name, pattern }
  return { name: 'illegal_character', pattern: issue.pattern ?? '' }
}
