import { MenuOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { NavLink } from 'react-router'
import { useLiveState } from '../core/live.ts'
import { notify } from '../core/notices.ts'
import { useQuestion } from '../ui/dialog/question.ts'
import { isOps, leaveCustomer, useSession } from '../core/session.tsx'
import { Bell } from './Bell.tsx'
import { Breadcrumb } from './Breadcrumb.tsx'
import { Tray } from './Tray.tsx'
import { UserMenu } from './UserMenu.tsx'
import { useMenuModules } from './use-menu.ts'

export function TopBar({ onMenu }: { onMenu: () => void }) {
  const { t } = useTranslation('shell')
  const session = useSession()
  return (
    <header className="top" data-acting={session.enter_kid ? true : undefined}>
      <button type="button" className="icon-button menu-button" aria-label={t('open_menu')} onClick={onMenu}>
        <MenuOutlined aria-hidden />
      </button>
      <Breadcrumb />
      {isOps(session) && <TopMenu />}
      <div className="top-end">
        {session.enter_kid && <ActingAs name={session.enter_name ?? session.account_name} />}
        <LiveMark />
        <Bell />
        <Tray />
        <UserMenu />
      </div>
    </header>
  )
}

/** Section 2: for operators only. Its entries are the modules; a lone module shows its pages. */
function TopMenu() {
  const { t } = useTranslation('shell')
  const modules = useMenuModules()
  const entries =
    modules.length > 1
      ? modules.map(({ key, title, groups }) => ({ key, title, path: groups[0]?.items[0]?.path ?? '/' }))
      : (modules[0]?.groups ?? []).flatMap((group) => group.items).filter((item) => !item.is_external)
  if (entries.length < 2) return null
  return (
    <nav className="top-menu" aria-label={t('top_menu')}>
      {entries.slice(0, 6).map((entry) => (
        <NavLink key={entry.key} to={entry.path}>
          {entry.title}
        </NavLink>
      ))}
    </nav>
  )
}

/** Who one is acting as is never in doubt. */
function ActingAs({ name }: { name: string }) {
  const { t } = useTranslation(['shell', 'common'])
  const ask = useQuestion((s) => s.ask)
  const [is_busy, setBusy] = useState(false)
  const leave = async () => {
    const question = {
      title: t('return_ask', { name }),
      text: t('return_text'),
      yes: t('return'),
      no: t('common:cancel'),
    }
    if (!(await ask(question))) return
    setBusy(true)
    await leaveCustomer().catch(notify.fail)
    setBusy(false)
  }
  return (
    <div className="acting" role="status">
      <span className="acting-text">{t('acting_as')}</span>
      <strong dir="auto" title={name}>
        {name}
      </strong>
      <Button size="small" loading={is_busy} onClick={() => void leave()}>
        {t('return')}
      </Button>
    </div>
  )
}

function LiveMark() {
  const { t } = useTranslation('shell')
  const state = useLiveState((s) => s.state)
  return (
    <span className="live-mark" data-state={state} role="status">
      <i aria-hidden />
      <span className={state === 'interrupted' ? undefined : 'visually-hidden'}>
        {state === 'interrupted' ? t('stream_interrupted') : state === 'live' ? t('stream_live') : ''}
      </span>
    </span>
  )
}
