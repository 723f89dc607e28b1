import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppCategory } from '@mdm/contract'
import { useWrite } from '../../../core/api.ts'
import { AddButton } from '../../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { SkeletonRows } from '../../../ui/list/SkeletonRows.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { useCategories } from './categories.ts'
import { appSides } from '../sides.ts'
import type { AppSide } from '../sides.ts'

type Opened =
  | { kind: 'add'; above: AppCategory | null }
  | { kind: 'rename'; category: AppCategory }
  | { kind: 'delete'; category: AppCategory }
type Props = { side: AppSide; onClose: () => void }

/** The two levels of categories: made, renamed and taken away. Those that are inherited are only shown. */
export function CategoriesDrawer({ side, onClose }: Props) {
  const { t } = useTranslation(['app-center', 'common'])
  const { query, tops, below } = useCategories(side)
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  const button = (icon: ReactNode, label: string, onClick: () => void, disabled_reason?: string) => (
    <Button
      type="text"
      size="small"
      icon={icon}
      aria-label={label}
      title={disabled_reason ?? label}
      disabled={disabled_reason !== undefined}
      onClick={onClick}
    />
  )
  const row = (category: AppCategory) => (
    <div className="app-category">
      <span className="app-category-name">{category.name}</span>
      <span className="dim">{t('category.apps', { count: category.app_count })}</span>
      {category.origin === 'inherited' ? (
        <span className="dim">{t('origin.inherited')}</span>
      ) : (
        <span>
          {category.parent_kid === null &&
            button(<PlusOutlined aria-hidden />, t('category.add_below', category), () =>
              setOpened({ kind: 'add', above: category }),
            )}
          {button(<EditOutlined aria-hidden />, t('category.rename', category), () =>
            setOpened({ kind: 'rename', category }),
          )}
          {button(
            <DeleteOutlined aria-hidden />,
            t('category.delete', category),
            () => setOpened({ kind: 'delete', category }),
            below(category.kid).length > 0 ? t('category.has_children') : undefined,
          )}
        </span>
      )}
    </div>
  )
  return (
    <Drawer
      size={520}
      title={t('category.title')}
      onClose={onClose}
      extra={<AddButton onClick={() => setOpened({ kind: 'add', above: null })}>{t('category.add')}</AddButton>}
    >
      <p className="dim app-category-hint">{t('category.hint')}</p>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.isPending && <SkeletonRows columns={2} label={t('common:list.loading')} />}
      {query.isSuccess && tops.length === 0 && <p>{t('category.none')}</p>}
      <ul className="app-categories">
        {tops.map((top) => (
          <li key={top.kid}>
            {row(top)}
            <ul>
              {below(top.kid).map((category) => (
                <li key={category.kid}>{row(category)}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {opened?.kind === 'add' && <CategoryForm side={side} above={opened.above} onClose={close} />}
      {opened?.kind === 'rename' && (
        <CategoryForm side={side} category={opened.category} above={null} onClose={close} />
      )}
      {opened?.kind === 'delete' && (
        <ConfirmWrite
          call={appSides[side].calls.delete_category}
          input={{ kid: opened.category.kid }}
          title={t('category.delete_title', opened.category)}
          submit={t('category.delete_submit')}
          done={t('category.deleted')}
          onClose={close}
        >
          <p>{t('category.delete_what')}</p>
        </ConfirmWrite>
      )}
    </Drawer>
  )
}

type FormProps = { side: AppSide; category?: AppCategory; above: AppCategory | null; onClose: () => void }
function CategoryForm({ side, category, above, onClose }: FormProps) {
  const { t } = useTranslation('app-center')
  const { calls } = appSides[side]
  const insert = useWrite(calls.insert_category, { done: t('category.added') })
  const update = useWrite(calls.update_category, { done: t('category.saved') })
  const write = category ? update : insert
  const title = category ? t('category.rename', category) : above ? t('category.add_below', above) : t('category.add')
  return (
    <FormDrawer<{ name: string }>
      title={title}
      submit={t(category ? 'category.save' : 'category.add')}
      initial={{ name: category?.name ?? '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ name }) =>
        category
          ? update.mutateAsync({ kid: category.kid, name })
          : insert.mutateAsync({ name, parent_kid: above?.kid ?? null })
      }
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('column.name')} schema={calls.insert_category.input}>
        <Input autoFocus />
      </Field>
    </FormDrawer>
  )
}
