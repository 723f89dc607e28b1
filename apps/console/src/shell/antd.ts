import { theme as antdTheme } from 'antd'
import type { ConfigProviderProps, ThemeConfig } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { useSessionStore } from '../core/session-store.ts'
import { cellPadding, fontFamily, onSystemShade, shadeOf, tokensOf } from '../core/theme.ts'
import type { Tokens } from '../core/theme.ts'
import { loadAntdLocale, loadedAntdLocale } from './antd-locale.ts'

type Algorithm = Extract<NonNullable<ThemeConfig['algorithm']>, (...args: never) => unknown>
type SeedToken = Parameters<Algorithm>[0]
type MapToken = ReturnType<Algorithm>

/** The dark algorithm dims what it is given; ours are chosen for their contrast already. */
const exactly =
  (c: Tokens): ((seed: SeedToken, map?: MapToken) => MapToken) =>
  (seed, map) => ({
    ...(map ?? antdTheme.defaultAlgorithm(seed)),
    colorPrimary: c['accent-solid'],
    colorPrimaryHover: c['accent-hover'],
    colorPrimaryActive: c['accent-solid'],
    colorError: c['danger-solid'],
    colorErrorHover: c['danger-solid'],
    colorErrorText: c.bad,
    colorLink: c.accent,
    colorLinkHover: c.accent,
    colorSuccess: c['good-mark'],
    colorWarning: c['warn-mark'],
  })

/** Menus and dialogs open inside a landmark, where screen readers look for content; antd would put them outside. */
const popups = (): HTMLElement => document.getElementById('popups') ?? document.body

/** antd dressed in our tokens, in the person's language. */
export function useAntd(): ConfigProviderProps {
  const { language, theme, density } = useSessionStore()
  const [locale, setLocale] = useState(() => loadedAntdLocale(language))
  const [shade, setShade] = useState(() => shadeOf(theme))
  // Read once: antd mounts the whole console anew when this changes.
  const [motion] = useState(() => !matchMedia('(prefers-reduced-motion: reduce)').matches)
  useEffect(() => {
    let is_wanted = true
    void loadAntdLocale(language).then((found) => is_wanted && setLocale(found))
    return () => void (is_wanted = false)
  }, [language])
  useEffect(() => {
    const read = () => setShade(shadeOf(theme))
    read()
    return onSystemShade(read)
  }, [theme])

  return useMemo(() => {
    const c = tokensOf[shade]
    return {
      locale,
      button: { autoInsertSpace: false },
      getPopupContainer: popups,
      theme: {
        algorithm: [shade === 'dark' ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm, exactly(c)],
        token: {
          motion,
          colorPrimary: c['accent-solid'],
          colorError: c['danger-solid'],
          colorBgBase: c.paper,
          colorBgContainer: c.raised,
          colorBgElevated: c.raised,
          colorBgLayout: c.paper,
          colorTextBase: c.ink,
          colorText: c.ink,
          colorTextSecondary: c['ink-dim'],
          colorTextTertiary: c['ink-dim'],
          colorTextDescription: c['ink-dim'],
          colorTextPlaceholder: c['ink-dim'],
          colorBorder: c['line-strong'],
          colorBorderSecondary: c.line,
          colorSplit: c.line,
          controlItemBgActive: c['accent-soft'],
          controlItemBgHover: c.hover,
          borderRadius: 4,
          borderRadiusLG: 6,
          borderRadiusSM: 3,
          controlHeight: 30,
          controlHeightSM: 24,
          fontSize: 13,
          fontFamily,
          boxShadow: '0 6px 24px rgb(0 0 0 / 14%)',
          boxShadowSecondary: '0 6px 24px rgb(0 0 0 / 14%)',
          motionDurationMid: '0.12s',
          motionDurationSlow: '0.16s',
          wireframe: false,
        },
        components: {
          Table: {
            headerBg: c.paper,
            headerSortActiveBg: c.hover,
            headerSortHoverBg: c.hover,
            bodySortBg: 'transparent',
            rowHoverBg: c.hover,
            rowSelectedBg: c['accent-soft'],
            rowSelectedHoverBg: c['accent-soft'],
            cellPaddingBlockSM: cellPadding[density],
            cellPaddingInlineSM: 10,
            borderColor: c.line,
          },
          Button: {
            primaryShadow: 'none',
            defaultShadow: 'none',
            dangerShadow: 'none',
            defaultBg: 'transparent',
            // The solid accent is a ground; as words on a dark page it is too dark to read.
            defaultHoverColor: c.accent,
            defaultActiveColor: c.accent,
          },
          Menu: { itemHeight: 30, itemBorderRadius: 3, itemSelectedBg: c['accent-soft'], itemSelectedColor: c.accent },
          Tree: { colorBgContainer: 'transparent', nodeSelectedBg: c['accent-soft'], nodeHoverBg: c.hover },
          Dropdown: { colorPrimary: c.accent },
          Form: { labelColor: c['ink-dim'], itemMarginBottom: 18, colorError: c.bad },
          Modal: { titleFontSize: 16 },
          Tooltip: { colorBgSpotlight: shade === 'dark' ? '#3a3742' : '#2b2833' },
        },
      },
    }
  }, [locale, shade, density, motion])
}
