import { SettingOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { holds, pages, pushKinds, pushTaskTypes } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { May, useSession } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { AddressTabs } from '../../ui/AddressTabs.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Tasks } from './Tasks.tsx'
import './push-task.css'

const Recurring = lazy(() => import('./Recurring.tsx').then((m) => ({ default: m.Recurring })))
const Templates = lazy(() => import('./Templates.tsx').then((m) => ({ default: m.Templates })))
const Windows = lazy(() => import('../maintenance-window/public.ts').then((m) => ({ default: m.Windows })))
const SettingDrawer = lazy(() => import('./SettingDrawer.tsx').then((m) => ({ default: m.SettingDrawer })))

const tabs = ['tasks', 'recurring', 'templates', 'windows'] as const
const setting = { setting: 'pushTaskList:setting' } as const

/** Every push of every kind, what makes them again and again, what they are made from, and when devices may execute. */
export default function PushTasksPage() {
  const { t } = useTranslation('push-task')
  const textOf = useTextOf()
  const { permissions } = useSession()
  const [search] = useSearchParams()
  const dialog = useDialog(setting, [])
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'tasks'
  const may_push = pushTaskTypes.some((type) => holds(permissions, pushKinds[type].needs))
  const create = may_push && <AddButton to={link.pushTaskAdd.to()}>{t('new')}</AddButton>
  return (
    <section className="list-page">
      <PageHead title={textOf(pages.pushTaskList.title)} icon={pageIcon('pushTaskList')}>
        <May needs="pushTaskList:setting">
          <Button icon={<SettingOutlined aria-hidden />} onClick={() => dialog.open('setting')}>
            {t('setting.button')}
          </Button>
        </May>
        {create}
      </PageHead>
      <AddressTabs label={t('tabs')} tabs={tabs.map((value) => ({ value, label: t(`tab.${value}`) }))} />
      <Suspense>
        {tab === 'tasks' && <Tasks create={create} />}
        {tab === 'recurring' && <Recurring create={create} />}
        {tab === 'templates' && <Templates />}
        {tab === 'windows' && <Windows />}
        {dialog.is('setting') && <SettingDrawer onClose={dialog.close} />}
      </Suspense>
    </section>
  )
}
