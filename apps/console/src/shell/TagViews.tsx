import { CloseOutlined } from '@ant-design/icons'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { pages } from '@mdm/contract'
import { writeStored, readStoredJson } from '../lib/stored.ts'
import { useSession } from '../core/session.tsx'
import { useTextOf } from '../i18n/use-text-of.ts'
import { usePage } from '../ui/place.ts'
import { recordOf, useRecordNames } from '../ui/record.ts'
import { isFormPlace } from '../ui/form/form-places.ts'
import { reveal } from './reveal.ts'
import { idOf, visited } from './tags.ts'
import type { Tag } from './tags.ts'

const isText = (value: unknown) => value === undefined || typeof value === 'string'
const isTags = (value: unknown): value is Tag[] =>
  Array.isArray(value) &&
  value.every(
    (tag) =>
      typeof tag?.path === 'string' &&
      tag.path.startsWith('/') &&
      typeof tag.search === 'string' &&
      tag.page in pages &&
      isText(tag.record) &&
      isText(tag.name),
  )
/** Of nobody in particular are the account page and the like. */
const isOfProvider = ({ end_type, needs }: { end_type: 1 | 2; needs: string }): boolean =>
  end_type === 2 && needs !== 'signed_in'

export function TagViews() {
  const { t } = useTranslation('shell')
  const textOf = useTextOf()
  const { account_kid, enter_kid } = useSession()
  const page = usePage()
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const name = `tags.${account_kid}`
  const [tags, setTags] = useState<readonly Tag[]>(() => readStoredJson('session', name, isTags) ?? [])

  const names = useRecordNames((state) => state.names)
  const record = recordOf(page, search)
  const record_name = record === undefined ? undefined : names[record]
  const here = page && { path: pathname, search, page: page.name, record, name: record_name }
  const open = here && idOf(here)

  // A new place is a new tag; set while rendering, so that no frame shows the tags of the place before.
  const place = [pathname, search, record_name].join(' ')
  const [seen, setSeen] = useState<string | null>(null)
  const [last, setLast] = useState<Tag>()
  if (here && seen !== place) {
    setSeen(place)
    setLast(here)
    const form = last && isFormPlace(last.path) ? last : undefined
    // Where the operator was when entering a customer belongs to the tabs of before.
    const is_left = seen === null && enter_kid !== null && isOfProvider(pages[here.page])
    if (here.page !== 'notFound' && here.page !== 'redirect' && !is_left)
      setTags((before) => visited(before, here, form))
  }
  useEffect(() => writeStored('session', name, JSON.stringify(tags)), [name, tags])

  const strip = useRef<HTMLUListElement>(null)
  // The strip scrolls where it is full, and the newest tab is at its end. It widens when the name of its record is known.
  useEffect(() => {
    const tag = strip.current?.querySelector('[data-open]')
    if (strip.current && tag) reveal(strip.current, tag)
  }, [open, record_name])

  const close = (tag: Tag) => {
    const at = tags.indexOf(tag)
    const rest = tags.filter((each) => each !== tag)
    setTags(rest)
    if (idOf(tag) !== open) return
    const next = rest[at] ?? rest[at - 1]
    void navigate(next ? next.path + next.search : '/home')
  }
  if (tags.length === 0) return null
  return (
    <nav className="tag-views" aria-label={t('visited')}>
      <ul ref={strip}>
        {tags.map((tag) => {
          const tag_id = idOf(tag)
          const title = tag.name ?? textOf(pages[tag.page].title)
          const is_open = tag_id === open
          return (
            <li key={tag_id} data-open={is_open || undefined}>
              <Link
                dir="auto"
                id={`tag-${tag_id.replace(' ', '-')}`}
                title={title}
                to={tag.path + tag.search}
                aria-current={is_open ? 'page' : undefined}
              >
                {title}
              </Link>
              {tags.length > 1 && (
                <button
                  type="button"
                  className="icon-button"
                  aria-label={t('close_tag')}
                  aria-describedby={`tag-${tag_id.replace(' ', '-')}`}
                  onClick={() => close(tag)}
                >
                  <CloseOutlined aria-hidden />
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
          onClick={() => setTags((before) => before.filter((tag) => idOf(tag) === open))}
        >
          {t('close_others')}
        </button>
      )}
    </nav>
  )
}
