import { DownOutlined } from '@ant-design/icons'
import type { MenuProps } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { languages } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import { DropMenu } from '../ui/dialog/DropMenu.tsx'
import { link } from '../core/links.ts'
import { languageNames } from '../i18n/language.ts'
import { chooseLanguage, signOut, useSession } from '../core/session.tsx'
import { putDensity, putTheme, useSessionStore } from '../core/session-store.ts'
import type { Density, Theme } from '../core/session-store.ts'

const themes: readonly Theme[] = ['light', 'dark', 'system']
const densities: readonly Density[] = ['compact', 'comfortable']

export function UserMenu() {
  const { t } = useTranslation('shell')
  const { name, username } = useSession()
  const { language, theme, density } = useSessionStore()
  const navigate = useNavigate()
  const shown = name || username
  const items: MenuProps['items'] = [
    { key: 'account', label: t('account_info') },
    { type: 'divider' },
    {
      key: 'language',
      label: t('language'),
      children: languages.map((each) => ({ key: `language:${each}`, label: languageNames[each] })),
    },
    {
      key: 'theme',
      label: t('theme'),
      children: themes.map((each) => ({ key: `theme:${each}`, label: t(`theme_${each}`) })),
    },
    {
      key: 'density',
      label: t('density'),
      children: densities.map((each) => ({ key: `density:${each}`, label: t(`density_${each}`) })),
    },
    { type: 'divider' },
    { key: 'logout', label: t('logout') },
  ]
  const choose = ({ key }: { key: string }) => {
    const [what, value] = key.split(':')
    if (what === 'account') void navigate(link.accountIndex.to())
    else if (what === 'language') void chooseLanguage(value as Language)
    else if (what === 'theme') putTheme(value as Theme)
    else if (what === 'density') putDensity(value as Density)
    else void signOut()
  }
  const greeting = t('greet', { name: shown })
  return (
    <DropMenu
      placement="bottomRight"
      menu={{
        items,
        selectable: true,
        selectedKeys: [`language:${language}`, `theme:${theme}`, `density:${density}`],
        onClick: choose,
      }}
    >
      <button
        type="button"
        className="user"
        aria-haspopup="menu"
        aria-label={`${t('account_menu', { name: shown })}. ${greeting}`}
      >
        <span className="greet" dir="auto">
          {greeting}
        </span>
        <DownOutlined aria-hidden />
      </button>
    </DropMenu>
  )
}
