import { SafetyOutlined } from '@ant-design/icons'
import { Button, Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { config_group_permission, ltscopes } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { AppDetails } from '@mdm/contract'
import { useSearch, withParams } from '../../../core/address.ts'
import { api, useCall } from '../../../core/api.ts'
import { useMay } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { placeOf, Result, useLevelName } from '../../configure/public.ts'
import { DeviceSelect } from '../../../shared/device/DeviceSelect.tsx'
import { GroupPicker } from '../../../shared/groups/GroupPicker.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { PermissionsForm } from './PermissionsForm.tsx'
import { answersOf, isAsked, nameKey } from './policy.ts'
import type { Answer, PermissionPolicy } from './policy.ts'
import { Unable } from './Unable.tsx'

const levels = ['account', 'group', 'device'] as const
type Level = (typeof levels)[number]
const isLevel = (value: string | null): value is Level => levels.some((level) => level === value)
const tones = { grant: 'good', deny: 'bad', ask: 'accent', default: 'quiet' } as const

/** How devices answer what the app asks for: of the account, a group or a device, from the section that says it for all apps. */
export function AppPermissions({ app }: { app: AppDetails }) {
  const { t } = useTranslation(['app-center', 'configure'])
  const [may_see, may_list] = [useMay('deviceDetailConfig'), useMay('configurePushList')]
  const version = useCall(api.appCenter.get_version, { kid: app.offered?.kid ?? '' }, { enabled: app.offered !== null })
  const permissions = (version.data?.permissions ?? []).filter(isAsked).toSorted()
  const others = (version.data?.permissions.length ?? 0) - permissions.length
  const { level, kid, choose } = useLevel()
  if (!(may_see || may_list) || app.offered === null) return null
  if (version.error) return <Failure error={version.error} retry={version.refetch} is_line />
  return (
    <section className="app-part" aria-label={t('permission.title')}>
      <h2>{t('permission.title')}</h2>
      {version.isPending && <Skeleton active title={false} paragraph={{ rows: 3 }} />}
      {version.isSuccess && permissions.length === 0 && <p className="dim">{t('permission.none')}</p>}
      {permissions.length > 0 && (
        <>
          <p className="dim">{t('permission.hint')}</p>
          {others > 0 && <p className="dim">{t('permission.others', { count: others })}</p>}
          <div className="app-permission-level">
            <Segmented<Level>
              aria-label={t('permission.for')}
              value={level}
              options={levels.map((value) => ({ value, label: t(`permission.level.${value}`) }))}
              onChange={(next) => choose(next, '')}
            />
            {level === 'group' && (
              <GroupPicker
                value={kid || null}
                placeholder={t('permission.choose_group')}
                onChange={(next) => choose(level, next)}
              />
            )}
            {level === 'device' && (
              <DeviceSelect
                value={kid || null}
                label={t('permission.choose_device')}
                onChange={(next) => choose(level, next)}
              />
            )}
          </div>
          {(level === 'account' || kid !== '') && (
            <Answers key={`${level} ${kid}`} app={app} permissions={permissions} level={level} kid={kid || null} />
          )}
        </>
      )}
    </section>
  )
}

/** The level that is looked at, in the address. */
function useLevel() {
  const [search, change] = useSearch()
  const asked = search.get('level')
  const level: Level = isLevel(asked) ? asked : 'account'
  const choose = (next: Level, kid: string) =>
    change((before) => withParams(before, { level: next, level_kid: kid || null }), { replace: true })
  return { level, kid: level === 'account' ? '' : (search.get('level_kid') ?? ''), choose }
}

type AnswersProps = { app: AppDetails; permissions: readonly string[]; level: Level; kid: string | null }
function Answers({ app, permissions, level, kid }: AnswersProps) {
  const { t } = useTranslation(['app-center', 'configure'])
  const textOf = useTextOf()
  const nameOf = useLevelName()
  const [is_open, setOpen] = useState(false)
  const may_edit = useMay('deviceDetailConfig:edit')
  const may_groups = useMay(config_group_permission)
  const scopes = { account: ltscopes.account, group: ltscopes.group, device: ltscopes.terminal }
  const place = placeOf({ ltscope: scopes[level], kid })
  const query = useCall(api.terminalConfig.current_config, { ...place, types: '1' })
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  const of = query.data?.permission_policy
  if (!of) return <Skeleton active title={false} paragraph={{ rows: 3 }} />
  const policy = of.value as PermissionPolicy | null
  const said = answersOf(policy, app.package)
  const { preset } = sectionOf('permission_policy').fields
  const preset_said = textOf(preset!.options![policy?.preset ?? 'ask']!)
  const own = of.levels.at(-1)!
  const rows = permissions.map((permission) => ({ permission, answer: said[permission] ?? ('default' as Answer) }))
  return (
    <>
      <div className="app-permission-head">
        <p>
          {policy === null ? (
            <span className="dim">{t('permission.not_set')}</span>
          ) : (
            <>
              <span className="dim">{t('configure:source')}</span>{' '}
              <StateBadge tone="accent">{nameOf(of.source)}</StateBadge>{' '}
              <span className="dim">{t('permission.preset', { answer: preset_said })}</span>
            </>
          )}{' '}
          <Result section="permission_policy" of={of.result} />
        </p>
        {may_edit && (level === 'device' || may_groups) && (
          <Button icon={<SafetyOutlined aria-hidden />} onClick={() => setOpen(true)}>
            {t('permission.change')}
          </Button>
        )}
      </div>
      <ListTable<(typeof rows)[number]>
        aria-label={t('permission.title')}
        rowKey={({ permission }) => permission}
        rows={rows}
        nameOf={({ permission }) => t(nameKey(permission))}
        columns={[
          {
            key: 'permission',
            title: t('permission.column'),
            render: (_, row) => (
              <>
                {t(nameKey(row.permission))} <span className="dim code">{row.permission}</span>
              </>
            ),
          },
          {
            key: 'answer',
            title: t('permission.answer'),
            render: (_, row) => (
              <StateBadge tone={tones[row.answer]}>
                {t(`permission.state.${row.answer}`)}
                {row.answer === 'default' && policy !== null && ` (${preset_said})`}
              </StateBadge>
            ),
          },
        ]}
      />
      {level !== 'device' && policy !== null && <Unable terminal_group_kid={kid ?? undefined} />}
      {is_open && (
        <PermissionsForm
          app={app}
          place={place}
          name={nameOf(own)}
          permissions={permissions}
          said={said}
          preset={preset_said}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
