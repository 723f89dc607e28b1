import { Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { ltscopes } from '@mdm/contract'
import type { AppDetails } from '@mdm/contract'
import { api, send } from '../../../core/api.ts'
import type { ConfigPlace } from '../../configure/public.ts'
import { useSave } from '../../configure/public.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { answers, withAnswers, nameKey } from './policy.ts'
import type { Answer, Answers, PermissionPolicy } from './policy.ts'

type Props = {
  app: AppDetails
  place: ConfigPlace
  /** Of the level. */
  name: string
  permissions: readonly string[]
  /** What holds there now. */
  said: Answers
  preset: string
  onClose: () => void
}
/** Allow, deny or default for each permission of an app. Names of permissions have dots, so fields are called by number. */
export function PermissionsForm({ app, place, name, permissions, said, preset, onClose }: Props) {
  const { t } = useTranslation(['app-center', 'configure'])
  const save = useSave(place, 'permission_policy')
  const initial = { answers: permissions.map((permission) => said[permission] ?? ('default' as Answer)) }
  return (
    <FormDrawer<typeof initial>
      width={560}
      title={t('permission.of', { app: app.name, level: name })}
      submit={t('configure:save')}
      initial={initial}
      loading={save.isPending}
      submitError={save.error}
      onSubmit={async (values) => {
        // Read again: what others have set for other apps meanwhile stays.
        const now = await send(api.terminalConfig.current_config, { ...place, types: '1' })
        const policy = now.permission_policy?.value as PermissionPolicy | null
        const given = Object.fromEntries(permissions.map((permission, at) => [permission, values.answers[at]!]))
        await save.run(withAnswers(policy, app.package, given))
      }}
      onDone={onClose}
      onClose={onClose}
    >
      {save.dialog}
      <p className="dim">{t('permission.default_is', { answer: preset })}</p>
      {place.ltscope !== ltscopes.terminal && <p className="config-note">{t('configure:many')}</p>}
      {permissions.map((permission, at) => (
        <Field
          key={permission}
          name={['answers', at]}
          label={t(nameKey(permission))}
          extra={<span className="code">{permission}</span>}
        >
          <Segmented<Answer>
            aria-label={t(nameKey(permission))}
            options={[...answers, ...(said[permission] === 'ask' ? (['ask'] as const) : [])].map((value) => ({
              value,
              label: t(`permission.state.${value}`),
            }))}
          />
        </Field>
      ))}
    </FormDrawer>
  )
}
