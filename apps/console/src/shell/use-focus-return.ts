import { useEffect } from 'react'

const most = 50
const isThere = (it: HTMLElement): boolean => it.isConnected && it.checkVisibility({ visibilityProperty: true })

/**
 * A dialog, drawer or menu goes with the focus in it: the focus then returns to where it was before, or, where that has
 * gone too, to where it was before that. antd returns it from what it has seen closing; ours are taken away at once,
 * and a dialog that a menu opened would return it to the menu. Going to another page is not a return.
 */
export function useFocusReturn(): void {
  useEffect(() => {
    let trail: HTMLElement[] = []
    let path = location.pathname
    const follow = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target === document.body) return
      if (path !== location.pathname) trail = []
      path = location.pathname
      trail = [...trail.filter((each) => each !== target), target].slice(-most)
    }
    const restore = () => {
      // Who clicks where nothing is has left by intention: what had the focus is still there.
      const last = document.activeElement === document.body ? trail.at(-1) : document.activeElement
      if (!(last instanceof HTMLElement) || path !== location.pathname || isThere(last)) return
      trail = trail.filter(isThere)
      trail.at(-1)?.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(restore)
    observer.observe(document.body, { childList: true, subtree: true })
    // Menus and popovers stay in the document when they close, hidden by their class.
    const hiding = new MutationObserver(restore)
    const popups = document.getElementById('popups')
    if (popups) hiding.observe(popups, { subtree: true, attributeFilter: ['class', 'style'] })
    document.addEventListener('focusin', follow)
    return () => {
      observer.disconnect()
      hiding.disconnect()
      document.removeEventListener('focusin', follow)
    }
  }, [])
}
