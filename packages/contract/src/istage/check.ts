import type { FieldFault } from '../field_faults.ts'
import { fileInValue } from './content.ts'
import type { IstageContent, IstageObject, IstageValue } from './content.ts'
import { hasControls, isWellFormed, reservedKeys } from './limits.ts'
import type { TemplateField, TemplateJson, TemplateModule } from './template.ts'

/** Whether all of a text matches a pattern of the template. The engine must need time that is linear in the text. */
export type Matches = (pattern: string, value: string) => boolean
/** Dotted path (`module.object.parameter`) -> what is wrong there. */
export type ContentFaults = Record<string, FieldFault>

/** The faults of a content by its template; none where it may be completed. */
export function checkContent(template: TemplateJson, content: IstageContent, matches: Matches): ContentFaults {
  const faults: ContentFaults = {}
  const modules = new Map(template.modules.map((module) => [module.key, module]))
  const chosen = Object.entries(content)
  if (!chosen.some(([, objects]) => objects.length > 0)) faults[''] = { name: 'custom_item_needed' }
  for (const [key, objects] of chosen) {
    const module = modules.get(key)
    if (!module) {
      faults[key] = { name: 'keys_unknown', details: { keys: key } }
      continue
    }
    if (objects.length === 0) faults[key] = { name: 'custom_item_needed' }
    if (objects.length > module.max_objects)
      faults[key] = { name: 'items_exceeded', details: { max: module.max_objects } }
    objects.slice(0, module.max_objects).forEach((object, at) => {
      for (const [name, fault] of Object.entries(checkObject(module, object, matches)))
        faults[name === '' ? `${key}.${at}` : `${key}.${at}.${name}`] = fault
    })
  }
  return faults
}

/** The faults of one object by its parameters; those of the object as a whole stand under the empty name. */
export function checkObject(module: TemplateModule, object: IstageObject, matches: Matches): ContentFaults {
  const faults: ContentFaults = {}
  const names = Object.keys(object)
  if (names.length === 0) faults[''] = { name: 'parameter_needed' }
  if (names.length > module.max_items) faults[''] = { name: 'items_exceeded', details: { max: module.max_items } }
  for (const field of module.fields) {
    const value = Object.hasOwn(object, field.key) ? object[field.key] : undefined
    const fault = faultOfValue(field, value, matches)
    if (fault) faults[field.key] = fault
  }
  const own = names.filter((name) => !module.fields.some(({ key }) => key === name))
  const { custom } = module
  if (own.length > (custom?.max ?? 0) && custom) faults[''] = { name: 'items_exceeded', details: { max: custom.max } }
  const taken = new Set(module.fields.map(({ key }) => key.toLowerCase()))
  for (const name of own) {
    const fault = custom
      ? faultOfOwn(custom, name, object[name]!, taken, matches)
      : ({ name: 'keys_unknown', details: { keys: name } } as const)
    if (fault) faults[name] = fault
    taken.add(name.trim().toLowerCase())
  }
  return faults
}

/** What is wrong with the name of a parameter that somebody named. */
export function faultOfName(
  { name_pattern }: NonNullable<TemplateModule['custom']>,
  name: string,
  taken: ReadonlySet<string>,
  matches: Matches,
): FieldFault | undefined {
  if (name.trim() === '') return { name: 'column_name' }
  if (name.length > 64) return { name: 'too_long', details: { max: 64 } }
  if (name !== name.trim() || hasControls(name) || name.includes('\n') || reservedKeys.includes(name))
    return { name: 'parameter_name' }
  if (taken.has(name.toLowerCase())) return { name: 'parameter_repeated' }
  if (name_pattern !== undefined && !matches(name_pattern, name))
    return { name: 'template_pattern', pattern: name_pattern }
  return undefined
}

function faultOfOwn(
  custom: NonNullable<TemplateModule['custom']>,
  name: string,
  value: IstageValue,
  taken: ReadonlySet<string>,
  matches: Matches,
): FieldFault | undefined {
  const fault = faultOfName(custom, name, taken, matches)
  if (fault) return fault
  if (typeof value !== 'string') return { name: 'not_text' }
  if (value === '') return { name: 'required' }
  return faultOfText({ ...custom, min_length: 0, is_multiline: false }, value, matches)
}

type TextRules = { min_length: number; max_length: number; pattern?: string | undefined; is_multiline?: boolean }
function faultOfText(
  { min_length, max_length, pattern, is_multiline = false }: TextRules,
  value: string,
  matches: Matches,
): FieldFault | undefined {
  if (value.length < min_length) return { name: 'too_short', details: { min: min_length } }
  if (value.length > max_length) return { name: 'too_long', details: { max: max_length } }
  if (hasControls(value) || !isWellFormed(value) || (!is_multiline && value.includes('\n')))
    return { name: 'control_character' }
  if (pattern !== undefined && !matches(pattern, value)) return { name: 'template_pattern', pattern }
  return undefined
}

/** What is wrong with the value of a field, or with there being none. */
export function faultOfValue(
  field: TemplateField,
  value: IstageValue | undefined,
  matches: Matches,
): FieldFault | undefined {
  if (field.kind !== 'file' && field.is_fixed && value !== field.default) return { name: 'default_fixed' }
  if (value === undefined || value === '') return field.is_required ? { name: 'required' } : undefined
  switch (field.kind) {
    case 'text':
    case 'secret':
      return typeof value === 'string' ? faultOfText(field, value, matches) : { name: 'not_text' }
    case 'number':
      if (typeof value !== 'number') return { name: 'not_number' }
      if (field.is_whole && !Number.isSafeInteger(value)) return { name: 'not_whole_number' }
      if (value < field.min) return { name: 'too_small', details: { min: field.min } }
      return value > field.max ? { name: 'too_big', details: { max: field.max } } : undefined
    case 'toggle':
      return typeof value === 'boolean' ? undefined : { name: 'not_yes_or_no' }
    case 'choice':
      return field.options.some((option) => option.value === value)
        ? undefined
        : { name: 'not_one_of', details: { values: field.options.map((option) => option.value).join(', ') } }
    case 'file': {
      const file = fileInValue(value)
      if (!file) return { name: 'not_file' }
      if (file.bytes > field.max_bytes) return { name: 'bytes_too_many', details: { max: field.max_bytes } }
      const extension = file.name.split('.').at(-1)!.toLowerCase()
      return field.extensions && !(file.name.includes('.') && field.extensions.includes(extension))
        ? { name: 'file_extension', details: { values: field.extensions.map((one) => `.${one}`).join(', ') } }
        : undefined
    }
  }
}

/** What a new object of a module begins with. */
export const initialObject = ({ fields }: TemplateModule): IstageObject =>
  Object.fromEntries(
    fields.flatMap((field) =>
      field.kind !== 'file' && field.default !== undefined ? [[field.key, field.default]] : [],
    ),
  )
