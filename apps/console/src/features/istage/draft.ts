import type { FieldFault, IstageContent, IstageObject, IstageTypeName, IstageValue } from '@mdm/contract'
import { checkContent, faultOfName, initialObject } from '@mdm/contract/istage/index.ts'
import type { Matches, TemplateJson, TemplateModule } from '@mdm/contract/istage/index.ts'

/** A parameter that somebody names: while it is typed its name may be empty, or that of another. */
export type OwnParameter = { id: number; name: string; value: string }
export type EditedObject = { id: number; values: Record<string, IstageValue>; own: readonly OwnParameter[] }
export type Draft = {
  name: string
  description: string
  type: IstageTypeName | null
  template_kid: string | null
  /** The objects of the modules that are chosen. */
  modules: Readonly<Record<string, readonly EditedObject[]>>
}
export const emptyDraft: Draft = { name: '', description: '', type: null, template_kid: null, modules: {} }

let last_id = 0
export const newId = (): number => (last_id += 1)

/** A new object: defaults are filled in, and a switch is off where nothing else is said. */
export const newObject = (module: TemplateModule): EditedObject => ({
  id: newId(),
  values: {
    ...Object.fromEntries(module.fields.flatMap(({ kind, key }) => (kind === 'toggle' ? [[key, false]] : []))),
    ...initialObject(module),
  },
  own: [],
})

/** A content as it is edited: what is no field of the template is a parameter that somebody named. */
export const editedModules = ({ modules }: TemplateJson, content: IstageContent): Draft['modules'] =>
  Object.fromEntries(
    modules.flatMap(({ key, fields }) => {
      const objects = Object.hasOwn(content, key) ? content[key]! : undefined
      if (!objects) return []
      const isField = (name: string) => fields.some((field) => field.key === name)
      return [
        [
          key,
          objects.map((object) => ({
            id: newId(),
            values: Object.fromEntries(Object.entries(object).filter(([name]) => isField(name))),
            own: Object.entries(object)
              .filter(([name]) => !isField(name))
              .map(([name, value]) => ({ id: newId(), name, value: String(value) })),
          })),
        ],
      ]
    }),
  )

/** What is sent: parameters that are empty are left out, and so is what has no name yet. */
export function contentOf({ modules }: Draft, template: TemplateJson): IstageContent {
  const chosen = template.modules.filter(({ key }) => modules[key])
  return Object.fromEntries(chosen.map(({ key }) => [key, modules[key]!.map(objectOf)]))
}
const objectOf = ({ values, own }: EditedObject): IstageObject => ({
  ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
  ...Object.fromEntries(own.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), value]]))),
})

/** Dotted path -> fault: `module.object.field`, `module.object.own.<at>.name` or `….value`. */
export function faultsOf(draft: Draft, template: TemplateJson, matches: Matches): Record<string, FieldFault> {
  const faults = checkContent(template, contentOf(draft, template), matches)
  for (const module of template.modules) {
    const { key, fields, custom } = module
    for (const [at, { own }] of (draft.modules[key] ?? []).entries()) {
      const taken = new Set(fields.map((field) => field.key.toLowerCase()))
      for (const [of, { name }] of own.entries()) {
        const path = `${key}.${at}`
        const wrong = custom && faultOfName(custom, name.trim(), taken, matches)
        const said = faults[`${path}.${name.trim()}`]
        if (wrong) faults[`${path}.own.${of}.name`] = wrong
        else if (said) faults[`${path}.own.${of}.value`] = said
        taken.add(name.trim().toLowerCase())
      }
    }
  }
  return faults
}

export const wizardSteps = ['basics', 'modules', 'parameters', 'finish'] as const
export type WizardStep = (typeof wizardSteps)[number]

/** The furthest step that an address may open: what comes before it has to be there. */
export function stepOf(asked: string | null, draft: Draft, is_saved: boolean): WizardStep {
  const reach: WizardStep =
    draft.template_kid === null || draft.name.trim() === ''
      ? 'basics'
      : Object.keys(draft.modules).length === 0
        ? 'modules'
        : is_saved
          ? 'finish'
          : 'parameters'
  const step = wizardSteps.find((one) => one === asked) ?? 'basics'
  return wizardSteps.indexOf(step) <= wizardSteps.indexOf(reach) ? step : reach
}
