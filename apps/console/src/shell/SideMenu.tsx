import { DoubleLeftOutlined, DoubleRightOutlined, DownOutlined, SearchOutlined } from '@ant-design/icons'
import { Tooltip } from 'antd'
import { useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { NavLink, useLocation } from 'react-router'
import { pages } from '@mdm/contract'
import { useTextOf } from '../i18n/use-text-of.ts'
import { useSession, isOutside } from '../core/session.tsx'
import { pageIcon } from '../ui/icons.tsx'
import { usePage } from '../ui/place.ts'
import { useJump } from './jump.ts'
import { menuIcons } from '../ui/menu-icons.tsx'
import { folded } from './menu.ts'
import type { MenuItem } from './menu.ts'
import { Mark } from '../ui/PageError.tsx'
import { reveal } from './reveal.ts'
import { useMenuModules } from './use-menu.ts'

type Props = { is_collapsed: boolean; onCollapse: () => void }

export function SideMenu({ is_collapsed, onCollapse }: Props) {
  const { t } = useTranslation('shell')
  const textOf = useTextOf()
  const session = useSession()
  const modules = useMenuModules()
  const groups = modules.flatMap((module) => module.groups)
  const has_home = groups.some((group) => group.items.some(({ path }) => path === pages.homeIndex.path))
  const openJump = useJump((s) => s.open)
  const scrolled = useRef<HTMLDivElement>(null)
  const { pathname } = useLocation()
  // Where the menu is longer than the window, the entry of this page stands in it.
  useEffect(() => {
    const entry = scrolled.current?.querySelector('a.active')
    if (scrolled.current && entry) reveal(scrolled.current, entry)
  }, [pathname, modules])
  const home: MenuItem = {
    key: 'home',
    title: textOf(pages.homeIndex.title),
    path: pages.homeIndex.path,
    is_external: false,
    page: 'homeIndex',
    icon: null,
    remind: '',
  }
  return (
    <nav className="side" aria-label={t('main_menu')}>
      <div className="side-brand">
        <Mark />
        {!is_collapsed && <span>MDM</span>}
      </div>
      <Tooltip title={is_collapsed ? t('jump') : undefined} placement="right">
        <button
          type="button"
          className="jump-button"
          onClick={openJump}
          aria-keyshortcuts="Control+K"
          aria-label={is_collapsed ? t('jump') : undefined}
        >
          <SearchOutlined aria-hidden />
          {!is_collapsed && (
            <>
              <span>{t('jump')}</span> <kbd>Ctrl K</kbd>
            </>
          )}
        </button>
      </Tooltip>
      <div className="side-groups" ref={scrolled}>
        {!has_home && !isOutside(session) && (
          <ul>
            <Entry item={home} is_collapsed={is_collapsed} />
          </ul>
        )}
        {groups.map((group) => (
          <section key={group.key} data-alone={group.items.length === 1 || undefined}>
            {/* A page that stands by itself says its name well enough. */}
            {!is_collapsed && group.items.length > 1 && <h2>{group.title}</h2>}
            <ul aria-label={group.title}>
              {folded(group.items).map((item) =>
                isFold(item) ? (
                  <Fold key={item[0]?.key} items={item} is_collapsed={is_collapsed} />
                ) : (
                  <Entry key={item.key} item={item} is_collapsed={is_collapsed} />
                ),
              )}
            </ul>
          </section>
        ))}
      </div>
      <button
        type="button"
        className="side-collapse"
        aria-expanded={!is_collapsed}
        aria-label={t(is_collapsed ? 'expand' : 'collapse')}
        onClick={onCollapse}
      >
        {is_collapsed ? <DoubleRightOutlined aria-hidden /> : <DoubleLeftOutlined aria-hidden />}
        {!is_collapsed && <span>{t('collapse')}</span>}
      </button>
    </nav>
  )
}

const isFold = (shown: MenuItem | readonly MenuItem[]): shown is readonly MenuItem[] => Array.isArray(shown)

/** Entries behind one that unfolds; they are shown while a page of theirs is open. */
function Fold({ items, is_collapsed }: { items: readonly MenuItem[]; is_collapsed: boolean }) {
  const { t } = useTranslation('shell')
  const page = usePage()
  const is_within = items.some((item) => item.page !== null && (item.page === page?.name || item.page === page?.parent))
  return (
    <li>
      <details key={String(is_within)} open={is_within}>
        <summary title={is_collapsed ? t('information') : undefined}>
          <span className="side-icon" aria-hidden>
            {pageIcon(items[0]?.page ?? null)}
          </span>
          <span className={is_collapsed ? 'visually-hidden' : 'side-title'}>{t('information')}</span>
          {!is_collapsed && <DownOutlined className="side-unfold" aria-hidden />}
        </summary>
        <ul>
          {items.map((item) => (
            <Entry key={item.key} item={item} is_collapsed={is_collapsed} />
          ))}
        </ul>
      </details>
    </li>
  )
}

function Entry({ item, is_collapsed }: { item: MenuItem; is_collapsed: boolean }) {
  const { t } = useTranslation('shell')
  const remind_id = useId()
  const parent = usePage()?.parent
  // A page without an entry of its own is part of one that has one: a device of the device list.
  const is_within = item.page !== null && item.page === parent
  const hints = [is_collapsed && item.title, item.remind, item.is_external && t('external')].filter(Boolean)
  const described = item.remind ? { 'aria-describedby': remind_id } : {}
  const inner = (
    <>
      <span className="side-icon" aria-hidden>
        {menuIcons[item.icon ?? ''] ?? pageIcon(item.page)}
      </span>
      <span className={is_collapsed ? 'visually-hidden' : 'side-title'}>{item.title}</span>
    </>
  )
  return (
    <li>
      <Tooltip
        title={hints.length > 0 && hints.map((hint) => <div key={String(hint)}>{hint}</div>)}
        placement="right"
        trigger={['hover', 'focus']}
      >
        {item.is_external ? (
          <a href={item.path} target="_blank" rel="noreferrer noopener" {...described}>
            {inner}
          </a>
        ) : (
          <NavLink
            to={item.path}
            className={({ isActive }) => (isActive || is_within ? 'active' : undefined)}
            {...described}
          >
            {inner}
          </NavLink>
        )}
      </Tooltip>
      {item.remind && (
        <span id={remind_id} hidden>
          {item.remind}
        </span>
      )}
    </li>
  )
}
