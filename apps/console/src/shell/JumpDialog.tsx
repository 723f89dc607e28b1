import { MobileOutlined, SearchOutlined, TeamOutlined } from '@ant-design/icons'
import { Modal } from 'antd'
import { useDeferredValue, useEffect, useEffectEvent, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { pushTitles, splitUid } from '@mdm/contract'
import { api, useCall } from '../core/api.ts'
import { notify } from '../core/notices.ts'
import { enterCustomer, isOutside, useMay, useSession, useZone } from '../core/session.tsx'
import { useTextOf } from '../i18n/use-text-of.ts'
import { pageIcon } from '../ui/icons.tsx'
import { dateParts } from '../ui/value/format.ts'
import { useJump } from './jump.ts'
import { useMenuModules } from './use-menu.ts'
import { link } from '../core/links.ts'

type Target = {
  key: string
  group: string
  title: string
  detail?: string
  icon: ReactNode
  /** Found by what was typed before. */
  is_old?: boolean
  open: () => unknown
}

/** Any screen, a device by SN or alias, a push by what it says, and for operators a customer and what a UID means. */
export default function JumpDialog() {
  const { t } = useTranslation('shell')
  const { typed, is_entered, type, enter: enterLater, close } = useJump()
  const [at, setAt] = useState(0)
  const id = useId()
  const wanted = useDeferredValue(typed.trim())
  const found = useTargets(wanted)
  const { targets } = found
  const is_late = found.is_late || wanted !== typed.trim()
  // Newer browsers answer with a promise, which is nothing that an effect may return.
  useEffect(() => void document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [id, at])

  const choose = (target: Target | undefined) => {
    if (!target) return
    close()
    Promise.resolve(target.open()).catch(notify.fail)
  }
  const press = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt((now) => Math.max(0, Math.min(targets.length - 1, now + step)))
    } else if (event.key === 'Enter') enter()
  }
  const enter = () => {
    const target = targets[at]
    // What stands there is of what was typed before; the answer is on its way.
    if (wanted !== typed.trim() || (is_late && (!target || target.is_old))) enterLater()
    else choose(target)
  }
  const late = useEffectEvent(() => choose(targets[at]))
  const is_answered = is_entered && !is_late
  useEffect(() => {
    if (is_answered) late()
  }, [is_answered])
  return (
    <Modal open footer={null} closable={false} onCancel={close} width={560} className="jump" title={t('jump')}>
      <div className="jump-field">
        <SearchOutlined aria-hidden />
        <input
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={targets[at] ? `${id}-${at}` : undefined}
          aria-label={t('jump_hint')}
          placeholder={t('jump_hint')}
          value={typed}
          maxLength={100}
          onChange={(event) => {
            type(event.target.value)
            setAt(0)
          }}
          onKeyDown={press}
        />
      </div>
      <div className="jump-list" id={id} role="listbox" aria-label={t('jump')}>
        {targets.map((target, index) => (
          <div key={target.key} role="presentation">
            {target.group !== targets[index - 1]?.group && (
              <p className="jump-group" role="presentation">
                {target.group}
              </p>
            )}
            <div
              role="option"
              id={`${id}-${index}`}
              aria-selected={index === at}
              className="jump-option"
              onMouseMove={() => setAt(index)}
              onClick={() => choose(target)}
            >
              <span aria-hidden>{target.icon}</span>
              <span>{target.title}</span>
              {target.detail && <span className="dim">{target.detail}</span>}
            </div>
          </div>
        ))}
        {targets.length === 0 && !is_late && <p className="jump-none dim">{t('jump_none')}</p>}
      </div>
    </Modal>
  )
}

function useTargets(wanted: string): { targets: Target[]; is_late: boolean } {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const session = useSession()
  const modules = useMenuModules()
  const textOf = useTextOf()
  const zone = useZone()
  const may_devices = useMay('deviceDetailInfo')
  const may_pushes = useMay('pushTaskList')
  const may_enter = useMay('externalUserManageList:enter')
  const has_devices = may_devices && !isOutside(session) && wanted.length > 1
  const has_pushes = may_pushes && !isOutside(session) && wanted.length > 1
  const may_explain = useMay('uidList')
  const has_customers = may_enter && isOutside(session) && wanted.length > 0
  const paging = { page: 1, page_size: 8, text: wanted }
  const devices = useCall(api.terminal.paging, paging, { enabled: has_devices, keepPrevious: true })
  const pushes = useCall(
    api.pushTask.paging,
    { ...paging, page_size: 5, sort: 'created_at', order: 'desc' },
    { enabled: has_pushes, keepPrevious: true },
  )
  const customers = useCall(api.opsAccount.paging, paging, { enabled: has_customers, keepPrevious: true })

  const is_match = (title: string) => title.toLowerCase().includes(wanted.toLowerCase())
  const screens = modules
    .flatMap((module) => module.groups)
    .flatMap((group) => group.items)
    .filter((item) => !item.is_external && is_match(item.title))
    .map((item): Target => ({
      key: item.key,
      group: t('jump_screens'),
      title: item.title,
      icon: pageIcon(item.page),
      open: () => navigate(item.path),
    }))
  const found_devices = (has_devices ? (devices.data?.items ?? []) : []).map((row): Target => ({
    key: row.kid,
    group: t('jump_devices'),
    title: row.sn,
    is_old: devices.isPlaceholderData,
    detail: [row.name, row.model].filter(Boolean).join(' · '),
    icon: <MobileOutlined aria-hidden />,
    open: () => navigate(link.deviceDetailInfo.to({ kid: row.kid })),
  }))
  const found_pushes = (has_pushes ? (pushes.data?.items ?? []) : []).map((row): Target => ({
    key: row.kid,
    group: t('jump_pushes'),
    title: row.summary || textOf(pushTitles[row.type]),
    detail: [row.summary && textOf(pushTitles[row.type]), row.description, dateParts(row.created_at, zone)[0]]
      .filter(Boolean)
      .join(' · '),
    icon: pageIcon('pushTaskList'),
    is_old: pushes.isPlaceholderData,
    open: () => navigate(link.pushTaskDetail.to({ kid: row.kid })),
  }))
  const found_customers = (has_customers ? (customers.data?.items ?? []) : [])
    .filter((row) => row.can.includes('enter'))
    .map((row): Target => ({
      key: row.kid,
      group: t('jump_customers'),
      title: row.name,
      detail: row.username,
      is_old: customers.isPlaceholderData,
      icon: <TeamOutlined aria-hidden />,
      open: () => enterCustomer(row.kid),
    }))
  // Whatever is as long as a UID and has no other characters can be taken apart, also one that nobody has entered.
  const explained: Target[] =
    may_explain && splitUid(wanted)
      ? [
          {
            key: 'uid',
            group: t('jump_uids'),
            title: wanted.toUpperCase(),
            detail: t('jump_explain'),
            icon: pageIcon('uidList'),
            open: () => navigate(link.uidList.to({ dialog: 'explain', uid: wanted.toUpperCase() })),
          },
        ]
      : []
  const is_late = [
    has_devices && isLate(devices),
    has_pushes && isLate(pushes),
    has_customers && isLate(customers),
  ].includes(true)
  return { targets: [...explained, ...screens, ...found_devices, ...found_pushes, ...found_customers], is_late }
}

const isLate = (query: { isPending: boolean; isPlaceholderData: boolean }) => query.isPending || query.isPlaceholderData
