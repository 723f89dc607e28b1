import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { TerminalDynamicGroup, Where } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { useCustomFields } from '../device-fields.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { draftOf, newGroup, whereOf } from './where-draft.ts'
import type { DraftGroup } from './where-draft.ts'
import './where.css'
import { WhereEditor } from './WhereEditor.tsx'

const width = 760

function useWhereRules() {
  const { t } = useTranslation('device-filters')
  const fields = useCustomFields()
  const validator = (_rule: unknown, draft: DraftGroup) =>
    whereOf(draft, fields) ? Promise.resolve() : Promise.reject(new Error(t('build.incomplete')))
  return { rules: [{ validator }], whereIn: (draft: DraftGroup) => whereOf(draft, fields)! }
}

/** The conditions mark where something is missing by themselves; antd would mark every control of the field. */
const own_marks = { validateTrigger: [] as string[], validateStatus: '' as const }

const started = (where: Where | undefined): DraftGroup => (where ? draftOf(where) : newGroup())

type FilterProps = { where: Where | undefined; onApply: (where: Where) => void; onClose: () => void }
/** Makes or changes the conditions of the list. */
export function WhereDrawer({ where, onApply, onClose }: FilterProps) {
  const { t } = useTranslation('device-filters')
  const { rules, whereIn } = useWhereRules()
  return (
    <FormDrawer<{ where: DraftGroup }>
      width={width}
      title={t('build.title')}
      submit={t('build.submit')}
      initial={{ where: started(where) }}
      loading={false}
      submitError={null}
      onSubmit={({ where: draft }) => onApply(whereIn(draft))}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="where" label={t('group.where')} rules={rules} {...own_marks}>
        <WhereEditor />
      </Field>
    </FormDrawer>
  )
}

type GroupProps = {
  /** What is changed; without it a new one is made. */
  group?: TerminalDynamicGroup
  where?: Where | undefined
  onDone?: (group: TerminalDynamicGroup) => void
  onClose: () => void
}
export function DynamicGroupDrawer({ group, where, onDone, onClose }: GroupProps) {
  const { t } = useTranslation('device-filters')
  const { rules, whereIn } = useWhereRules()
  const options = { also: ['terminal'], onSuccess: onDone }
  const insert = useWrite(api.terminalDynamicGroup.insert, { ...options, done: t('group.added') })
  const update = useWrite(api.terminalDynamicGroup.update, { ...options, done: t('group.saved') })
  const write = group ? update : insert
  return (
    <FormDrawer<{ name: string; where: DraftGroup }>
      width={width}
      title={t(group ? 'group.edit' : 'group.add')}
      submit={t(group ? 'group.edit_submit' : 'group.add_submit')}
      initial={{ name: group?.name ?? '', where: started(group?.where ?? where) }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ name, where: draft }) => {
        const given = { name, where: whereIn(draft) }
        return group ? update.mutateAsync({ ...given, kid: group.kid }) : insert.mutateAsync(given)
      }}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('group.name')} schema={api.terminalDynamicGroup.insert.input}>
        <Input autoFocus />
      </Field>
      <Field name="where" label={t('group.where')} extra={t('group.hint')} rules={rules} {...own_marks}>
        <WhereEditor />
      </Field>
    </FormDrawer>
  )
}
