import { CloseOutlined } from '@ant-design/icons'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { keep, keptJson } from '../lib/kept.ts'
import type { ScreenTitle } from '../screen/screen.ts'
import { useSession } from '../session.tsx'
import { screens } from '../screens.ts'
import { useScreen } from './place.ts'

/** A visited screen, with the filters it was left with. */
type Tag = { path: string; search: string; title: ScreenTitle }
const titles = new Set<string>(screens.map((screen) => screen.title))
const isTags = (value: unknown): value is Tag[] =>
  Array.isArray(value) &&
  value.every(
    (tag) =>
      typeof tag?.path === 'string' &&
      tag.path.startsWith('/') &&
      typeof tag.search === 'string' &&
      titles.has(tag.title),
  )
const most = 12
const visited = (tags: readonly Tag[], tag: Tag): readonly Tag[] =>
  tags.some(({ path }) => path === tag.path)
    ? tags.map((each) => (each.path === tag.path ? tag : each))
    : [...tags, tag].slice(-most)

export function TagViews() {
  const { t } = useTranslation(['shell', 'screens'])
  const { account_kid } = useSession()
  const screen = useScreen()
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const name = `tags.${account_kid}`
  const [tags, setTags] = useState<readonly Tag[]>(() => keptJson('session', name, isTags) ?? [])

  // A new place is a new tag; set while rendering, so that no frame shows the tags of the place before.
  const place = pathname + search
  const [seen, setSeen] = useState<string | null>(null)
  if (screen && seen !== place) {
    setSeen(place)
    if (screen.title !== 'notFound' && screen.title !== 'redirect') {
      setTags((before) => visited(before, { path: pathname, search, title: screen.title }))
    }
  }
  useEffect(() => keep('session', name, JSON.stringify(tags)), [name, tags])

  const close = (tag: Tag) => {
    const at = tags.indexOf(tag)
    const rest = tags.filter((each) => each !== tag)
    setTags(rest)
    if (tag.path !== pathname) return
    const next = rest[at] ?? rest[at - 1]
    void navigate(next ? next.path + next.search : '/home')
  }
  if (tags.length === 0) return null
  return (
    <nav className="tag-views" aria-label={t('visited')}>
      <ul>
        {tags.map((tag) => {
          const title = t(`screens:title.${tag.title}`)
          const is_open = tag.path === pathname
          return (
            <li key={tag.path} data-open={is_open || undefined}>
              <Link id={`tag-${tag.path}`} to={tag.path + tag.search} aria-current={is_open ? 'page' : undefined}>
                {title}
              </Link>
              {tags.length > 1 && (
                <button
                  type="button"
                  className="icon-button"
                  aria-label={t('close_tag')}
                  aria-describedby={`tag-${tag.path}`}
                  onClick={() => close(tag)}
                >
                  <CloseOutlined />
                </button>
              )}
            </li>
          )
        })}
      </ul>
      {tags.length > 2 && (
        <button
          type="button"
          className="link dim"
          onClick={() => setTags((before) => before.filter(({ path }) => path === pathname))}
        >
          {t('close_others')}
        </button>
      )}
    </nav>
  )
}
