import { useTranslation } from 'react-i18next'
import { pushKinds } from '@mdm/contract'
import type { PushTemplate } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useConditionTexts, useRolloutTexts } from './task/push-facts.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { DateTime } from '../../ui/value/values.tsx'
import { PushContent } from './PushContent.tsx'
import { WholeList } from '../../ui/list/WholeList.tsx'

const needs = 'pushTaskList:template'

/** What a new push can be made from. */
export function Templates() {
  const { t } = useTranslation(['push-task', 'push-task/task', 'common'])
  const query = useCall(api.pushTemplate.list, {})
  const rows = query.data ?? []
  const dialog = useDialog({ delete: needs }, rows)
  const conditionTexts = useConditionTexts()
  const rolloutTexts = useRolloutTexts()
  const deleting = dialog.of('delete')
  const columns: Column<PushTemplate>[] = [
    { key: 'name', title: t('recurring.name'), dataIndex: 'name' },
    {
      key: 'what',
      title: t('recurring.what'),
      render: (_, row) => <PushContent row={row} />,
    },
    {
      key: 'conditions',
      title: t('push-task/task:fact.conditions'),
      render: (_, { conditions, rollout }) => {
        const said = [...conditionTexts(conditions), ...(rollout ? rolloutTexts(rollout).slice(0, 1) : [])].join(
          t('push-task/task:now.comma'),
        )
        return said
      },
    },
    { key: 'created_by', title: t('push-task/task:column.by'), dataIndex: 'created_by' },
    { key: 'created_at', title: t('common:created_at'), render: (_, row) => <DateTime at={row.created_at} /> },
  ]
  const rowActions = ({ kid, name, type }: PushTemplate): RowAction[] => [
    {
      needs: pushKinds[type].needs,
      text: t('templates.use'),
      label: t('templates.use_of', { name }),
      to: link.pushTaskAdd.to({ template: kid }),
    },
    { needs, label: t('common:delete'), danger: true, onSelect: () => dialog.open('delete', { kid }) },
  ]
  return (
    <>
      <WholeList<PushTemplate>
        title={t('tab.templates')}
        query={query}
        rows={rows}
        columns={columns}
        rowActions={rowActions}
        empty={{ title: t('templates.empty'), hint: t('templates.empty_hint') }}
      />
      {deleting && (
        <ConfirmWrite
          call={api.pushTemplate.delete}
          input={{ kid: deleting.kid }}
          title={t('templates.delete.title', { name: deleting.name })}
          submit={t('templates.delete.submit')}
          done={t('templates.delete.done')}
          onClose={dialog.close}
        >
          <p>{t('templates.delete.what')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}
