import { ConfigProvider } from 'antd'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Outlet, useLocation, useNavigation } from 'react-router'
import { writeStored, readStored } from '../lib/stored.ts'
import { useLiveStream } from '../core/live.ts'
import '../ui/ui.css'
import { useSessionStore } from '../core/session-store.ts'
import { useAntd } from './antd.ts'
import { useIsNarrow } from '../ui/list/use-is-narrow.ts'
import { BackToTop } from './BackToTop.tsx'
import { ExpiryBanner } from './ExpiryBanner.tsx'
import { JumpTo } from './JumpTo.tsx'
import { PasswordDialog } from './PasswordDialog.tsx'
import { QuestionDialog } from './QuestionDialog.tsx'
import './shell.css'
import { Pushes } from './Pushes.tsx'
import { Scraps } from './Scraps.tsx'
import { SideMenu } from './SideMenu.tsx'
import { TagViews } from './TagViews.tsx'
import { TopBar } from './TopBar.tsx'
import { useInvitationLink } from '../shared/accounts/invitation.ts'
import { useFocusReturn } from './use-focus-return.ts'

/** Everything around a screen. Only for the signed-in: the sign-in page does not load it. */
export default function Shell() {
  const session = useSessionStore((s) => s.session)
  // Between signing out and arriving at /login there is nothing to show a screen for.
  return session ? <Frame /> : null
}

function Frame() {
  const { t } = useTranslation('shell')
  const antd = useAntd()
  const account_kid = useSessionStore((s) => s.account_kid)
  const { state } = useNavigation()
  const { pathname } = useLocation()
  const is_narrow = useIsNarrow()
  const [chosen, setChosen] = useState(readStored('local', 'side'))
  // The tables need the room of a narrow window, unless the person wants the menu there.
  const is_collapsed = chosen === null ? is_narrow : chosen === 'collapsed'
  // Drawn over the page on narrow screens, until one goes elsewhere.
  const [drawn_at, setDrawnAt] = useState<string | null>(null)
  const is_drawn = drawn_at === pathname
  useLiveStream()
  useFocusOnArrival(pathname)
  useFocusReturn()
  const collapse = () => {
    const wanted = is_collapsed ? 'wide' : 'collapsed'
    writeStored('local', 'side', wanted)
    setChosen(wanted)
  }
  return (
    <ConfigProvider {...antd}>
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <div className="shell" data-collapsed={is_collapsed || undefined} data-drawn={is_drawn || undefined}>
        <SideMenu is_collapsed={is_collapsed && !is_drawn} onCollapse={collapse} />
        <button
          type="button"
          className="side-shade"
          tabIndex={-1}
          aria-label={t('collapse')}
          onClick={() => setDrawnAt(null)}
        />
        <div className="stage">
          <TopBar onMenu={() => setDrawnAt(is_drawn ? null : pathname)} />
          <div className="progress" data-on={state === 'loading' || undefined} aria-hidden />
          <ExpiryBanner />
          <TagViews key={`tags ${account_kid}`} />
          <main id="content" tabIndex={-1}>
            {/* Another account is another world: nothing of a page may survive the change. */}
            <Outlet key={account_kid} />
            <div id="popups" />
          </main>
        </div>
      </div>
      <BackToTop />
      <JumpTo />
      <QuestionDialog />
      <PasswordDialog />
      <Invitations />
      <Pushes />
      <Scraps />
    </ConfigProvider>
  )
}

const InvitationLink = lazy(() => import('../shared/accounts/InvitationLink.tsx'))
function Invitations() {
  const is_shown = useInvitationLink((s) => s.link !== null)
  return (
    is_shown && (
      <Suspense>
        <InvitationLink />
      </Suspense>
    )
  )
}

/** A link goes with the page it stood on: the next Tab begins at the new page, not wherever the browser guesses. */
function useFocusOnArrival(pathname: string): void {
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true })
  }, [pathname])
}
