import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import type { AppDetails } from '@mdm/contract'
import { useCall, useWrite } from '../../../core/api.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { FormPage } from '../../../ui/form/form.tsx'
import { AppFields, sentPictures } from './AppFields.tsx'
import type { AppValues } from './AppFields.tsx'
import { appSides } from '../sides.ts'
import type { AppSide, SideProps } from '../sides.ts'
import '../app-center.css'

export function AppEdit({ side }: SideProps) {
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const query = useCall(appSides[side].calls.get, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  return query.data ? <Edit key={kid} side={side} app={query.data} /> : <Skeleton active />
}

function Edit({ side, app }: { side: AppSide; app: AppDetails }) {
  const { t } = useTranslation('app-center')
  const navigate = useNavigate()
  const { calls, links } = appSides[side]
  const update = useWrite(calls.update, { done: t('saved') })
  const back = () => void navigate(links.details.to({ kid: app.kid }))
  const submit = ({ icon, screenshots = [], category_kid, ...values }: AppValues) =>
    update.mutateAsync({
      ...values,
      kid: app.kid,
      category_kid: category_kid ?? null,
      screenshot_kids: screenshots.flatMap(({ kid }) => kid ?? []),
      ...sentPictures({ ...(icon && { icon }), screenshots }),
    })
  return (
    <FormPage<AppValues>
      title={t('edit_title', { name: app.name })}
      submit={t('save')}
      initial={{
        name: app.name,
        developer: app.developer,
        intro: app.intro,
        category_kid: app.category_kid,
        is_system_signed: app.is_system_signed,
        dependency_kids: app.dependencies.map(({ kid }) => kid),
        icon: app.icon_url ? [{ url: app.icon_url }] : [],
        screenshots: app.screenshots.map(({ kid, url }) => ({ kid, url })),
      }}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={submit}
      onDone={back}
      onCancel={back}
    >
      <AppFields side={side} kid={app.kid} known={app.dependencies} />
    </FormPage>
  )
}
