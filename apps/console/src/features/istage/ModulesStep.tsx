import { Checkbox, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { localized } from '@mdm/contract/istage/index.ts'
import type { TemplateJson } from '@mdm/contract/istage/index.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { newObject } from './draft.ts'
import type { Draft } from './draft.ts'

type Props = {
  draft: Draft
  template: TemplateJson | undefined
  fault: string | undefined
  onChange: (by: Partial<Draft>) => void
}
/** Which modules of the template the configuration sets. */
export function ModulesStep({ draft, template, fault, onChange }: Props) {
  const { t } = useTranslation('istage')
  const language = useSessionStore((s) => s.language)
  if (!template) return <Skeleton active />
  const choose = (key: string, is_chosen: boolean) => {
    const module = template.modules.find((one) => one.key === key)!
    const { [key]: _, ...rest } = draft.modules
    onChange({ modules: is_chosen ? { ...rest, [key]: [newObject(module)] } : rest })
  }
  return (
    <fieldset className="istage-modules" aria-describedby={fault === undefined ? undefined : 'istage-modules-fault'}>
      <legend>{t('modules.legend')}</legend>
      {template.modules.map(({ key, title, hint, fields, custom, max_objects }) => (
        <Checkbox
          key={key}
          className="istage-module"
          checked={Object.hasOwn(draft.modules, key)}
          onChange={(event) => choose(key, event.target.checked)}
        >
          <span className="istage-module-text">
            <strong dir="auto">{localized(title, language)}</strong>
            {hint && <span className="dim">{localized(hint, language)}</span>}
            <span className="dim">
              {t('modules.fields', { count: fields.length })}
              {max_objects > 1 && ` · ${t('modules.objects', { count: max_objects })}`}
              {custom && ` · ${t('modules.custom', { title: localized(custom.title, language) })}`}
            </span>
          </span>
        </Checkbox>
      ))}
      {fault !== undefined && (
        <p id="istage-modules-fault" className="istage-fault" role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
