import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { IstageValue } from '@mdm/contract'
import { localized } from '@mdm/contract/istage/index.ts'
import type { TemplateJson, TemplateModule } from '@mdm/contract/istage/index.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { requiredMark } from '../../ui/form/form.tsx'
import { newId, newObject } from './draft.ts'
import type { Draft, EditedObject, OwnParameter } from './draft.ts'
import { Parameter } from './Parameter.tsx'

type Fault = (path: string) => string | undefined
type Props = { draft: Draft; template: TemplateJson; fault: Fault; onChange: (by: Partial<Draft>) => void }
/** The objects of each module that was chosen, with the fields that its template declares. */
export function ParametersStep({ draft, template, fault, onChange }: Props) {
  const { t } = useTranslation('istage')
  const set = (key: string, objects: readonly EditedObject[]) =>
    onChange({ modules: { ...draft.modules, [key]: objects } })
  return (
    <Form layout="vertical" component="div" requiredMark={requiredMark}>
      {fault('') !== undefined && (
        <p className="istage-fault" role="alert">
          {fault('')}
        </p>
      )}
      {template.modules.map((module) => {
        const objects = draft.modules[module.key]
        return (
          objects && (
            <ModulePart
              key={module.key}
              module={module}
              objects={objects}
              fault={(path) => fault(path === '' ? module.key : `${module.key}.${path}`)}
              onChange={(changed) => set(module.key, changed)}
            />
          )
        )
      })}
      <p className="dim">{t('parameters.empty_hint')}</p>
    </Form>
  )
}

type ModuleProps = {
  module: TemplateModule
  objects: readonly EditedObject[]
  fault: Fault
  onChange: (objects: readonly EditedObject[]) => void
}
function ModulePart({ module, objects, fault, onChange }: ModuleProps) {
  const { t } = useTranslation('istage')
  const language = useSessionStore((s) => s.language)
  const title = localized(module.title, language)
  const change = (at: number, by: Partial<EditedObject>) =>
    onChange(objects.map((object, of) => (of === at ? { ...object, ...by } : object)))
  return (
    <section className="istage-part">
      <h2 dir="auto">{title}</h2>
      {module.hint && <p className="dim">{localized(module.hint, language)}</p>}
      {fault('') !== undefined && (
        <p className="istage-fault" role="alert">
          {fault('')}
        </p>
      )}
      {objects.map((object, at) => {
        const known = module.known_by === undefined ? undefined : object.values[module.known_by]
        const name =
          known === undefined || known === '' ? t('parameters.object', { title, number: at + 1 }) : String(known)
        return (
          <fieldset key={object.id} className="istage-object">
            {module.max_objects > 1 && (
              <legend>
                <span dir="auto">{name}</span>
                {objects.length > 1 && (
                  <Button
                    type="text"
                    size="small"
                    icon={<DeleteOutlined aria-hidden />}
                    aria-label={t('parameters.remove', { name })}
                    onClick={() => onChange(objects.filter((_, of) => of !== at))}
                  />
                )}
              </legend>
            )}
            {fault(String(at)) !== undefined && (
              <p className="istage-fault" role="alert">
                {fault(String(at))}
              </p>
            )}
            <div className="istage-fields">
              {module.fields.map((field) => (
                <Parameter
                  key={field.key}
                  id={`${module.key}-${object.id}-${field.key}`}
                  field={field}
                  value={object.values[field.key]}
                  fault={fault(`${at}.${field.key}`)}
                  onChange={(value) => change(at, { values: withValue(object.values, field.key, value) })}
                />
              ))}
            </div>
            {module.custom && (
              <OwnParameters
                id={`${module.key}-${object.id}`}
                title={localized(module.custom.title, language)}
                max={module.custom.max}
                max_length={module.custom.max_length}
                own={object.own}
                fault={(path) => fault(`${at}.own.${path}`)}
                onChange={(own) => change(at, { own })}
              />
            )}
          </fieldset>
        )
      })}
      {objects.length < module.max_objects && (
        <Button icon={<PlusOutlined aria-hidden />} onClick={() => onChange([...objects, newObject(module)])}>
          {t('parameters.add', { title })}
        </Button>
      )}
    </section>
  )
}

function withValue(values: EditedObject['values'], key: string, value: IstageValue | undefined) {
  const { [key]: _, ...rest } = values
  return value === undefined ? rest : { ...rest, [key]: value }
}

type OwnProps = {
  id: string
  title: string
  max: number
  max_length: number
  own: readonly OwnParameter[]
  fault: Fault
  onChange: (own: readonly OwnParameter[]) => void
}
/** Parameters that people name themselves. */
function OwnParameters({ id, title, max, max_length, own, fault, onChange }: OwnProps) {
  const { t } = useTranslation('istage')
  const change = (at: number, by: Partial<OwnParameter>) =>
    onChange(own.map((one, of) => (of === at ? { ...one, ...by } : one)))
  return (
    <div className="istage-own">
      {own.map(({ id: of, name, value }, at) => {
        const [name_fault, value_fault] = [fault(`${at}.name`), fault(`${at}.value`)]
        return (
          <div key={of} className="istage-own-row">
            <Form.Item
              label={t('own.name', { title })}
              htmlFor={`${id}-${of}-name`}
              required
              help={name_fault}
              {...(name_fault !== undefined && { validateStatus: 'error' })}
            >
              <Input
                id={`${id}-${of}-name`}
                autoComplete="off"
                maxLength={64}
                value={name}
                onChange={(event) => change(at, { name: event.target.value })}
              />
            </Form.Item>
            <Form.Item
              label={t('own.value')}
              htmlFor={`${id}-${of}-value`}
              required
              help={value_fault}
              {...(value_fault !== undefined && { validateStatus: 'error' })}
            >
              <Input
                id={`${id}-${of}-value`}
                autoComplete="off"
                maxLength={max_length}
                value={value}
                onChange={(event) => change(at, { value: event.target.value })}
              />
            </Form.Item>
            <Button
              type="text"
              icon={<DeleteOutlined aria-hidden />}
              aria-label={t('parameters.remove', { name: name || `${title} ${at + 1}` })}
              onClick={() => onChange(own.filter((_, one) => one !== at))}
            />
          </div>
        )
      })}
      {own.length < max && (
        <Button
          type="dashed"
          size="small"
          icon={<PlusOutlined aria-hidden />}
          onClick={() => onChange([...own, { id: newId(), name: '', value: '' }])}
        >
          {t('parameters.add', { title })}
        </Button>
      )}
    </div>
  )
}
