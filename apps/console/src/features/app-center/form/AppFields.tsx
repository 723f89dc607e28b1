import { Input, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { appLimits } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { searchSelect, useTyped } from '../../../ui/form/search-select.ts'
import { FormSection } from '../../../shared/accounts/FormSection.tsx'
import { Field } from '../../../ui/form/form.tsx'
import { SwitchField } from '../../../ui/form/SwitchField.tsx'
import { useCategories } from '../categories/categories.ts'
import { PicturesInput } from './PicturesInput.tsx'
import type { PictureValue } from './PicturesInput.tsx'
import { appSides } from '../sides.ts'
import type { AppSide } from '../sides.ts'

export type AppValues = {
  name: string
  developer?: string
  intro?: string
  category_kid?: string | null
  is_system_signed?: boolean
  dependency_kids?: string[]
  icon?: PictureValue[]
  screenshots?: PictureValue[]
}
type Named = { kid: string; name: string; package: string }
type Props = { side: AppSide; kid?: string; known?: readonly Named[] }

/** What people say of an app, new or edited. `known` are the apps that it needs already. */
export function AppFields({ side, kid, known = [] }: Props) {
  const { t } = useTranslation('app-center')
  const { input } = api.appCenter.insert
  const { options } = useCategories(side)
  return (
    <>
      <FormSection title={t('section.app')}>
        <Field name="name" label={t('column.name')} schema={input}>
          <Input autoComplete="off" />
        </Field>
        <Field name="developer" label={t('form.developer')} schema={input}>
          <Input autoComplete="off" />
        </Field>
        <Field name="category_kid" label={t('column.category')} className="is-wide">
          <Select allowClear showSearch={{ optionFilterProp: 'label' }} options={options} />
        </Field>
        <Field name="intro" label={t('form.intro')} className="is-wide" schema={input}>
          <Input.TextArea rows={4} />
        </Field>
        <Field name="icon" label={t('form.icon')} extra={t('form.icon_hint')}>
          <PicturesInput label={t('form.icon')} max={1} />
        </Field>
        <Field name="screenshots" label={t('form.screenshots')} className="is-wide">
          <PicturesInput label={t('form.screenshots')} max={appLimits.screenshots} />
        </Field>
      </FormSection>
      <FormSection title={t('section.devices')} hint={t('section.devices_hint')}>
        <Field
          name="dependency_kids"
          label={t('form.dependencies')}
          extra={t('form.dependencies_hint')}
          className="is-wide"
        >
          <AppsChoice side={side} except={kid} known={known} />
        </Field>
        <SwitchField
          name="is_system_signed"
          label={t('form.system_signed')}
          extra={t('form.system_signed_hint')}
          className="is-wide"
        />
      </FormSection>
    </>
  )
}

type ChoiceProps = {
  id?: string
  side: AppSide
  except: string | undefined
  known: readonly Named[]
  value?: string[]
  onChange?: (kids: string[]) => void
}
function AppsChoice({ id, side, except, known, value = [], onChange }: ChoiceProps) {
  const typed = useTyped()
  const { text } = typed
  const input = { page_size: 50, sort: 'name' as const, ...(text && { text }) }
  const query = useCall(appSides[side].calls.paging, input, { keepPrevious: true })
  const found: readonly Named[] = (query.data?.items ?? []).filter(({ kid }) => kid !== except)
  // What is chosen keeps its name although the search does not find it.
  const [named, setNamed] = useState<readonly Named[]>(known)
  const all = new Map([...named, ...found].map((app) => [app.kid, app]))
  const optionOf = (app: Named) => ({ value: app.kid, label: `${app.name} (${app.package})` })
  return (
    <Select<string[]>
      id={id}
      mode="multiple"
      maxCount={appLimits.dependencies}
      {...searchSelect(typed, query, found.map(optionOf), named.map(optionOf))}
      value={value}
      onChange={(kids) => {
        typed.setTyped('')
        setNamed(kids.flatMap((kid) => all.get(kid) ?? []))
        onChange?.(kids)
      }}
    />
  )
}

/** Of the pictures in a form, what the calls take. */
export const sentPictures = ({ icon, screenshots = [] }: Pick<AppValues, 'icon' | 'screenshots'>) => ({
  ...(icon?.[0]?.upload_kid && { icon_upload_kid: icon[0].upload_kid }),
  screenshot_upload_kids: screenshots.flatMap(({ upload_kid }) => upload_kid ?? []),
})
